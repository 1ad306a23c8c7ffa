"""What a machine is compiled from, and the plan kept on disk so that the terms need not be built again.

Building a system's terms takes seconds, running its code needs none of them. A plan holds the LLVM text and the meaning
of every flag and output; it is found again by a digest of the clauses, the deck and tricklaw's own sources.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import z3

from tricklaw.model import native
from tricklaw.model._native_object import load
from tricklaw.model._native_stages import Program
from tricklaw.model.acts import LAYING, Do
from tricklaw.model.rights import Option, Right
from tricklaw.model.state import Slot
from tricklaw.model.steps import Step
from tricklaw.model.system import System
from tricklaw.model.terms import TRUE, Bits, Bool, bits, collect, meet, when

CACHE_VARIABLE = "TRICKLAW_CACHE"
JUDGE = "judge"
FORMAT = 1

Terms = list[z3.ExprRef]


def cache_directory() -> Path:
    """The folder for native code in $TRICKLAW_CACHE, else in the user's cache directory for tricklaw."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("tricklaw")) / "native"


@dataclass(frozen=True)
class Labels:
    """The meaning of a step's flags, in their order; the last flag tells whether a demand is legitimate."""

    broken: list[str]
    fired: list[str]

    @property
    def count(self) -> int:
        """How many flags there are."""
        return len(self.broken) + len(self.fired) + 1


@dataclass(frozen=True)
class Plan:
    """Everything that running a system's machine code needs.

    Attributes:
        text: the LLVM text.
        program: the layout of the arrays; without its nodes.
        labels: the meaning of each step's flags.
        bars: the clauses whose bars the judgement tells.
        outputs: how many outputs the judgement has.
    """

    text: str
    program: Program
    labels: dict[str, Labels]
    bars: list[str]
    outputs: int

    def native(self, system: System, cache: Path) -> native.Native:
        """The compiled code; placeholders stand for the terms."""
        steps = [native.Step(name, TRUE, (TRUE,) * found.count, {}) for name, found in self.labels.items()]
        judge = native.Function(JUDGE, (bits(0, 64),) * self.outputs)
        return native.Native(_shape(system, judge, steps), {}, self.program, load(self.text, cache))


def plan_of(system: System, cache: Path) -> Plan:
    """The plan of a system: from the cache, else built and put there."""
    path = cache / f"{_digest(system)}.plan"
    return _read(path) or _write(path, build(system))


def build(system: System) -> Plan:
    """The plan of a system, from its terms."""
    steps = [step_of(system.step(kind)) for kind in system.kinds]
    names, judge = judgement_terms(system)
    program, text = native._lower(_shape(system, native.Function(JUDGE, tuple(judge)), steps), ["act.actor"])
    program.nodes, program.parts = [], []
    labels = {k.name: Labels(list(s.broken), list(s.fired)) for k in system.kinds for s in [system.step(k)]}
    return Plan(text, program, labels, names, len(judge))


def _shape(system: System, judge: native.Function, steps: list[native.Step]) -> native.System:
    """All that is compiled together."""

    def fields(slots: list[Slot]) -> tuple[native.Field, ...]:
        return tuple(native.Field(slot.name, slot.width) for slot in slots)

    state, rigid, act = fields(system.slots), fields(system.rigid_slots), fields(system.act_slots)
    return native.System(state, rigid, act, (judge,), tuple(steps))


def step_of(step: Step) -> native.Step:
    """A step of the system as native code takes it."""
    flags = (*step.broken.values(), *step.fired.values(), step.legit)
    return native.Step(step.kind.name, step.possible, flags, step.changes)


# the judgement of a state ------------------------------------------------------------------------------------------


def judgement_terms(system: System) -> tuple[list[str], Terms]:
    """The clauses whose bars are told, and all outputs: the table, lawful cards, rights, demands in force, bars."""
    bars = _bars(system)
    lawful = [system.lawful_cards(do, i) for do in LAYING for i in range(system.seats)]
    rights = [_right(system, right) for right in system.rights.values()]
    demands = [_bound(system, *key) for key in bound_keys(system)]
    return list(bars), [_table(system), *lawful, *rights, *demands, *bars.values()]


def bound_keys(system: System) -> list[tuple[Right, Option, int]]:
    """The right, what is demanded, and the seat of each output that tells of a demand in force."""
    rights = system.rights.values()
    return [(r, o, i) for r in rights for o in r.options if o.binds for i in range(system.seats)]


def _flag(condition: Bool) -> Bits:
    return when(condition, bits(1, 1), bits(0, 1))


def _packed(*parts: Bits) -> Bits:
    """The parts side by side, the first in the lowest bits."""
    return z3.Concat(*reversed(parts))


def _table(system: System) -> Bits:
    view = system.view
    plain = [collect([system.lawful_plain(do, i) for i in range(system.seats)]) for do in (Do.TAKE_BACK, Do.QUIT)]
    return _packed(view.to_act, *plain, _flag(view.over))


def _right(system: System, right: Right) -> Bits:
    states = [system.right_state(right, i) for i in range(system.seats)]
    return _packed(*(part for s in states for part in (s.owners, s.enforcers, _flag(s.open))))


def _bound(system: System, right: Right, option: Option, index: int) -> Bits:
    found = system.bound(right, option, system.view.seat(index))
    return _packed(found.required, _flag(found.binds), _flag(found.excused))


def _bars(system: System) -> dict[str, Bits]:
    """For each clause, and each demand in force, the cards of the player to act that it forbids him."""
    view = system.view
    he = view.to_act
    lead, play = (system.laying_forbidden(do, he) for do in LAYING)
    nothing = system.deck.nothing
    return {
        name: meet(view.hand(he), when(view.empty_table, lead.get(name, nothing), play.get(name, nothing)))
        for name in [*lead, *(name for name in play if name not in lead)]
    }


# on disk -----------------------------------------------------------------------------------------------------------


def _digest(system: System) -> str:
    """A digest of all that a plan depends on."""
    digest = hashlib.sha256(f"{FORMAT} {z3.get_version_string()} {system.deck} {system.seats}\n".encode())
    digest.update(system.code.head.model_dump_json(include={"readings"}).encode())
    for clause in system.code.clauses:
        digest.update(clause.model_dump_json(exclude={"says", "note"}).encode())
    digest.update(_sources())
    return digest.hexdigest()


def _sources() -> bytes:
    """A digest of the sources that turn clauses into machine code."""
    folder = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def _read(path: Path) -> Plan | None:
    """The plan in a file; nothing if there is none or it is damaged."""
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    sealed, content = stored[:32], stored[32:]
    if hashlib.sha256(content).digest() != sealed:
        return None
    plan: Plan = pickle.loads(zlib.decompress(content))
    return plan


def _write(path: Path, plan: Plan) -> Plan:
    """Keep the plan in a file, whole or not at all; a directory that cannot be written to costs nothing but time."""
    content = zlib.compress(pickle.dumps(plan), 1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(hashlib.sha256(content).digest() + content)
        Path(file.name).replace(path)
    except OSError:
        pass
    return plan
