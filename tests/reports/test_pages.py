"""The report as one page: whole, valid, escaped, and with nothing in it that the results do not say."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from tricklaw.model.errors import TricklawError, UnknownName
from tricklaw.model.law import Code
from tricklaw.model.lawfiles import BUILTIN, load_code
from tricklaw.properties import PROPERTIES
from tricklaw.reports import pages
from tricklaw.solver.session import Question
from tricklaw.solver.verdicts import PartResult, Result, Verdict, Witness, WitnessAct, to_json

RUN = "import sys; from tricklaw.cli import main; sys.argv[0] = 'tricklaw'; main()"

SCOPE = {
    "cards": 52,
    "deals": "any deal of at least one card to each player",
    "arrangements": [["AB", "YZ"]],
    "readings": {"RS1": ["independent", "first-decision"], "RS7": ["unenforceable"]},
}
FACED = Witness(
    deal={"A": ("AH",), "Y": ("KH",), "B": ("9H",), "Z": ("4H",)},
    leader="B",
    sides=(("A", "B"), ("Y", "Z")),
    trumps="none",
    readings={"RS1": "independent"},
    acts=(WitnessAct("face a card", "B", ("9H",), text="B faces 9H"),),
    replayed=True,
    holds_under=96,
    of_readings=288,
)
LATER = replace(FACED, acts=(*FACED.acts, WitnessAct("waive BS.20.0", "Y", (), "", "B", text="Y waives")))


def result(property_id: str, verdict: Verdict, **more: object) -> Result:
    """A result on whist under the whist-family laws."""
    return replace(Result("whist-family", "whist", property_id, verdict, scope=SCOPE), **more)  # type: ignore[arg-type]


REFUTED = result(
    "one-enforcer",
    Verdict.REFUTED,
    clauses=("BS.20.0", "BS.21.P1"),
    parts=(
        PartResult("BS.20.0", Verdict.REFUTED, "", FACED),
        PartResult("BS.24.2", Verdict.PROVED, reason="its premise was not met in any play explored"),
        PartResult("BS.26.1", Verdict.REFUTED, "", LATER),
    ),
)
RESULTS = [
    result("no-hostage", Verdict.UNKNOWN, reason="neither proved nor refuted under 7 of 288 readings"),
    REFUTED,
    result("some-enforcer", Verdict.DEPENDS, condition="RS7 = passes", confirmed_by=("z3", "bitwuzla")),
    result("lone-player-immune", Verdict.VACUOUS, reason="its premise can never hold"),
    result("enforcer-is-adversary", Verdict.PROVED, method="induction", clauses=("BS.24.2a",)),
]


@cache
def code() -> Code:
    """The whist-family laws."""
    return load_code(BUILTIN / "whist-family")


def page_of(*results: Result) -> str:
    """The page of these results."""
    return pages.render(results, code())[0]


@pytest.fixture(scope="module")
def page() -> str:
    """The page of all the results above."""
    return page_of(*RESULTS)


VOID = {"meta", "br", "hr", "img", "input", "link"}


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in its order, no attribute is there twice."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.faults: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the element."""
        if len(dict(attrs)) != len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice")
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """It must close the element opened last."""
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        """Keep what is read, the style sheet apart."""
        if self.open[-1:] != ["style"]:
            self.texts.append(data)

    @property
    def text(self) -> str:
        """What is read on the page."""
        return re.sub(r"\s+", " ", "".join(self.texts))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of that name."""
        return [attrs for name, attrs in self.elements if name == tag]


# the page as a document --------------------------------------------------------------------------------------------


def test_the_page_is_well_formed(page: str) -> None:
    """Every element is closed in its order; there is one title, one main heading, and a language."""
    read = Reader(page)
    assert read.faults == []
    assert page.startswith("<!DOCTYPE html>")
    assert read.all("html") == [{"lang": "en"}]
    assert len(read.all("h1")) == len(read.all("title")) == len(read.all("main")) == 1


@pytest.mark.parametrize("broken", ["<p><b>x</p></b>", "<div>", "</p>", '<p class="a" class="b"></p>'])
def test_a_malformed_page_is_noticed(broken: str) -> None:
    """The reader of these tests sees what it is there to see."""
    assert Reader(broken).faults


def test_the_page_needs_nothing_else(page: str) -> None:
    """No address, no script, no file, no style from elsewhere: every link stays on the page."""
    read = Reader(page)
    assert not re.search(r"https?:|//[a-z]|@import|url\(", page)
    assert {tag for tag, _ in read.elements} & {"script", "link", "img", "iframe", "object", "base"} == set()
    assert not any(name.startswith("on") or name in ("src", "srcset") for _, attrs in read.elements for name in attrs)
    assert all(str(a["href"]).startswith("#") for a in read.all("a"))


def test_every_link_leads_somewhere(page: str) -> None:
    """Each link has its target, no target is there twice, and each `aria-labelledby` names one."""
    read = Reader(page)
    ids = [attrs["id"] for _, attrs in read.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {str(a["href"])[1:] for a in read.all("a")} <= set(ids)
    assert {attrs["aria-labelledby"] for _, attrs in read.elements if "aria-labelledby" in attrs} <= set(ids)


def test_every_clause_cited_exists(page: str) -> None:
    """Clauses linked are clauses of the code, and each is given with its words at the end."""
    read = Reader(page)
    known = {clause.id: clause.says for clause in code().clauses}
    cited = {str(a["href"]).removeprefix("#clause-") for a in read.all("a") if "#clause-" in str(a["href"])}
    assert {"BS.20.0", "BS.21.P1", "BS.24.2a", "PLAY.hidden", "BS.20.I"} <= cited <= set(known)
    assert all(known[clause].strip() in read.text for clause in cited)


def test_the_page_can_be_heard(page: str) -> None:
    """Tables have captions and scoped headings, drawings have words, and headings skip no level."""
    read = Reader(page)
    assert len(read.all("caption")) == len(read.all("table")) > 0
    assert all(attrs.get("scope") in ("col", "row") for attrs in read.all("th"))
    drawings = [attrs for _, attrs in read.elements if attrs.get("role") == "img"]
    assert len(drawings) == 5
    assert all("B holds" in str(attrs["aria-label"]) for attrs in drawings)
    levels = [int(tag[1]) for tag, _ in read.elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_only_the_first_play_of_a_property_is_open(page: str) -> None:
    """The first counterexample can be read at once, the next on demand."""
    examples = [attrs for attrs in Reader(page).all("details") if attrs.get("class") == "example"]
    assert ["open" in attrs for attrs in examples] == [True, False]


def hostile() -> Code:
    """The same code with names and words that are no HTML."""
    known, bad = code(), "<script>alert(\"x\")</script> & 'so'"
    head = known.head.model_copy(update={"title": bad, "edition": bad})
    clauses = tuple(c.model_copy(update={"says": bad}) if c.id == "BS.20.0" else c for c in known.clauses)
    return replace(known, head=head, clauses=clauses)


def test_everything_is_escaped() -> None:
    """Whatever stands in law files or results is shown as it is written, and is never part of the page's code."""
    evil = '"><img src=x onerror=alert(1)>'
    found = [
        replace(REFUTED, method=evil, confirmed_by=(evil,), clauses=("BS.20.0", evil)),
        result("no-hostage", Verdict.UNKNOWN, reason=evil, scope={evil: evil, "readings": {evil: [evil]}}),
        result(evil, Verdict.DEPENDS, condition=evil, parts=(PartResult(evil, Verdict.DEPENDS, evil),)),
    ]
    read = Reader(pages.render(found, hostile())[0])
    assert read.faults == []
    assert read.all("script") == read.all("img") == []
    assert not any(name.startswith("on") for _, attrs in read.elements for name in attrs)
    assert read.text.count('<script>alert("x")</script>') >= 3
    assert read.text.count(evil) >= 6


