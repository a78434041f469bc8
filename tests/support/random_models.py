"""Random models: the source text of small models over every type and construct of the language, made type by type so
that nearly all of them mean something. What they mean does not matter; that all engines agree on it does.

    texts()             a Hypothesis strategy of texts
    text(seed, size)    one of them
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import indent

from hypothesis import strategies as st

from .random_kinds import (
    BIG,
    BOOL,
    COLOR,
    FAMILIES,
    FLAT,
    FREE,
    HEADER,
    KEYS,
    LISTED,
    LITERALS,
    MEMBERS,
    MESSAGE,
    NODE,
    PARTS,
    PLAIN,
    POOLS,
    POT,
    SCALARS,
    SEAT,
    SIGNED,
    SMALL,
    VARIANTS,
    WRAPPED,
    Kind,
    map_,
    seq,
    set_,
)
from .random_parts import union_match, unpacking
from .random_steps import StepText, call_of, piece_write, step_helpers


@dataclass(slots=True)
class Writer:
    """Writes one model. `states` are the names that stand for states where text is being written; `names` the local
    ones."""

    random: random.Random
    size: int
    fields: dict[str, Kind] = field(default_factory=dict[str, Kind])
    names: dict[str, Kind] = field(default_factory=dict[str, Kind])
    states: tuple[str, ...] = ("s",)
    loops: set[str] = field(default_factory=set[str])
    ghosts: bool = False
    count: int = 0
    steps: list[StepText] = field(default_factory=list[StepText])
    pieces: dict[str, Kind] = field(default_factory=dict[str, Kind])
    recursion: bool = False

    def chance(self, share: float) -> bool:
        """True that often."""
        return self.random.random() < share

    def pick(self, *choices: Callable[[], str]) -> str:
        """One of the ways to go on."""
        return self.random.choice(choices)()

    def fresh(self, stem: str) -> str:
        """A name that is used nowhere else."""
        self.count += 1
        return f"{stem}{self.count}"

    # --- reading ------------------------------------------------------------------------------------------------------

    def paths(self, wanted: Callable[[Kind], bool], depth: int = 1) -> list[str]:
        """Everything readable whose type is wanted."""
        roots = [(name, kind) for name, kind in self.names.items()]
        for name, kind in self.fields.items():
            if self.ghosts or not name.startswith("ghost"):
                roots += [(f"{state}.{name}", kind) for state in self.states]
        found = list[str]()
        for text, kind in roots:
            self._descend(text, kind, wanted, depth, found)
        return found

    def _descend(self, text: str, kind: Kind, wanted: Callable[[Kind], bool], depth: int, found: list[str]) -> None:
        if wanted(kind):
            found.append(text)
        if kind.form == "map" and depth >= 0:
            self._descend(f"{text}[{self.value(kind.of[0], 0)}]", kind.of[1], wanted, depth - 1, found)
        if kind.form == "record":
            for name, part in PARTS[kind.text].items():
                self._descend(f"{text}.{name}", part, wanted, depth, found)
        if kind.form == "tuple":
            for at, part in enumerate(kind.of):
                self._descend(f"{text}[{at}]", part, wanted, depth, found)
        if kind.form == "union" and depth >= 0 and self.random.random() < 0.9 and wanted(SMALL):
            found.append(f"({text}.number if isinstance({text}, Flat | Ping) else 0)")
        if kind.form == "seq" and depth >= 0 and kind.of[0].form != "seq" and wanted(kind.of[0]):
            index = self.value(SMALL, 0)
            found.append(f"({text}[{index}] if {index} < len({text}) else {self.value(kind.of[0], 0)})")

    def some_path(self, wanted: Callable[[Kind], bool]) -> str | None:
        """A readable thing of a wanted type, if there is any."""
        found = self.paths(wanted)
        return self.random.choice(found) if found else None

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, kind: Kind, depth: int) -> str:
        """An expression of a type."""
        if depth > 0 and self.chance(0.15):
            return f"({self.value(kind, depth - 1)} if {self.truth(depth - 1)} else {self.value(kind, depth - 1)})"
        if depth > 0 and self.chance(0.55):
            path = self.some_path(lambda candidate: candidate == kind)
            if path is not None:
                return path
        return getattr(self, "_" + kind.form.replace(" ", "_"))(kind, depth)

    def _int(self, kind: Kind, depth: int) -> str:
        if depth <= 0:
            own = [name for name, bound in self.names.items() if bound == kind]
            return self.random.choice([*LITERALS[kind.text], *own, *own])
        return WRAPPED[kind.text].format(self.number(depth))

    def _bool(self, kind: Kind, depth: int) -> str:
        own = [name for name, bound in self.names.items() if bound == kind]
        return self.truth(depth) if depth > 0 else self.random.choice([*own, "True", "False", "quick"])

    def _enum(self, kind: Kind, depth: int) -> str:
        own = [name for name, bound in self.names.items() if bound == kind]
        return self.random.choice([*own, "Color.RED", "Color.GREEN", "Color.BLUE"])

    def _domain(self, kind: Kind, depth: int) -> str:
        own = [name for name, bound in self.names.items() if bound == kind]
        if kind == SEAT and depth > 0:
            return self._seat(depth - 1)
        return self.random.choice(own) if own else MEMBERS[kind.text]

    def _seat(self, depth: int) -> str:
        """A member of the ordered domain."""
        return self.pick(
            lambda: f"next({self.value(SEAT, depth)})",
            lambda: f"previous({self.value(SEAT, depth)})",
            lambda: f"Seat(({self.number(depth)}) % len(Seat))",
            lambda: f"Seat({self.value(SMALL, 0)})" if self.chance(0.3) else "Seat(0)",
            lambda: f"{self.extreme()}({self.value(SEAT, depth)}, {self.value(SEAT, depth)})",
            lambda: self._write_choice(SEAT, "default=Seat(0)", depth),
        )

    def _write_choice(self, kind: Kind, default: str, depth: int) -> str:
        """One of several members: the least, the greatest, or the first."""
        name = self.fresh("c")
        self.names[name] = kind
        truth = self.truth(depth)
        del self.names[name]
        loop = f"({name} for {name} in {self.members(kind)} if {truth})"
        instead = f"choose({loop[1:-1]})" if self.chance(0.5) else "Seat(0)"
        other = f"({instead} if any({truth} for {name} in {self.members(kind)}) else Seat(0))"
        return self.pick(lambda: f"{self.extreme()}({loop}, {default})", lambda: other, lambda: other)

    def _option(self, kind: Kind, depth: int) -> str:
        return "None" if self.chance(0.3) else self.value(kind.of[0], depth - 1)

    def _record(self, kind: Kind, depth: int) -> str:
        path = self.some_path(lambda candidate: candidate == kind) if depth > 0 and self.chance(0.4) else None
        if path is not None:
            name, part = self.random.choice(list(PARTS[kind.text].items()))
            return f"replace({path}, {name}={self.value(part, depth - 1)})"
        return f"{kind.text}({', '.join(self.value(part, depth - 1) for part in PARTS[kind.text].values())})"

    def _tuple(self, kind: Kind, depth: int) -> str:
        return f"({', '.join(self.value(part, depth - 1) for part in kind.of)})"

    def _union(self, kind: Kind, depth: int) -> str:
        return self.value(self.random.choice(VARIANTS), depth - 1)

    def _map(self, kind: Kind, depth: int) -> str:
        key, value = kind.of
        name = self.fresh("k")
        self.names[name] = key
        made = f"Map({{{name}: {self.value(value, depth - 1)} for {name} in {self.members(key)}}})"
        del self.names[name]
        return made

    def members(self, kind: Kind) -> str:
        """Every value of a scalar type, to loop over."""
        own = {"Small": ("range(top + 1)", "Small"), "Signed": ("range(-2, 2)", "Signed"), "bool": ("(False, True)",)}
        return self.random.choice(own.get(kind.text, (kind.text,)))

    def _seq(self, kind: Kind, depth: int) -> str:
        path = self.some_path(lambda candidate: candidate == kind) if depth > 0 and self.chance(0.5) else None
        if path is None:
            return "Seq()" if self.chance(0.4) or depth <= 0 else f"Seq([{self.value(kind.of[0], depth - 1)}])"
        kept = f"{path}[{self.value(SMALL, 0)}:{self.value(SMALL, 0)}]" if self.chance(0.5) else f"{path}[1:]"
        added = "Seq()" if depth <= 1 else f"Seq([{self.value(kind.of[0], depth - 2)}])"
        return self.pick(
            lambda: kept,
            lambda: f"{path}[1:] + {added}",
            lambda: f"{added} + {path}[1:]",
            lambda: f"({path} + {path})[: {kind.capacity}]",
        )

    def _set(self, kind: Kind, depth: int) -> str:
        of = kind.of[0]
        path = self.some_path(lambda candidate: candidate == kind) if depth > 0 else None
        if path is None or self.chance(0.3):
            return "Set()" if self.chance(0.4) else f"Set([{self.value(of, depth - 1)}])"
        name = self.fresh("e")
        self.names[name] = of
        collected = f"{{{name} for {name} in {path} if {self.truth(depth - 1)}}}"
        del self.names[name]
        return self.pick(
            lambda: f"({path} {self.random.choice('|&-^')} {{{self.value(of, depth - 1)}}})",
            lambda: f"({path} {self.random.choice('|&-^')} {self.some_path(lambda candidate: candidate == kind)})",
            lambda: collected,
        )

    def _set_of_records(self, kind: Kind, depth: int) -> str:
        of, path = kind.of[0], self.some_path(lambda candidate: candidate == kind) if depth > 0 else None
        if path is None or self.chance(0.2):
            return "Set()"
        name = self.fresh("e")
        self.names[name] = of
        kept = f"{{{name} for {name} in {path} if {self.truth(depth - 1)}}}"
        made = f"{{{self.value(of, depth - 1)} for {name} in {path}}}"
        del self.names[name]
        return self.pick(
            lambda: kept,
            lambda: made,
            lambda: f"({path} {self.random.choice('|&-^')} {kept})",
            lambda: f"({path} {self.random.choice('|&-^')} {{{self.value(of, depth - 1)}}})",
            lambda: f"({path} {self.random.choice('|&-^')} {self.some_path(lambda candidate: candidate == kind)})",
        )

    def _bag_of_records(self, kind: Kind, depth: int) -> str:
        return "Bag()"

    # --- numbers and truths -------------------------------------------------------------------------------------------

    def number(self, depth: int) -> str:
        """An integer expression of any range."""
        if depth <= 0:
            return self.pick(
                lambda: self.value(SMALL, 0), lambda: self.value(SIGNED, 0), lambda: self.random.choice("01234")
            )
        return self.pick(
            lambda: self.some_path(lambda candidate: candidate.form == "int") or "1",
            lambda: self.some_path(lambda candidate: candidate.form == "int") or "2",
            lambda: self._length() or "len(Color)",
            lambda: f"({self.number(depth - 1)} {self.random.choice('+-*')} {self.number(depth - 1)})",
            lambda: f"({self.number(depth - 1)} {self.random.choice(('//', '%'))} {self._divisor(depth - 1)})",
            lambda: f"{self.random.choice(('min', 'max'))}({self.number(depth - 1)}, {self.number(depth - 1)})",
            lambda: self._total(depth - 1),
            lambda: f"({self.number(depth - 1)} if {self.truth(depth - 1)} else {self.number(depth - 1)})",
            lambda: f"helped({self.number(depth - 1)}, {self.value(SMALL, 0)})",
            lambda: f"called({self.value(SMALL, depth - 1)}, {self.value(COLOR, 0)})" if self.recursion else "3",
            lambda: f"position({self.value(SEAT, depth - 1)})",
            lambda: f"position({self._write_choice(SEAT, 'default=Seat(0)', depth - 1)})",
            lambda: f"({self.number(0)}) ** min(max({self.number(0)}, 0), 3)",
            lambda: self._write_indexed_sum(depth - 1),
            lambda: f"ROW[{self.value(SMALL, 0)} % 3]",
        )

    def _write_indexed_sum(self, depth: int) -> str:
        """A sum over a sequence with its indexes, or over two side by side."""
        kinds = [held for held in self.holding("seq") if held.of[0] == SMALL]
        paths = [path for kind in kinds for path in self.paths(lambda candidate, kind=kind: candidate == kind, 0)]
        if not paths or self.chance(0.3):
            i, x = self.fresh("i"), self.fresh("x")
            source, kinds = self.random.choice((
                ("enumerate(Seat)", (SMALL, SEAT)), ("zip(range(2), Seat)", (SMALL, SEAT)),
                ("zip(Color, Seat)", (COLOR, SEAT)), ("enumerate(Color)", (SMALL, COLOR)),
            ))  # fmt: skip
            self.names |= {i: kinds[0], x: kinds[1]}
            made = f"sum({self.number(depth)} for {i}, {x} in {source})"
            del self.names[i], self.names[x]
            return made
        one, other = self.random.choice(sorted(paths)), self.random.choice(sorted(paths))
        i, x = self.fresh("i"), self.fresh("x")
        source = self.random.choice((f"enumerate({one})", f"zip({one}, {other})"))
        self.names[i], self.names[x] = SMALL, SMALL
        made = f"sum({self.number(depth)} + {i} * {x} for {i}, {x} in {source})"
        del self.names[i], self.names[x]
        return made

    def extreme(self) -> str:
        """`min` or `max`."""
        return self.random.choice(("min", "max"))

    def holding(self, *forms: str) -> list[Kind]:
        """The types in sight of these forms, in a fixed order."""
        return sorted((kind for kind in self.every_kind() if kind.form in forms), key=lambda kind: kind.text)

    def _divisor(self, depth: int) -> str:
        if self.chance(0.03):
            return f"({self.number(depth)})"
        return self.random.choice(("2", "3", "-2", f"max(1, {self.number(depth)})"))

    def _length(self) -> str | None:
        path = self.some_path(lambda candidate: candidate.form in ("seq", "set", "set of records", "bag of records"))
        return None if path is None else f"len({path})"

    def _total(self, depth: int) -> str:
        return self._write_comprehension(
            depth,
            lambda generators: self.pick(
                lambda: f"sum({self.number(depth)} {generators})",
                lambda: f"sum(1 {generators} if {self.truth(depth)})",
                lambda: f"{self.extreme()}(({self.number(depth)} {generators}), default={self.number(0)})",
            ),
        )

    def _write_comprehension(self, depth: int, body: Callable[[str], str]) -> str:
        """A comprehension: its generators, and then its body, in which their variables are known."""
        outer, generators = dict(self.names), list[str]()
        for _ in range(2 if depth > 0 and self.chance(0.25) else 1):
            source, of = self._source()
            name = self.fresh("x")
            generators.append(f"for {name} in {source}")
            self.names[name] = of
            if self.chance(0.3):
                generators.append(f"if {self.truth(0)}")
        made = body(" ".join(generators))
        self.names = outer
        return made

    def _source(self) -> tuple[str, Kind]:
        holders = [
            (text, kind)
            for kind in {
                held for held in self.every_kind() if held.form in ("seq", "set", "set of records", "bag of records")
            }
            for text in self.paths(lambda candidate, kind=kind: candidate == kind, 0)
        ]
        if holders and self.chance(0.6):
            text, kind = self.random.choice(sorted(holders, key=lambda holder: holder[0]))
            return text, kind.of[0]
        kind = self.random.choice((NODE, COLOR, POT, SMALL, SEAT))
        return self.members(kind), kind

    def every_kind(self) -> set[Kind]:
        """The types of everything in sight, parts included."""
        found, waiting = set[Kind](), [*self.fields.values(), *self.names.values()]
        while waiting:
            kind = waiting.pop()
            if kind not in found:
                found.add(kind)
                waiting += [*kind.of, *(VARIANTS if kind == MESSAGE else ()), *PARTS.get(kind.text, {}).values()]
        return found

    def truth(self, depth: int) -> str:
        """A bool expression."""
        if depth <= 0:
            return self.pick(
                lambda: self.some_path(lambda candidate: candidate == BOOL) or "quick",
                lambda: f"{self.value(SMALL, 0)} {self.random.choice(('<', '==', '>='))} {self.value(SMALL, 0)}",
                lambda: self._sameness(0),
            )
        return self.pick(
            lambda: f"{self.number(depth - 1)} {self.random.choice(('<', '<=', '==', '!='))} {self.number(depth - 1)}",
            lambda: f"{self.number(depth - 1)} < {self.number(depth - 1)} <= {self.number(depth - 1)}",
            lambda: f"({self.truth(depth - 1)} and {self.truth(depth - 1)})",
            lambda: f"({self.truth(depth - 1)} or {self.truth(depth - 1)})",
            lambda: f"(not {self.truth(depth - 1)})",
            lambda: self._sameness(depth - 1),
            lambda: f"{self.number(depth - 1)} in {self.numbers_set()}",
            lambda: self._which(),
            lambda: self._sameness(depth - 1),
            lambda: f"{self.numbers_set()} {self.random.choice(('==', '!=', '<=', '<', '>='))} {self.numbers_set()}",
            lambda: self._which(),
            lambda: self._write_within(depth - 1),
            lambda: self._absent(),
            lambda: self._majority(),
            lambda: f"{self.value(SEAT, depth - 1)} {self.random.choice(('<', '<=', '>', '>='))} {self.value(SEAT, 0)}",
            lambda: self._some_set(depth - 1),
            lambda: self._write_comprehension(
                depth - 1,
                lambda generators: f"{self.random.choice(('all', 'any'))}({self.truth(depth - 1)} {generators})",
            ),
        )

    def numbers_set(self) -> str:
        """A set of numbers: a table, a field, or both together; they have room for different numbers."""
        found = self.paths(lambda candidate: candidate in (set_(SMALL), set_(SIGNED)), 0)
        one, other = (self.random.choice((*found, "ODD", "EVEN", "LOW", "NEAR[Color.RED]")) for _ in range(2))
        return self.pick(
            lambda: one,
            lambda: f"({one} {self.random.choice('|&-^')} {other})",
            lambda: f"({self.random.choice(('ODD', 'LOW'))} | {{{self.value(SMALL, 0)}, {self.value(SIGNED, 0)}}})",
            lambda: f"({one} if {self.truth(0)} else {other})",
        )

    def _sameness(self, depth: int) -> str:
        kinds = sorted((drawn for drawn in self.every_kind() if "bag" not in drawn.form), key=lambda drawn: drawn.text)
        kind = self.random.choice(kinds)
        path = self.some_path(lambda candidate: candidate == kind)
        if path is None or kind.form == "bool":
            return "quick"
        if kind.form in ("set", "set of records") and self.chance(0.3):
            return (
                f"{path} {self.random.choice(('<=', '<', '>='))} {self.some_path(lambda candidate: candidate == kind)}"
            )
        other = self.some_path(lambda candidate: candidate == kind) if self.chance(0.5) else self.value(kind, depth)
        return f"({path} {self.random.choice(('==', '!='))} {other})"

    def _write_within(self, depth: int) -> str:
        kinds = self.holding("seq", "set", "set of records", "bag of records")
        if not kinds:
            return "quick"
        kind = self.random.choice(kinds)
        path = self.some_path(lambda candidate: candidate == kind)
        return (
            "quick"
            if path is None
            else f"({self.value(kind.of[0], depth)} {self.random.choice(('in', 'not in'))} {path})"
        )

    def _some_set(self, depth: int) -> str:
        """A claim of some or all sets."""
        kind = self.random.choice((NODE, COLOR, SEAT))
        path = self.some_path(lambda candidate: candidate == set_(kind)) if self.chance(0.5) else None
        name = self.fresh("u")
        self.names[name] = set_(kind)
        truth = self.truth(depth)
        del self.names[name]
        return f"{self.random.choice(('any', 'all'))}({truth} for {name} in subsets({path or kind.text}))"

    def _absent(self) -> str:
        path = self.some_path(lambda candidate: candidate.form == "option")
        return "quick" if path is None else f"({path} is {self.random.choice(('', 'not '))}None)"

    def _majority(self) -> str:
        path = self.some_path(lambda candidate: candidate == set_(NODE))
        return "quick" if path is None else f"is_majority({path})"

    def _which(self) -> str:
        """Which record of a union something is."""
        path = self.some_path(
            lambda candidate: candidate.form == "union" or (candidate.form == "option" and candidate.of[0] == MESSAGE)
        )
        return "quick" if path is None else f"isinstance({path}, {self.random.choice(('Flat', 'Quit', 'Ping | Quit'))})"

    # --- statements ---------------------------------------------------------------------------------------------------

    def places(self) -> list[tuple[str, Kind]]:
        """Everything that can be written."""
        found, waiting = list[tuple[str, Kind]](), [(f"s.{name}", kind) for name, kind in self.fields.items()]
        if self.pieces:
            waiting = list(self.pieces.items())
        while waiting:
            text, kind = waiting.pop(0)
            found.append((text, kind))
            if kind.form == "map":
                waiting.append((f"{text}[{self.value(kind.of[0], 0)}]", kind.of[1]))
        return found

    def block(self, depth: int, most: int) -> str:
        """Some statements; names bound inside end with it."""
        outer = dict(self.names)
        lines = [self.statement(depth) for _ in range(self.random.randint(1, most))]
        self.names = outer
        return "\n".join(lines)

    def statement(self, depth: int) -> str:
        """One statement."""
        ways = [self._write, self._write, self._write, self._bind, self._bind_again, self._keep, self._drain]
        if self.pieces:
            ways = [self._write, self._write, self._bind, self._bind_again]
        elif self.steps and self.states:
            ways += [lambda: call_of(self, guarded=False) or self._write()] * 2
        if depth > 0:
            ways += [lambda: self._if(depth), lambda: self._for(depth), lambda: self._match(depth)]
            ways += [] if self.pieces else [lambda: unpacking(self), lambda: union_match(self, depth)]
        return self.random.choice(ways)()

    def _write(self) -> str:
        text, kind = self.random.choice(self.places())
        if text in self.pieces:
            return piece_write(self, text, kind)
        self.ghosts = text.startswith("s.ghost")
        made = self.write_to_cell(text, kind)
        self.ghosts = False
        return made

    def write_to_cell(self, text: str, kind: Kind) -> str:
        """A write to a cell."""
        of = kind.of[0] if kind.of else kind
        match kind.form:
            case "seq":
                return self.pick(
                    lambda: f"if len({text}) < {kind.capacity}:\n    {text}.append({self.value(of, 2)})",
                    lambda: f"{text}.truncate(min({self.value(SMALL, 1)}, len({text})))",
                    lambda: f"if len({text}) > 1:\n    {text}[1] = {self.value(of, 1)}",
                    lambda: (
                        f"{text} = ({self.value(kind, 2)})[: {kind.capacity}]"
                        if self.chance(0.9)
                        else f"{text} = {self.value(kind, 2)}"
                    ),
                )
            case "set":
                return self.pick(
                    lambda: f"{text}.{self.random.choice(('add', 'discard'))}({self.value(of, 2)})",
                    lambda: f"{text} {self.random.choice('|&-^')}= {{{self.value(of, 1)}}}",
                    lambda: f"{text} = {self.value(kind, 2)}",
                )
            case "set of records" | "bag of records":
                return self.pick(
                    lambda: f"if len({text}) < {kind.capacity}:\n    {text}.add({self.value(of, 2)})",
                    lambda: f"{text}.discard({self.value(of, 2)})",
                    lambda: f"{text} = {self.value(kind, 2)}",
                )
            case "int" if self.chance(0.06):
                return f"{text} {self.random.choice('+-')}= 1"
            case _:
                return f"{text} = {self.value(kind, 3)}"

    def _bind(self) -> str:
        kind = self.random.choice(self.holding("int", "bool", "enum", "domain", "record", "map", "seq", "set"))
        path = self.some_path(lambda candidate: candidate == kind)
        if kind.form == "int" or path is None:
            kind, made = SMALL, self.value(SMALL, 2)
        else:
            made = path if self.chance(0.6) or kind.form in ("seq", "set", "map", "bool") else self.value(kind, 2)
        name = self.fresh("v")
        self.names[name] = kind
        return f"{name} = {made}" if made not in ("Set()", "Seq()") else "pass"

    def _keep(self) -> str:
        """A value made from the state is kept in a name, the state is written, and then the name is used."""
        kinds = self.holding("seq", "record")
        places = [(text, kind) for text, kind in self.places() if kind in kinds and not text.startswith("s.ghost")]
        if not places:
            return self._write()
        text, kind = self.random.choice(places)
        name = self.fresh("kept")
        if kind.form == "seq":
            added = f"Seq([{self.value(kind.of[0], 1)}])"
            made = self.pick(lambda: f"{text}[1:]", lambda: f"{added} + {text}", lambda: f"{text} + {added}")
            used = f"{text} = {name}[: {kind.capacity}]"
        else:
            part, of = self.random.choice(list(PARTS[kind.text].items()))
            made, used = f"replace({text}, {part}={self.value(of, 1)})", f"{text} = {name}"
        between = self.write_to_cell(text, kind)
        self.names[name] = kind
        other = self.statement(0)
        return "\n".join((f"{name} = {made}", between, other, used))

    def _drain(self) -> str:
        """A loop over something that its body changes."""
        holders = [
            (text, kind)
            for text, kind in self.places()
            if kind.form in ("seq", "set of records", "bag of records") and not text.startswith("s.ghost")
        ]
        if not holders:
            return self._write()
        text, kind = self.random.choice(holders)
        name, outer = self.fresh("i"), dict(self.names)
        self.names[name] = kind.of[0]
        self.loops.add(name)
        if kind.form == "seq":
            change = self.pick(lambda: f"{text} = {text}[1:]", lambda: f"{text}.truncate(len({text}) - 1)")
        else:
            change = f"{text}.remove({name})"
        used = self._use(name, kind.of[0])
        self.names = outer
        return f"for {name} in {text}:\n    {change}\n{indent(used, '    ')}"

    def _use(self, name: str, kind: Kind) -> str:
        """A write that depends on a name."""
        places = [text for text, stored in self.places() if stored == kind and not text.startswith("s.ghost")]
        if places:
            return f"{self.random.choice(places)} = {name}"
        if kind.form == "record" and "flat" not in PARTS[kind.text]:
            return f"s.number = {name}.number"
        if kind == SMALL:
            return f"s.number = ({name} + s.number) % (top + 1)"
        if kind == BIG:
            return f"s.number = ({name}.sizes[Color.RED] + {name}.flat.number) % (top + 1)"
        return f"s.number = (1 if {name} == {name} else 0) % (top + 1)"

    def _bind_again(self) -> str:
        own = [name for name, kind in self.names.items() if kind == SMALL and name not in self.loops]
        if not own:
            return self._write()
        name = self.random.choice(own)
        return f"{name} = {self.value(SMALL, 2)}"

    def _if(self, depth: int) -> str:
        made = f"if {self.truth(2)}:\n{indent(self.block(depth - 1, 2), '    ')}"
        if self.chance(0.3):
            made += f"\nelif {self.truth(1)}:\n{indent(self.block(depth - 1, 2), '    ')}"
        return made + (f"\nelse:\n{indent(self.block(depth - 1, 2), '    ')}" if self.chance(0.5) else "")

    def _for(self, depth: int) -> str:
        source, kind = self._source()
        if source.startswith("(") and " if " in source:
            source, kind = "Node", NODE
        name, outer = self.fresh("i"), dict(self.names)
        self.names[name] = kind
        self.loops.add(name)
        made = f"for {name} in {source}:\n{indent(self.block(depth - 1, 2), '    ')}"
        self.names = outer
        return made

    def _match(self, depth: int) -> str:
        path = self.some_path(lambda candidate: candidate == COLOR) or "Color.RED"
        first, second = (indent(self.block(depth - 1, 1), "        ") for _ in range(2))
        cases = f"    case Color.RED:\n{first}\n    case Color.GREEN | Color.BLUE if {self.truth(1)}:\n{second}\n"
        return f"match {path}:\n{cases}    case _:\n        pass"

    # --- the parts of a model -----------------------------------------------------------------------------------------

    def model(self) -> str:
        """The whole text."""
        self.fields = self._choose_fields()
        depth = self.random.choice(("top + 1", "top + 1", "1"))
        text = HEADER.format(top=self.random.choice("123"), quick=self.chance(0.5), symmetric=self.chance(0.6))
        declared = "\n".join(
            f"    {name}: {f'Ghost[{kind.text}]' if name.startswith('ghost') else kind.text}"
            for name, kind in self.fields.items()
        )
        text += (
            f'@state\nclass World:\n    """The state."""\n\n{declared}\n\n\n'
            + self._helper()
            + self._recursion(depth)
            + self._initial()
        )
        text += step_helpers(self)
        for number in range(self.size):
            text += self._action(number)
        text += self._property("invariant", 2, "s: World", ("s",)) + self._property("reachable", 1, "s: World", ("s",))
        text += self._property("transition", 1, "before: World, after: World", ("before", "after"))
        if self.chance(0.25):
            text += self._property("bound", 1, "s: World", ("s",))
        if self.chance(0.2):
            text += self._property("bound", 1, "before: World, after: World", ("before", "after"), "step_bound")
        return text + self._property("terminal", 1, "s: World", ("s",))

    def _choose_fields(self) -> dict[str, Kind]:
        chosen = {"number": SMALL, "node": NODE}
        for position in range(self.random.randint(2, 4)):
            kind = self.random.choice((*PLAIN, *FAMILIES))
            if self.chance(0.4) and kind not in FAMILIES:
                kind = map_(
                    self.random.choice(KEYS),
                    map_(self.random.choice(KEYS), self.random.choice(SCALARS)) if self.chance(0.2) else kind,
                )
            chosen[f"field{position}"] = kind
        if self.chance(0.7):
            chosen["notes"] = self.random.choice(POOLS)
        if self.chance(0.4):
            chosen["ghost"] = self.random.choice((SMALL, seq(SMALL, "2"), set_(COLOR)))
        return chosen

    def _initial(self) -> str:
        self.names, self.states = {"first": NODE, "on": BOOL}, ()
        values = ",\n".join(
            f"        {name}={'first' if name == 'node' else self.value(kind, 1)}" for name, kind in self.fields.items()
        )
        self.states = ("s",)
        head = '@initial\ndef start(first: Node, on: bool) -> World:\n    """The beginning."""\n'
        return f"{head}    return World(\n{values},\n    )\n\n\n"

    def _helper(self) -> str:
        self.names, self.states = {"number": SMALL, "other": SMALL}, ()
        condition, first = self.truth(2), f"min({self.number(1).replace('helped', 'max')}, 9)"
        text = f"""def helped(number: int, other: int) -> int:
    \"\"\"A helper.\"\"\"
    if {condition.replace("helped", "max")}:
        number = other
    for i in range(other):
        if i == number:
            return {first}
        other = other + i
    return number % 5 + other


