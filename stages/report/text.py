"""Numbers and lists as a reader wants them."""

NONE = "–"


def fixed(value: float | None, decimals: int) -> str:
    """A number with so many decimals, a true minus sign and thousands apart."""
    if value is None:
        return NONE
    rounded = round(value, decimals) + 0.0  # no minus before zero
    return f"{rounded:,.{decimals}f}".replace("-", "−")


def signed(value: float | None, decimals: int) -> str:
    """A difference: as `fixed`, with a plus where it is positive."""
    text = fixed(value, decimals)
    return f"+{text}" if value is not None and round(value, decimals) > 0 else text


def raw(value: float | str | None) -> str:
    """A value to sort by and to download."""
    return "" if value is None else value if isinstance(value, str) else f"{value:.6g}"


def rank_text(rank: float | None) -> str:
    """A rank without needless decimals."""
    return NONE if rank is None else f"{round(rank, 2):g}"


def count(value: float | None) -> str:
    """A count with thousands apart, or a mean of counts."""
    return f"{value:,}" if isinstance(value, int) else fixed(value, 3)


def short(value: float) -> str:
    """A number with no more decimals than its size asks for."""
    if isinstance(value, int):
        return f"{value:,}"
    return fixed(value, next((d for limit, d in ((10, 3), (100, 2)) if abs(value) < limit), 1))


def chance(p: float | None) -> str:
    """A p-value as papers print it."""
    if p is None:
        return "p unknown"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def duration(seconds: float | None) -> str:
    """Seconds in the unit a reader thinks in."""
    if seconds is None:
        return NONE
    for limit, unit in ((100, "s"), (6_000, "min"), (360_000, "h")):
        if seconds < limit:
            size = seconds / (limit / 100)
            return f"{size:.2g} {unit}" if size < 1 else f"{size:.{1 if size < 10 else 0}f} {unit}"
    return f"{seconds / 86_400:.1f} days"


def file_name(name: str) -> str:
    """A name in letters that every file system and every link takes."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in name)
    return "-".join(part for part in kept.split("-") if part)[:80] or "table"