# what it says ------------------------------------------------------------------------------------------------------


def test_the_summary_counts_and_orders(page: str) -> None:
    """How many of each verdict, and the properties in the order in which they are told everywhere."""
    text = Reader(page).text
    assert "Whist: 1 proved, 1 refuted, 1 depends, 1 vacuous, 1 unknown" in text
    places = [text.index(PROPERTIES[name].says) for name in PROPERTIES if name in {r.property for r in RESULTS}]
    assert places == sorted(places)
    assert "fails for BS.20.0 and BS.26.1" in text


def test_the_summary_names_the_rights_that_fail_and_those_that_depend() -> None:
    """Of a property refuted by one part, another of which depends on the readings."""
    parts = (PartResult("BS.20.0", Verdict.REFUTED), PartResult("BS.24.2", Verdict.DEPENDS, "RS7 = passes"))
    text = Reader(page_of(replace(REFUTED, parts=parts))).text
    assert "fails for BS.20.0; depends on readings for BS.24.2" in text


@pytest.mark.parametrize(
    "sentence",
    [
        "Whist Family Laws, with the insertions for Boston and Solo Whist",
        "American Whist League, Chicago 1893",
        "partners opposite",
        "Why it is not known: neither proved nor refuted under 7 of 288 readings.",
        "its premise was not met in any play explored",
        "the right to call a suit (BS.24.2; BS.24.1)",
        "the right to call a liable card (BS.20.0)",
        "Solvers that agreez3, bitwuzla",
        "The same play shows the same under 96 of the 288 combinations of readings.",
        "Now both Y and Z may call the nine of hearts from B (BS.20.0).",
        PROPERTIES["one-enforcer"].failure,
        PROPERTIES["one-enforcer"].formal,
        "The 2 clauses it rests on",
        "The clause it rests on",
        "cards: 52; deals: any deal of at least one card to each player; "
        "who sits with whom: A and B play together against Y and Z; "
        "readings: every combination of the choices of RS1; Only with RS7 = unenforceable: ",
    ],
)
def test_the_page_says(page: str, sentence: str) -> None:
    """What the results say is on the page."""
    assert sentence in Reader(page).text


