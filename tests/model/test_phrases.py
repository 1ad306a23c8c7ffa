"""Phrases: each is seen true and seen false in play, and none fails where the check of law files lets it stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import z3

from tricklaw.model.acts import LAYING, ActKind, Do
from tricklaw.model.cards import Deck
from tricklaw.model.codes import builtins
from tricklaw.model.deals import Marks
from tricklaw.model.law import Clause, Code, CodeHead, Kind
from tricklaw.model.phrases import PHRASES, Phrase, Sort, lookup
from tricklaw.model.phrases.check import NAMED, check_phrases, keys_of
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import SORT_OF_KEY
from tricklaw.model.state import CALLED_BY, NEEDS_MORE, TAKEN, TOO_FEW, TOO_MANY
from tricklaw.model.steps import Step
from tricklaw.model.system import System
from tricklaw.model.table import CALLER, CLAIMS, COVERS, WRONG_NUMBERS
from tricklaw.model.terms import Bool, either, negate, some
from tricklaw.properties.base import Claim, Part
from tricklaw.solver.compiled import UNLAWFUL, Compiled, Row, batches
from tricklaw.solver.explorer import Budget, Move, explore

LOOKED_AT = (Sort.CONDITION, Sort.EVENT, Sort.SEATS, Sort.CARDS)
"""The sorts of phrase that are true or false, or a set that is empty or not."""

Said = tuple[Sort, str]
"""A phrase as a law file has it, the clause that it names included."""

ALWAYS = {
    (Sort.CONDITION, "always"),
    (Sort.SEATS, "everybody"),
    (Sort.SEATS, "the proper leader"),
    (Sort.SEATS, "he"),
    (Sort.SEATS, "he and his partners"),
    (Sort.SEATS, "either adversary"),
    (Sort.SEATS, "the nearest adversary on his right"),
    (Sort.CARDS, "that card"),
    (Sort.CARDS, "the cards seen"),
    (Sort.CARDS, "all cards in his hand"),
}
"""Phrases that mean somebody, or some card, in every state or act that they can speak of."""

UNUSED = {
    (Sort.CARDS, "liable cards"),  # what a right has under `cards:` where nothing else is written
    (Sort.CONDITION, "the preceding trick is turned and quitted"),
    (Sort.CONDITION, "the single player has played to the trick"),
    (Sort.CONDITION, "it is the bidder's lead"),
    (Sort.CONDITION, "he can follow the suit led"),
    (Sort.CONDITION, "he has omitted to play to the preceding trick"),
    (Sort.EFFECT, "the right {clause} is lost"),
    (Sort.EVENT, "a demand under {clause} is disobeyed"),
    (Sort.SEATS, "the second hand, if a partner of the offender"),
    (Sort.SEATS, "his partner"),
    (Sort.SEATS, "a player with a wrong number of cards"),
    (Sort.SEATS, "an adversary of the single player"),
    (Sort.SEATS, "an adversary of the declarer"),
}
"""Phrases that no built-in code has: they are there for those who write laws."""

CODES = {code.id: code for code in builtins()}
GAMES = [(code.id, game) for code in reversed(CODES.values()) for game in reversed(code.head.games)]
"""Those with most phrases of acts come first; what they show need not be shown again."""


def written(clause: Clause) -> Iterator[tuple[str, Said]]:
    """The phrases of a clause, with their keys."""
    for key, sort in SORT_OF_KEY.items():
        value = getattr(clause, key) or ()
        yield from ((key, (sort, text)) for text in ((value,) if isinstance(value, str) else value))


def form(said: Said) -> Said:
    """The phrase as it is registered, with `{clause}` for the clause that it names."""
    return said[0], lookup(*said)[0].text


# what the model hears ------------------------------------------------------------------------------------------------


@dataclass
class Heard:
    """Every meaning that a phrase was given while a system was built: of states, and of each kind of act."""

    states: dict[Said, list[Bool]] = field(default_factory=lambda: defaultdict(list))
    acts: dict[Said, dict[ActKind, list[Bool]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    building: ActKind | None = None
    speaks: dict[int, tuple[z3.ExprRef, bool]] = field(default_factory=dict)
    """By the id of a term, whether it speaks of the act; the term is kept, so that its id is not used again."""

    def listen(self, phrase: Phrase) -> Phrase:
        """The phrase, overheard."""

        def meaning(c: Context, *arguments: str) -> Any:
            term = phrase.function(c, *arguments)
            self._note((phrase.sort, phrase.text.format(clause=(*arguments, "")[0])), term)
            return term

        return replace(phrase, function=meaning)

    def _note(self, said: Said, term: z3.ExprRef) -> None:
        holds = term if z3.is_bool(term) else some(term)
        if said[0] is not Sort.EVENT and not self._of_act(holds):
            self.states[said].append(holds)
        elif self.building:
            self.acts[said][self.building].append(holds)

    def _of_act(self, term: z3.ExprRef) -> bool:
        todo = [term]
        while todo:
            parts = todo[-1].children()
            new = [part for part in parts if part.get_id() not in self.speaks]
            if new:
                todo += new
                continue
            top = todo.pop()
            itself = z3.is_const(top) and top.decl().name().startswith("act.")
            self.speaks[top.get_id()] = top, itself or any(self.speaks[part.get_id()][1] for part in parts)
        return self.speaks[term.get_id()][1]


def hear(system: System) -> Heard:
    """What is heard while the system is built, and where phrases are read for each player in turn."""
    heard = Heard()
    with pytest.MonkeyPatch.context() as patch:
        for key, phrase in list(PHRASES.items()):
            if phrase.sort in LOOKED_AT:
                patch.setitem(PHRASES, key, heard.listen(phrase))
        for index in range(system.seats):
            he = system.view.seat(index)
            for do in LAYING:
                system.bounds(he, do)
                system.laying_forbidden(do, he)
            c = Context(system.view, system.rights, he=he, lookup=system.right_state)
            for phrase in plain(system.table.covers):
                PHRASES[phrase.sort, phrase.text].function(c)
        for kind in system.kinds:
            heard.building = kind
            system.step(kind)
    return heard


def plain(covers: frozenset[str]) -> list[Phrase]:
    """The phrases that speak of nothing but a state and a player, and of what the code covers."""
    known = [p for p in PHRASES.values() if not p.covers or p.covers in covers]
    found = [p for p in known if p.sort in (Sort.CONDITION, Sort.SEATS) and "{" not in p.text]
    return [p for p in found if "against" in keys_of(p) or "while_" in keys_of(p)]


# what play shows -----------------------------------------------------------------------------------------------------

DECK = Deck(2, 4)
MOST_STATES = 500_000
ONE_EACH = ["JC", "QC", "KD", "KC"]
TWO_EACH = ["JC JD", "QC QD", "KC AD", "AC KD"]
SHOWING = (Do.SHOW, Do.NAME, Do.BOAST)
"""Acts of which there are many, and whose kind does not matter to what follows."""

BY_HAND = (Do.LEAD, Do.PLAY, Do.AGAIN, Do.FACE, Do.TAKE_BACK, Do.QUIT, Do.OMIT, Do.ADD)
"""Acts without words; two of them unlawful make a card liable and disregard it."""

SUIT_CALLED = ("lead that suit", "take back the card led")
CALLING = (Do.LEAD, Do.PLAY, Do.ATTENTION, Do.TAKE_BACK)
"""Acts by which a right to call a suit arises and is disregarded."""


class Both(Claim):
    """Watched both ways: the premise is a phrase, and it is violated where the phrase does not hold."""

    @property
    def violated(self) -> Bool:
        """The phrase does not hold: any of its meanings."""
        return self.claim


def both_ways(meanings: Sequence[Bool]) -> Both:
    """Some meaning holds; some does not."""
    return Both(either(*meanings), either(*(negate(m) for m in meanings)))


def of_acts(meanings: dict[ActKind, list[Bool]]) -> Part:
    """The part of a property that watches a phrase in the acts that it speaks of."""

    def claim(step: Step) -> Claim | None:
        return both_ways(meanings[step.kind]) if step.kind in meanings else None

    return Part("", act=claim)


@dataclass(frozen=True)
class Play:
    """What to explore: where it starts, by which moves, with how many unlawful acts, and how far."""

    rows: list[Row]
    moves: Sequence[Move]
    unlawful: int
    depth: int | None = None


def marks(system: System, dealt: int) -> list[Marks]:
    """What else the deals say, where the code speaks of it."""
    covers = system.table.covers
    wrong: list[Marks] = [{TOO_MANY: 1}, {TOO_FEW: 3}] if WRONG_NUMBERS in covers else []
    called: list[Marks] = [{CALLED_BY: 1, TOO_MANY: 5}] if CALLER in covers else []
    taken: list[Marks] = [{TAKEN: (1 << DECK.size) - 1 & ~dealt, NEEDS_MORE: 1}] if CLAIMS in covers else []
    return [{}, *wrong, *called, *taken]


def plays(compiled: Compiled) -> Iterator[Play]:
    """Few cards with all acts, more cards with fewer acts."""
    system, every = compiled.system, compiled.moves
    sides = list({id(groups): groups for groups in (system.arrangements[0], system.arrangements[-1])}.values())
    most = max((len(choices) for choices in system.readings.values()), default=1)
    readings = [{key: choices[i % len(choices)] for key, choices in system.readings.items()} for i in range(most)]

    def start(deal: list[str], readings: list[dict[str, str]]) -> list[Row]:
        hands = [DECK.parse(names) for names in deal[: system.seats]]
        starts = product(system.leaders, sides, readings, marks(system, sum(hands)))
        return [compiled.initial(hands, leader, groups, 1, chosen, also) for leader, groups, chosen, also in starts]

    yield Play(start(ONE_EACH, readings[:1]), [m for m in every if not m.step.startswith(Do.WAIVE)], 2)
    yield Play(start(TWO_EACH, readings[:1]), every, 1, depth=1)
    yield Play(start(TWO_EACH, readings[:1]), [m for m in every if m.step not in SHOWING], 1)
    yield Play(start(TWO_EACH, readings), [m for m in every if m.step in BY_HAND], 2)
    calls = [m for m in every if m.step in CALLING or any(said in m.step for said in SUIT_CALLED)]
    yield Play(start(TWO_EACH, readings[:1]), calls, 2)


def witnessed(system: System, heard: Heard, done: set[tuple[Said, bool]]) -> set[tuple[Said, bool]]:
    """The phrases that play shows to hold, and not to hold; those of acts only as far as they are not done."""
    states = {said: both_ways(meanings) for said, meanings in heard.states.items()}
    watched = {(said, way): b.premise if way else b.violated for said, b in states.items() for way in (True, False)}
    missing = [s for s in heard.acts if s not in states and not {(s, True), (s, False)} <= done]
    seen: set[tuple[Said, bool]] = set()
    for acts in batches({f"{said}": of_acts(heard.acts[said]) for said in missing}):
        compiled = Compiled(system, acts, None, {f"{name}": term for name, term in watched.items()})
        for play in plays(compiled):
            found = explore(
                compiled.native,
                play.moves,
                np.array(play.rows),
                max_states=MOST_STATES,
                max_depth=play.depth,
                budget=Budget(UNLAWFUL, play.unlawful),
                watch="candidates",
                watch_flags=(1 << 64) - 1 - UNLAWFUL,
            )
            seen |= {list(watched)[at] for at in found.watched}
            flags = {
                (s, way): compiled.act_flag(f"{s}", way) for s in missing if f"{s}" in acts for way in (True, False)
            }
            seen |= {name for name, flag in flags.items() if flag in found.flagged}
    return seen


EXTRA = {"id": "TEST.1", "says": "A card is liable.", "layer": "law", "liable": "that card"}
COUNTED = {
    "id": "TEST.2",
    "says": "The deal stands.",
    "layer": "law",
    "result": "deal stands",
    "for": "a player with a wrong number of cards",
    "when": "a wrong number of cards is pointed out",
}
"""Clauses that use what no built-in code does."""


@pytest.fixture(scope="module")
def seen() -> dict[Said, set[bool]]:
    """Every phrase of the sorts looked at that the codes or this file write, and the ways in which it was seen."""
    said: set[Said] = set()
    done: set[tuple[Said, bool]] = set()
    for code, game in GAMES:
        law = CODES[code].restrict(game)
        called = [c for c in law.of_kind(Kind.RIGHT) if SUIT_CALLED[0] in c.demands][-1:]
        more = [EXTRA | {"when": f"a demand under {right.id} is disobeyed"} for right in called]
        more += [COUNTED] if WRONG_NUMBERS in law.table(game).covers else []
        system = System(replace(law, clauses=(*law.clauses, *map(Clause.model_validate, more))), game, DECK)
        heard = hear(system)
        said |= heard.states.keys() | heard.acts.keys()
        done |= witnessed(system, heard, done)
    return {one: {way for way in (True, False) if (one, way) in done} for one in said}


@pytest.mark.slow
def test_every_phrase_is_seen_both_ways(seen: dict[Said, set[bool]]) -> None:
    """Over all games of all codes, each phrase as written is seen to hold, and not to hold unless it is in `ALWAYS`."""
    assert {said for said, ways in seen.items() if True not in ways} == set()
    assert {said for said, ways in seen.items() if False not in ways} == ALWAYS


@pytest.mark.slow
def test_every_phrase_is_looked_at(seen: dict[Said, set[bool]]) -> None:
    """No phrase of the sorts looked at is left out of the test above, used or not, and no text of a law file."""
    assert {form(said) for said in seen} == {key for key, phrase in PHRASES.items() if phrase.sort in LOOKED_AT}
    texts = {said for code in CODES.values() for clause in code.clauses for _, said in written(clause)}
    assert {said for said in texts if said[0] in LOOKED_AT} <= seen.keys()


def test_the_phrases_that_no_code_uses_are_known() -> None:
    """A phrase that the built-in codes do not have is listed above, and no other is."""
    used = {form(said) for code in CODES.values() for clause in code.clauses for _, said in written(clause)}
    assert PHRASES.keys() - used == UNUSED


# where phrases may stand ---------------------------------------------------------------------------------------------

FRAMES: dict[str, dict[str, Any]] = {
    "duty": {"must_not": "play"},
    "permission": {"may": "play", "overrides": "T.DUTY"},
    "immunity": {"from": ["T.RIGHT", "T.LIABLE"]},
    "against": {"right": "a right", "arises": "a lead out of turn", "demands": "win the trick"},
    "by": {"of": ["T.RIGHT", "T.STANDING"]},
    "lost_to": {"of": ["T.RIGHT", "T.STANDING"]},
    "liable": {"when": "a lead out of turn"},
    "cards": {"right": "a right", "against": "everybody", "demands": "play that card"},
    "consequence": {"when": "a card is taken back from a lead out of turn"},
    "arises": {"right": "a right", "against": "the offender", "demands": "win the trick"},
    "lost": {"of": ["T.RIGHT", "T.STANDING"]},
    "discharged": {"of": ["T.RIGHT", "T.STANDING"]},
    "for_": {"result": "wins", "when": "a lead out of turn"},
    "when": {"liable": "that card"},
    "while_": {"duty": "everybody", "must": "follow suit if he can"},
    "unless": {"liable": "that card", "when": "a lead out of turn"},
    "closed": {"of": ["T.STANDING"]},
    "excused": {"of": ["T.RIGHT", "T.STANDING"]},
    "demands": {"right": "a right", "against": "the offender", "arises": "a lead out of turn"},
    "must": {"duty": "everybody"},
    "must_not": {"duty": "everybody"},
    "may": {"permission": "everybody", "overrides": "T.DUTY"},
}
"""For each key, the rest of a clause in which it says something."""

GROUND = [
    {"id": "T.DUTY", "duty": "everybody", "must not": "lead"},
    {
        "id": "T.RIGHT",
        "right": "a right",
        "against": "the offender",
        "arises": "a lead out of turn",
        "demands": "win the trick",
    },
    {"id": "T.STANDING", "right": "to call", "against": "a holder of a liable card", "demands": "play that card"},
    {"id": "T.RESULT", "result": "wins", "for": "he", "when": "a lead out of turn"},
    {"id": "T.LIABLE", "liable": "that card", "when": "a card is named by its holder"},
]
"""The clauses that the others speak of."""


def small_code(*clauses: dict[str, Any]) -> Code:
    """A code of these clauses on the ground of the others."""
    head = CodeHead.model_validate(
        {
            "code": "t",
            "title": "T",
            "covers": list(COVERS),
            "games": {"g": {"says": "A game.", "sides": ["two against two", "one against the rest"]}},
        }
    )
    return Code(head, tuple(Clause.model_validate({"says": "So.", "layer": "law"} | c) for c in (*GROUND, *clauses)))


def clause_with(number: int, key: str, phrase: Phrase) -> dict[str, Any]:
    """A clause with the phrase under the key."""
    named = f"T.{NAMED.get(phrase.text, Kind.RIGHT).upper()}"
    return FRAMES[key] | {key: phrase.text.format(clause=named), "id": f"T.{number}"}


EVERYWHERE = [(key, p) for key, sort in SORT_OF_KEY.items() for p in PHRASES.values() if p.sort is sort]


@pytest.mark.parametrize("key", SORT_OF_KEY)
def test_no_phrase_fails_where_it_may_stand(key: str) -> None:
    """Under every key, the clauses that the check passes can be built into a system, for each of their phrases."""
    phrases = [p for k, p in EVERYWHERE if k == key and key in keys_of(p)]
    assert phrases
    code = small_code(*(clause_with(i, key, p) for i, p in enumerate(phrases)))
    assert check_phrases(code) == []
    system = System(code, "g", Deck(2, 2))
    assert [step.kind for step in system.steps] == system.kinds


@pytest.mark.parametrize(
    ("key", "phrase"), [(k, p) for k, p in EVERYWHERE if k not in keys_of(p)], ids=lambda x: getattr(x, "text", x)
)
def test_a_phrase_is_refused_elsewhere(key: str, phrase: Phrase) -> None:
    """Under a key of its sort where there is nothing that it speaks of, a phrase is told where it goes."""
    (error,) = check_phrases(small_code(clause_with(1, key, phrase)))
    assert error.message.startswith(f"{phrase.text!r} says nothing under ")
    assert " it goes under " in error.message
