"""Models in files of one's own are proved whatever values they have: a file is imported once for a proof."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.api.models import ModelChoice
from tidegate.api.proving import bind_for_proof, prepare_induction
from tidegate.language.proof import Proof

from ..explorer.smt.test_induction import Wrong

UNION = {"asks": ("Annotated[Set[Ask | Note], Capacity(top)]", "Set()"), "x": ("Number", "0")}
BAG = Wrong(
    {"asks": ("Annotated[Bag[Ask], Capacity(4)]", "Bag()"), "x": ("Number", "0")},
    {
        "send n: Number": "limit(len(s.asks) < 4)\ns.asks.add(Ask(number=n, hint=None))",
        "take ask: Ask": "s.asks.remove(ask)\ns.x = ask.number",
    },
)
PAIR = {"pair": ("tuple[Mode, Number]", "(Mode.A, 0)")}
ROW = {"row": ("Annotated[Seq[Number], Capacity(top)]", "Seq()")}
PUSH = {"push": "limit(len(s.row) < top)\ns.row.append(0)"}
LAST_BUT_ONE = "require(len(s.row) > 1 and s.row[top - 2] == 0)\n"

PROVED = {
    "a union of records as messages": Wrong(
        UNION,
        {
            "send n: Number": "limit(len(s.asks) < top)\ns.asks.add(Ask(number=n, hint=None))",
            "note": "limit(len(s.asks) < top)\ns.asks.add(Note(number=0))",
            "take m: Ask | Note": "s.asks.remove(m)\nmatch m:\n    case Ask(number=x):\n        s.x = x\n"
            "    case Note(number=y):\n        s.x = y",
        },
    ),
    "an enumeration in a tuple": Wrong(PAIR, {"go": "s.pair = (Mode.B, 0) if s.pair[0] == Mode.A else (Mode.A, 0)"}),
}

KINDS = '''

class Mode(Enum):
    """A mode."""

    A = "a"
    B = "b"


@record
class Note:
    """A message of another kind."""

    number: Number


@record
class Grant:
    """A message with sets in it, which other kinds do not have."""

    given: Set[Positive]
    owned: Option[Set[Positive]]
'''


def prove(model: Wrong, folder: Path) -> Proof:
    """The proof of a model in a file, as its path names it."""
    path = folder / "model.py"
    path.write_text(model.text().replace("\n@record\nclass Ask", f"{KINDS}\n\n@record\nclass Ask"), encoding="utf-8")
    definition, bound = bind_for_proof(ModelChoice(str(path)))
    return prepare_induction(definition, bound, {"workers": 1}, cache=False).prove(lambda _: None)


@pytest.mark.parametrize("name", PROVED)
def test_a_model_in_a_file_of_ones_own_is_proved(name: str, tmp_path: Path) -> None:
    assert prove(PROVED[name], tmp_path).word == "proved"


def test_messages_within_a_capacity_that_is_a_number_are_taken_from_those_that_are_there(tmp_path: Path) -> None:
    """A message that is taken is one of the slots of a bag, and no other number of a slot."""
    proof = prove(BAG, tmp_path)
    assert [finding.obligation for finding in proof.findings if finding.word != "proved"] == []


def test_a_copy_whose_bounds_are_too_small_for_the_text_is_left_out(tmp_path: Path) -> None:
    """With top=1 the index is -1 whatever the state is. The counterexample is in a larger copy."""
    proof = prove(Wrong(ROW, {**PUSH, "hit": LAST_BUT_ONE + "s.bad = True"}), tmp_path)
    refuted = [finding for finding in proof.findings if finding.word == "refuted"]
    assert [finding.obligation.action for finding in refuted if finding.obligation.goal == "never_bad"] == ["hit"]


@pytest.mark.parametrize(("given", "word"), [("[n]", "proved"), ("[n, 1]", "refuted")])
def test_a_union_whose_records_have_sets_without_an_end(given: str, word: str, tmp_path: Path) -> None:
    """That an absent set is empty takes a quantifier, and is not said; what the sets have that are there is."""
    model = Wrong(
        {"last": ("Option[Note | Grant]", "None"), "held": ("Set[Positive]", "Set()")},
        {
            "note": "s.last = Note(number=0)",
            "grant n: Positive": f"s.last = Grant(given=Set({given}), owned=None)\ns.held = s.held | Set([n])",
        },
        says="s.last is None or isinstance(s.last, Note) or all(p in s.held for p in s.last.given)",
    )
    proof = prove(model, tmp_path)
    words = {
        finding.obligation.action: finding.word for finding in proof.findings if finding.obligation.goal == "never_bad"
    }
    assert words["grant"] == word
