"""Numbers and names as parts of a sentence."""


def percent(share: float) -> str:
    """A share as percent with its sign, as exact as is useful."""
    value = 100 * share
    decimals = 0 if abs(value) >= 9.95 else 1
    text = f"{value:+.{decimals}f}".replace("-", "−")
    return ("0" if float(f"{value:.{decimals}f}") == 0 else text) + " %"


def p_text(p: float | None) -> str:
    """A p value: never 0, never more digits than it deserves; None is one above a half."""
    if p is None:
        return "p > 0.5"
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}" if p < 0.1 else f"p = {p:.2f}"


def short(number: float) -> str:
    """A number with three significant digits and no exponent."""
    size = abs(number)
    decimals = 0 if size >= 100 else 1 if size >= 25 else 2 if size >= 1 else 3
    return f"{number:,.{decimals}f}".replace("-", "−")


def sentence(*parts: str | None) -> str:
    """Sentences one after the other, those that say nothing left out."""
    return " ".join(part for part in parts if part)