"""
        self.states = ("s",)
        return text

    def _recursion(self, depth: str) -> str:
        """A helper that calls itself, now and then deeper than it says."""
        self.names, self.states = {"number": SMALL, "color": COLOR}, ()
        ends, value, more, after = self.truth(1), self.number(1), self.number(0), self.value(COLOR, 0)
        self.states = ("s",)
        self.recursion = True
        return f"""@recursive(depth={depth})
def called(number: int, color: Color) -> int:
    \"\"\"A helper that calls itself.\"\"\"
    if number <= 0 or {ends}:
        return min({value}, 9)
    return called(number - 1, {after}) + {more}


"""

    def _action(self, number: int) -> str:
        self.names, self.loops = {}, set()
        parameters = list[str]()
        for _ in range(self.random.choice((0, 1, 1, 2))):
            name = self.fresh("p")
            kind = self.random.choice((*SCALARS, NODE, set_(NODE), set_(COLOR), FLAT, FLAT, *LISTED, *self._free()))
            if kind == FLAT:
                notes = self.fields.get("notes")
                if notes is None:
                    continue
                kind = notes.of[0]
                parameters.append(f'{name}: Annotated[{kind.text}, Member("notes")]')
            else:
                parameters.append(f"{name}: {kind.text}")
            self.names[name] = kind
        lines = [f"require({self.truth(2)})" for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        if self.chance(0.08):
            path = self.some_path(lambda candidate: candidate.form == "seq" and candidate.of[0] == SMALL)
            lines.append(f"require({path or 'Seq([0])'}[0] < 2)")
        if self.chance(0.3):
            lines.insert(0, self._bind())
        if self.chance(0.4):
            lines.append(f"limit({self.truth(1)})")
        else:
            lines += [statement for statement in [call_of(self, guarded=True)] if statement]
        outer = dict(self.names)
        lines += [self.statement(2) for _ in range(self.random.randint(1, 3))]
        self.names = outer
        lines.append(self._write())
        mark = '@action(kind="fault", budget="faults")' if number == 1 and self.chance(0.6) else "@action"
        head = f'{mark}\ndef step{number}({", ".join(["s: World", *parameters])}) -> None:\n    """A step."""\n'
        return head + indent("\n".join(lines), "    ") + "\n\n\n"

    def _free(self) -> tuple[Kind, ...]:
        """The records that a parameter may be any of: no messages of them, or of a union with them, are held."""
        held = {of for kind in self.fields.values() if kind.form.endswith("of records") for of in kind.of}
        return tuple(kind for kind in FREE if kind not in held and MESSAGE not in held)

    def _property(self, role: str, most: int, parameters: str, states: tuple[str, ...], name: str = "") -> str:
        made = ""
        for number in range(self.random.randint(0, most)):
            self.names, self.states, self.ghosts = {}, states, role not in ("bound", "terminal")
            truth = self.truth(3)
            lines = f"    return {truth}\n"
            if self.chance(0.3):
                lines = f"    if {self.truth(1)}:\n        return {self.random.choice(('True', 'False'))}\n" + lines
            made += f'@{role}\ndef {name or role}{number}({parameters}) -> bool:\n    """A property."""\n{lines}\n\n'
            self.states, self.ghosts = ("s",), False
        return made


def text(seed: int, size: int = 3) -> str:
    """The text of the random model with a seed; `size` is how many actions it has."""
    return Writer(random.Random(seed), size).model()


def texts() -> st.SearchStrategy[str]:
    """Texts of random models."""
    return st.builds(text, st.integers(0, 2**32), st.integers(1, 4))