def test_a_condition_is_told_in_the_words_of_the_reading(page: str) -> None:
    """The question, and the answer under which the property holds."""
    reading = code().head.readings["RS7"]
    told = (
        f"It holds exactly when the question RS7, “{reading.asks}”, is answered “{reading.choices['passes']}” (passes)."
    )
    assert told in Reader(page).text


def test_numbers_come_from_the_results() -> None:
    """A smaller pack, other counts: the page follows, and the old numbers are gone."""
    other = result("no-hostage", Verdict.PROVED, scope={"cards": 36})
    text = Reader(page_of(other)).text
    assert "cards: 36" in text
    assert "52" not in text
    assert "Whist: 1 proved" in text


def test_an_act_that_breaks_the_law_is_marked(page: str) -> None:
    """Unlawful acts, and only they, bear the word; moved and liable cards are marked by more than colour."""
    assert page.count('<span class="breach">unlawful</span>') == 2
    assert page.count('class="card liable new"') == 2
    assert page.count("<small>liable</small>") == 3


def test_what_plays_show_is_told_so() -> None:
    """A live clause with its play, a dead one with the proof; of many live ones only the acts are told."""
    none = "no play whatever can show it, under any reading"
    live, dead = PartResult("BS.20.I", Verdict.PROVED, "", FACED), PartResult("BS.21.2", Verdict.REFUTED, reason=none)
    page = page_of(result("no-dead-clause", Verdict.REFUTED, parts=(live, dead), reason=none))
    assert "of some part it is proved that no play can show it" in page
    assert "shown by: B faces 9H" in page
    assert "Here" in page
    assert "struck out, the law would say otherwise of the last act" in page
    assert "A play that shows it" in page
    page = page_of(result("no-dead-clause", Verdict.PROVED, parts=(live,) * 13))
    assert "for each part there is a play that shows it" in page
    assert "A play that shows it" not in page


def test_a_property_that_is_not_known_is_still_told() -> None:
    """Results of a later version name properties that this one does not have."""
    page = page_of(result("no-surprise", Verdict.REFUTED, witness=FACED))
    assert '<h3 id="whist-no-surprise">no-surprise</h3>' in page
    assert "Now both Y and Z may call" in Reader(page).text


def test_a_play_that_no_longer_fits_is_said_to() -> None:
    """A stale play is not told as if it were true; the page and the list of problems say so."""
    stale = replace(FACED, acts=(WitnessAct("lead", "B", ("2C",), text="B leads 2C"),))
    found = replace(REFUTED, parts=(PartResult("BS.20.0", Verdict.REFUTED, "", stale),))
    page, problems = pages.render([found], code())
    assert "This play does not fit the law files as they stand now" in page
    assert "B leads 2C" in page
    assert problems == [
        "whist-family:whist/one-enforcer: a play does not fit the law files as they stand: "
        "act 1: B does not hold 2C; he holds 9H"
    ]


def test_a_law_left_out_is_left_out_of_the_replay() -> None:
    """Where the scope says that a clause was left out, the play is ruled without it."""
    two = replace(FACED, deal={"A": ("AH", "2C"), "Y": ("KH", "3C"), "B": ("9H", "8H"), "Z": ("4H", "5H")})
    found = replace(REFUTED, parts=(PartResult("BS.20.0", Verdict.REFUTED, "", two),))
    barred = "From the eight of hearts he is kept by BS.23.1a"
    assert barred in Reader(page_of(found)).text
    assert barred not in Reader(page_of(replace(found, scope=SCOPE | {"without": ["BS.23.1a"]}))).text


# files -------------------------------------------------------------------------------------------------------------


