"""What it means when a worker sends no result: it has died, it refuses, or the cluster has gone."""

from concurrent.futures import CancelledError

from stages.common.errors import DataError, UserError
from stages.train.compute import Result
from stages.train.work import Place, Refused, Work

TRIES = 3  # a worker may be killed from outside
KEPT = "what is finished is kept: run the same command when the cause is gone"


def after_death(
    work: Work, deaths: int, late: bool, seconds: float, place: Place
) -> list[Result] | None:
    """What becomes of a job that was alone on a worker when the worker died; None: try it again.

    One that was late is a `timeout`; else it has died when it has killed its worker every time.
    """
    costs = work.task.costs
    if late:
        limit = work.limit / len(costs)
        status, reason = "timeout", f"stopped after the limit of {limit:g} s a cell"
    elif deaths >= TRIES:
        limit, status = place.memory, "died"
        reason = (
            "its process was killed again and again, most likely for want of memory: "
            f"it may have {limit / 2**30:.1f} GiB"
        )
    else:
        return None
    each, device = seconds / len(costs), place.device if work.network else "cpu"
    return [Result(cost, status, reason, each, device=device, host=place.host, limit=limit)
            for cost in costs]  # fmt: skip


def failure(answer: BaseException) -> BaseException:
    """Why the run cannot go on, from what came in place of a result."""
    if isinstance(answer, DataError):
        return answer
    if isinstance(answer, CancelledError | OSError):
        return UserError(f"the Dask cluster has gone away ({type(answer).__name__}); {KEPT}")
    what = str(answer) if isinstance(answer, Refused) else f"{type(answer).__name__}: {answer}"
    return UserError(
        f"a worker would not compute what was asked for ({what}); bring its folder and "
        "environment to the lead's state: git pull && make environment"
    )
