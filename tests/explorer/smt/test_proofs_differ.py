"""Random small models with random lemmas: whatever is proved of them holds in every instance that can be searched,
and folding nodes that no text distinguishes makes no other answer."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.errors import NotUnboundedError
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import Definition, load
from tidegate.language.errors import ModelErrors
from tidegate.language.proof import Proof
from tidegate.language.values import ModelError

from ...support.shipped import tier_parameters
from .test_induction import Wrong

FIELDS = {
    "x": ("Number", "0"),
    "y": ("Number", "top"),
    "z": ("Signed", "0"),
    "row": ("Annotated[Seq[Number], Capacity(top)]", "Seq()"),
    "m": ("Map[Number, Number]", "Map({i: 0 for i in range(top + 1)})"),
    "n": ("Map[Node, Number]", "Map({r: 1 for r in Node})"),
    "asks": ("Annotated[Set[Ask], Capacity(4)]", "Set()"),
    "found": ("Option[Positive]", "None"),
    "seen": ("Set[Number]", "Set()"),
    "pair": ("tuple[Number, bool]", "(0, False)"),
    "last": ("Ask | Halt | None", "None"),
    "groups": ("Set[Set[Node]]", "Set()"),
}
ATOMS = (
    "s.x {c} s.y", "s.x {c} top", "s.y {c} {k}", "s.z {c} -top", "len(s.row) {c} s.x", "len(s.row) {c} top",
    "s.found is None", "s.bad", "s.x in s.seen", "s.m[s.x] {c} s.y", "all(v {c} s.x for v in s.row)",
    "any(v {c} {k} for v in s.row)", "all(s.m[i] {c} {k} for i in range(top + 1))",
    "any(s.m[i] {c} i for i in range(s.x + 1))", "all(s.n[r] {c} {k} for r in Node)",
    "any(s.n[r] {c} s.x for r in Node)",
    "Ask(number=s.x, hint=None) in s.asks", "Ask(number={k}, hint=s.found) in s.asks",
    "max((v for v in s.row), default=0) {c} s.x",
    "min((i for i in range(top + 1) if s.m[i] == {k}), default=0) {c} s.x",
    "sum(1 for r in Node if s.n[r] == {k}) {c} 1", "s.x + s.y {c} top", "2 * s.x {c} top", "s.x % 2 {c} {k} % 2",
    "s.pair[0] {c} s.x", "s.pair == (s.y, s.bad)", "s.pair[1]",
    "s.last is None", "isinstance(s.last, Halt)", "s.last == Ask(number=s.x, hint=None)",
    "isinstance(s.last, Ask) and s.last.number {c} s.y", "any(s.last == Halt(by=r) for r in Node)",
    "below(s.x) {c} s.y", "all(below(s.n[r]) {c} {k} for r in Node)",
    "Set(Node) in s.groups", "any(len(group) {c} {k} for group in s.groups)", "len(s.groups) {c} {k}",
    "all(s.n[r] {c} {k} for group in s.groups for r in group)", "Set(r for r in Node if s.n[r] {c} {k}) in s.groups",
    "any(2 // s.n[r] {c} {k} for r in Node)", "all(s.n[r] == 0 or 2 // s.n[r] {c} {k} for r in Node)",
    "any(s.n[r] {c} {k} and s.n[q] // s.n[r] {c} {k} for r in Node for q in Node)",
)  # fmt: skip
WRITES = (
    "s.x = min(s.x + 1, top)", "s.x = max(s.x - 1, 0)", "s.y = s.x", "s.x = {k}", "s.x = s.y", "s.y = max(top - 1, 0)",
    "s.z = -s.x", "s.z = max(s.z - 1, -top)", "s.m[s.x] = s.y", "s.m = Map({{i: min(i, s.x) for i in range(top + 1)}})",
    "s.row = s.row[1:]", "s.row.truncate(min(s.x, len(s.row)))", "if len(s.row) < top:\n    s.row.append(s.x)",
    "s.row = (Seq([s.y]) + s.row)[0:top]", "s.row = Seq()\nfor i in range(s.x):\n    s.row.append(i)",
    "s.found = None", "s.found = max(s.x, 1)", "s.seen.add(s.x)", "s.seen.discard(s.y)", "s.bad = True",
    "s.bad = False",
    "s.asks.add(Ask(number={k}, hint=None))", "s.asks.discard(Ask(number=s.x, hint=s.found))",
    "s.n[r] = {k}", "s.n[r] = s.x", "s.x += 1", "s.bad = {t}",
    "s.pair = (s.x, s.bad)",
    "match s.pair:\n    case (v, True):\n        s.x = v\n    case (v, False):\n        s.y = v",
    "if s.x == s.y:\n    return\ns.pair = (s.y, not s.pair[1])",
    "s.last = None", "s.last = Halt(by=r)", "s.last = Ask(number={k}, hint=s.found)",
    "match s.last:\n    case Ask(number=n):\n        s.x = n\n    case Halt():\n        s.bad = {t}\n    case _:\n"
    "        s.y = {k}",
    "s.groups.add(Set([r]))", "s.groups.add(Set())", "s.groups.discard(Set([r]))", "s.groups.add(Set(Node) - {{r}})",
    "s.groups.add(Set(q for q in Node if s.n[q] >= s.n[r]))", "s.x = min(below(s.x), top)", "s.n[r] = 2 // s.n[r]",
    "s.x = max((until(r, q) for q in Node), default=0)",
)  # fmt: skip
HEADS = ("r: Node", "r: Node, p: Number", "r: Node, ask: Annotated[Ask, Member('asks')]")


class Writer:
    """Writes a model with a lemma, from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def atom(self) -> str:
        """A condition without `and` and `or`."""
        chosen = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
        return f"({self.random.choice(ATOMS).format(c=chosen, k=self.random.choice('012'))})"

    def truth(self) -> str:
        """A condition."""
        one, other = (f"{'not ' * self.random.randint(0, 1)}{self.atom()}" for _ in range(2))
        return self.random.choice((one, f"({one} or {other})", f"({one} and {other})"))

    def action(self, number: int) -> tuple[str, str]:
        """A head and a body."""
        head = self.random.choice(HEADS)
        lines = [f"require({self.truth()})"] if self.random.random() < 0.8 else []
        if "ask:" in head and self.random.random() < 0.7:
            lines.append(self.random.choice(("require(ask.hint is None)", "require(ask.number == s.x)")))
        writes = [
            self.random.choice(WRITES).format(k=self.random.choice("01"), t=self.truth())
            for _ in range(self.random.randint(1, 2))
        ]
        if "p:" in head:
            writes.append(self.random.choice(("s.x = p", "s.seen.add(p)", "s.m[p] = s.x")))
        return f"step{number} {head}", "\n".join([*lines, *writes])

    def text(self) -> str:
        """The whole text."""
        actions = dict(self.action(number) for number in range(self.random.randint(1, 3)))
        return Wrong(FIELDS, actions, self.truth()).text()