def test_the_page_is_written_into_a_new_folder(tmp_path: Path) -> None:
    """Folders are made, with the usual permissions, and nothing but the page is left."""
    file = pages.write("<p>é</p>", tmp_path / "a" / "b")
    assert file.read_text(encoding="utf-8") == "<p>é</p>"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b"]
    (tmp_path / "c").mkdir()
    assert (tmp_path / "a" / "b").stat().st_mode == (tmp_path / "c").stat().st_mode


def test_what_else_is_in_the_folder_stays(tmp_path: Path) -> None:
    """Only index.html is replaced."""
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "index.html").write_text("old")
    pages.write("new", tmp_path)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"notes.txt": "mine", "index.html": "new"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interruption_leaves_the_old_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """Stopped half-way, the old page is whole and nothing else lies about."""
    folder = tmp_path / "report"
    pages.write("old", folder)

    def broken(self: Path, text: str, encoding: str) -> None:
        with self.open("w", encoding=encoding) as file:
            file.write(text[:1])
        raise error

    monkeypatch.setattr(Path, "write_text", broken)
    with pytest.raises(error):
        pages.write("new", folder)
    assert (folder / "index.html").read_text() == "old"
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<p>", "holds no verdicts"),
        ("[]", "holds no verdicts"),
        ('{"format": "other"}', "the format is 'other'"),
        ('{"format": "tricklaw.verdicts/1"}', "holds no verdicts"),
        ('{"format": "tricklaw.verdicts/1", "results": [{"verdict": "true"}]}', "holds no verdicts"),
    ],
)
def test_a_file_without_verdicts_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The file and what is wrong are named, and how to make a right one."""
    file = tmp_path / "verdicts.json"
    file.write_text(text)
    with pytest.raises(TricklawError, match=message) as caught:
        pages.read_results(file)
    assert str(file) in str(caught.value)
    assert "tricklaw check --json" in str(caught.value)


def test_verdicts_of_another_code_are_refused() -> None:
    """What is there is named."""
    with pytest.raises(UnknownName, match="there are verdicts of whist-family:whist"):
        pages.chosen(RESULTS, code(), "boston")
    with pytest.raises(UnknownName, match="has no game 'wist'; nearest: 'whist'"):
        pages.chosen([replace(REFUTED, game="wist")], code(), None)


# the command -------------------------------------------------------------------------------------------------------


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `tricklaw report` with these arguments in a process of its own."""
    command = [sys.executable, "-c", RUN, "report", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)


def saved(tmp_path: Path, *results: Result) -> str:
    """A file with these results."""
    file = tmp_path / "verdicts.json"
    file.write_text(json.dumps(to_json(results)), encoding="utf-8")
    return str(file)


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    """It says where the page is, which is the same as from the results themselves."""
    done = run("whist-family:whist", "-o", str(tmp_path / "out"), "--from", saved(tmp_path, *RESULTS))
    assert (done.returncode, done.stderr) == (0, "")
    file = tmp_path / "out" / "index.html"
    assert done.stdout == f"{file}\n"
    assert file.read_text(encoding="utf-8") == page_of(*RESULTS)


def test_without_saved_verdicts_the_code_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The game named is put to the checker, and its results are what the page tells."""
    asked: list[tuple[str, str]] = []

    def run(question: Question, tell: object) -> Iterator[Result]:
        asked.extend((code.id, game) for code, game in question.games)
        yield from RESULTS

    monkeypatch.setattr(pages, "run", run)
    assert pages.report("whist-family:whist", tmp_path) == 0
    assert asked == [("whist-family", "whist")]
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == page_of(*RESULTS)
    assert capsys.readouterr().out == f"{tmp_path / 'index.html'}\n"


def test_a_stale_play_gives_exit_code_1(tmp_path: Path) -> None:
    """The page is written all the same, and the warning names the property."""
    stale = replace(FACED, acts=(WitnessAct("lead", "B", ("2C",)),))
    file = saved(tmp_path, result("no-hostage", Verdict.REFUTED, witness=stale))
    done = run("whist-family", "-o", str(tmp_path / "out"), "--from", file)
    assert done.returncode == 1
    assert done.stderr.startswith("warning: whist-family:whist/no-hostage: a play does not fit")
    assert (tmp_path / "out" / "index.html").exists()


def test_bad_input_writes_nothing(tmp_path: Path) -> None:
    """Exit code 2, one line that says what is wrong, no folder."""
    done = run("whist-family:boston", "-o", str(tmp_path / "out"), "--from", saved(tmp_path, *RESULTS))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: no verdicts of 'whist-family:boston'; there are verdicts of whist-family:whist\n"
    assert not (tmp_path / "out").exists()
