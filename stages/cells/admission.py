"""Whether a job may start now: nobody else computes it, and the machine has room for it."""

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass, field

from stages.cells.claims import Claims
from stages.cells.inputs import HERE, load_card
from stages.cells.plan import Job
from stages.cells.slots import (
    machine_cores,
    machine_has_gpu,
    machine_memory,
    slots_needed,
    take_slot,
)
from stages.config.params import Params


@dataclass(frozen=True)
class Admission:
    """Lets jobs start that nobody else computes, as far as the machine's limits allow."""

    params: Params
    store: str
    workers: int
    data: dict[str, str] = field(default_factory=dict)

    def admit(self, job: Job) -> ExitStack | None:
        """What the job holds while it runs, to be closed at its end; None if it must wait."""
        held = ExitStack()
        for name in self._slots(job):
            release = take_slot(name)
            if release is None:
                held.close()
                return None
            held.callback(release)
        if not held.enter_context(Claims(self.store).hold(claim_name(job))):
            held.close()
            return None
        return held

    def _slots(self, job: Job) -> list[str]:
        cell = job.cells[0]
        return slots_needed(
            self.params.models[cell.model],
            load_card(cell.dataset, self.data.get(cell.dataset, HERE)),
            gpu=self.params.train.device != "cpu" and machine_has_gpu(),
            memory=machine_memory(),
            cores=max(self.workers, machine_cores()),
        )


def claim_name(job: Job) -> str:
    """One name for the cells of a job, whoever asks for them."""
    return hashlib.sha256(" ".join(job.keys).encode()).hexdigest()[:32]