def proof_of(definition: Definition) -> Proof | None:
    """What can be proved quickly; None where the text has no meaning without bounds, or a first state breaks it."""
    with suppress(NotUnboundedError, ModelError):
        asked = ProofRequest(workers=1, effort=SolverEffort(work=1.0, seeds=(0,)))
        return Induction(definition, definition.bind(), asked).prove(lambda _: None)
    return None


def assert_true(definition: Definition, top: int) -> None:
    """What was proved holds in an instance, as far as a few seconds reach, and nothing breaks there."""
    model = definition.bind(constants={"top": top}, properties=["never_bad"])
    verdict = ENGINES["python"](model, Search(seconds=2.0), None)
    assert verdict.outcome not in ("safety", "model_error"), verdict


@pytest.mark.parametrize("examples", tier_parameters((3, 6, 12), (3).__eq__, long=(6).__eq__))
def test_what_is_proved_holds_in_every_instance(examples: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])
    @given(seed=st.integers(0, 2**32))
    def try_one(seed: int) -> None:
        check_seed(tmp_path_factory.mktemp("random"), seed)

    try_one()


def check_seed(folder: Path, seed: int) -> str:
    """Proves a random model, and searches its instances if it is proved. Where its nodes are distinguished, that is not
    refuted then; nor is it proved where a model whose nodes stand for one another is refuted. Answers the word."""
    path, apart = folder / "model.py", folder / "apart.py"
    text = Writer(seed).text()
    path.write_text(text, encoding="utf-8")
    apart.write_text(text.replace("size=3, symmetric=True", "size=3"), encoding="utf-8")
    try:
        definition = load(path)
        proof = proof_of(definition)
        unfolded = proof_of(load(apart))
    except ModelErrors:
        return "no model"
    word = "none" if proof is None else proof.word
    assert {word, "none" if unfolded is None else unfolded.word} != {"proved", "refuted"}, text
    if word == "proved":
        for top in (1, 2, 3):
            assert_true(definition, top)
    return word
