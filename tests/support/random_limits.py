"""Random small models with limits, budgets and `@bound`s, and what is so of their runs by trying every set of states:
what claims of whole runs are tested against. The protocol without bounds is known too, so that it is seen whether an
answer is true of it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

World = tuple[int, bool, bool]
"""A state: where it is, and whether each of two nodes is on."""
Test = tuple[str, Callable[[World, int], bool]]
"""A condition as a model's text has it, and as it is evaluated of a state and a node."""
Move = tuple[str, Callable[[int], int]]
Turn = tuple[str, Callable[[bool], bool]]
RuleKind = Literal["protocol", "client", "fault"]
Kind = Literal[
    "always_possible", "leads_to", "initially_leads_to", "leads_to_always", "always_eventually", "eventually_always"
]
KINDS: tuple[Kind, ...] = (
    "always_possible", "leads_to", "leads_to", "initially_leads_to", "leads_to_always", "always_eventually",
    "eventually_always",
)  # fmt: skip
BEGINNINGS: tuple[World, ...] = ((0, False, False), (1, False, True))
"""The initial states: one, or both."""
PLACES = 3
NODES = (0, 1)


@dataclass(frozen=True)
class Rule:
    """An action: its guards and limits, where it goes to (None: nowhere), what becomes of a node (None: nothing)."""

    name: str
    kind: RuleKind
    of_a_node: bool
    guards: tuple[Test, ...]
    limits: tuple[Test, ...]
    moves: Move | None
    turns: Turn | None

    @property
    def nodes(self) -> tuple[int, ...]:
        """What its parameter ranges over."""
        return NODES if self.of_a_node else (0,)

    def next_state(self, state: World, node: int) -> World:
        """The state that it leads to."""
        at, on = state[0], list(state[1:])
        if self.moves is not None:
            at = self.moves[1](at)
        if self.turns is not None:
            on[node] = self.turns[1](on[node])
        return (at, *on)  # type: ignore[return-value]

    def text(self) -> str:
        """It in a model's text."""
        head = '@action(kind="client")' if self.kind == "client" else "@action"
        head = '@action(kind="fault")' if self.kind == "fault" else head
        lines = [
            head,
            f"def {self.name}(s: World{', node: Node' if self.of_a_node else ''}) -> None:",
            "    '''A step.'''",
        ]
        lines += [f"    require({text})" for text, _ in self.guards]
        lines += [f"    limit({text})" for text, _ in self.limits]
        lines += [f"    s.at = {self.moves[0]}"] if self.moves is not None else []
        lines += [f"    s.on[node] = {self.turns[0]}"] if self.turns is not None else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Fairly:
    """Fairness of some rules as one, or of each node."""

    strong: bool
    rules: tuple[str, ...]
    one_by_one: bool
    where: Test | None = None

    def text(self, condition: str) -> str:
        """It in a model's text, where its condition is called so."""
        apart = ", each='node'" if self.one_by_one else ""
        apart += "" if self.where is None else f", where={condition}"
        return f"{'strong' if self.strong else 'weak'}({', '.join(self.rules)}{apart})"

    def condition_text(self, condition: str) -> str:
        """Its condition in a model's text; empty where it has none."""
        if self.where is None:
            return ""
        parameter = ", node: Node" if "[node]" in self.where[0] else ""
        return f"def {condition}(s: World{parameter}) -> bool:\n    return {self.where[0]}\n\n\n"

    def of_state(self, group: frozenset[tuple[str, int]], state: World) -> frozenset[tuple[str, int]]:
        """What of a group is meant in a state."""
        where = self.where
        return group if where is None else frozenset(pair for pair in group if where[1](state, pair[1]))

    def groups(self) -> list[frozenset[tuple[str, int]]]:
        """What it is said of, one by one: pairs of a rule and a node."""
        if self.one_by_one:
            return [frozenset((rule, node) for rule in self.rules) for node in NODES]
        return [frozenset(itertools.product(self.rules, NODES))]


@dataclass(frozen=True)
class Claim:
    """A property: `then` is its predicate, and `when` what a `@leads_to` begins with."""

    name: str
    kind: Kind
    then: Test
    when: Test | None
    fairness: tuple[Fairly, ...]
    of_a_node: bool
    limiting_rules: tuple[str, ...] = ()

    def text(self) -> str:
        """It in a model's text."""
        parameter = ", node: Node" if self.of_a_node else ""
        named = [(f"{self.name}_where{at}", fairness) for at, fairness in enumerate(self.fairness)]
        fair, mine = [fairness.text(name) for name, fairness in named], self.then
        fair += [f"limits_of({', '.join(self.limiting_rules)})"] if self.limiting_rules else []
        before = ""
        if self.when is not None:
            mine, fair = self.when, [f"{self.name}_then", *fair]
            before = f"def {self.name}_then(s: World{parameter}) -> bool:\n    return {self.then[0]}\n\n\n"
        before += "".join(fairness.condition_text(name) for name, fairness in named)
        mark = f"@{self.kind}" if self.kind == "always_possible" else f"@{self.kind}({', '.join(fair)})"
        return (
            f"{before}{mark}\ndef {self.name}(s: World{parameter}) -> bool:\n    '''A claim.'''\n    return {mine[0]}"
        )


@dataclass(frozen=True)
class RandomModel:
    """A model: its rules, its `@bound` of states and of steps, and its claims."""

    rules: tuple[Rule, ...]
    state_bound: Test | None
    narrow: bool
    claims: tuple[Claim, ...]
    beginnings: int = 1

    def text(self) -> str:
        """It as a file, after the imports and `Node`."""
        parts = [
            "@state\nclass World:\n    '''Some place.'''\n"
            f"    at: Annotated[int, Range(0, {PLACES - 1})]  # where\n    on: Map[Node, bool]  # who is on",
            *map(_begin_text, range(self.beginnings)),
            *(rule.text() for rule in self.rules),
        ]
        if self.state_bound is not None:
            parts.append(f"@bound\ndef within(s: World) -> bool:\n    '''A bound.'''\n    return {self.state_bound[0]}")
        if self.narrow:
            parts.append("@bound\ndef narrow(s: World, after: World) -> bool:\n    '''A bound.'''\n"
                         "    return not (s.at == 2 and after.at == 0)")  # fmt: skip
        return "\n\n\n".join([*parts, *(claim.text() for claim in self.claims)]) + "\n"


def _begin_text(number: int) -> str:
    """An initial state in a model's text."""
    at, *on = BEGINNINGS[number]
    value = " or ".join(f"node == Node({node})" for node, is_on in enumerate(on) if is_on) or "False"
    return (
        f"@initial\ndef begin{number}() -> World:\n    '''It begins.'''\n"
        f"    return World(at={at}, on=Map({{node: {value} for node in Node}}))"
    )


def _place(chance: random.Random) -> Test:
    number = chance.randrange(PLACES)
    if chance.random() < 0.5:
        return f"s.at == {number}", lambda state, _: state[0] == number
    return f"s.at != {number}", lambda state, _: state[0] != number


def _node(chance: random.Random) -> Test:
    if chance.random() < 0.5:
        return "s.on[node]", lambda state, node: bool(state[1 + node])
    return "not s.on[node]", lambda state, node: not state[1 + node]


def _all(chance: random.Random) -> Test:
    if chance.random() < 0.5:
        return "any(s.on[other] for other in Node)", lambda state, _: any(state[1:])
    return "not all(s.on[other] for other in Node)", lambda state, _: not all(state[1:])


def _test(chance: random.Random, of_a_node: bool) -> Test:
    return chance.choice((_place, _place, _node if of_a_node else _all, _all))(chance)


def _moves(chance: random.Random) -> Move | None:
    to = chance.randrange(PLACES)
    moves: tuple[Move | None, ...] = (
        None,
        (str(to), lambda at: to),
        _forward(),
    )
    return chance.choice(moves)


def _forward() -> Move:
    return f"(s.at + 1) % {PLACES}", lambda at: (at + 1) % PLACES


def _turns(chance: random.Random) -> Turn:
    value = chance.random() < 0.5
    turns: tuple[Turn, ...] = ((str(value), lambda was: value), ("not s.on[node]", lambda was: not was))
    return chance.choice(turns)


def _rule(chance: random.Random, number: int) -> Rule:
    of_a_node = chance.random() < 0.5
    kind: RuleKind = chance.choice(("protocol", "protocol", "protocol", "client", "fault"))
    guards = tuple(_test(chance, of_a_node) for _ in range(chance.choice((0, 1, 1, 2))))
    limits = tuple(_test(chance, of_a_node) for _ in range(chance.choice((0, 0, 0, 1, 1, 2))))
    moves = _moves(chance)
    turns = _turns(chance) if of_a_node and (moves is None or chance.random() < 0.6) else None
    if moves is None and turns is None:
        moves = _forward()
    return Rule(f"rule{number}", kind, of_a_node, guards, limits, moves, turns)


def _fairness(chance: random.Random, rules: tuple[Rule, ...]) -> tuple[Fairly, ...]:
    fit = [rule for rule in rules if rule.kind != "fault"]
    found = list[Fairly]()
    for _ in range(chance.choice((0, 1, 1, 2, 3)) if fit else 0):
        of_nodes = [rule for rule in fit if rule.of_a_node]
        if of_nodes and chance.random() < 0.5:
            some = chance.sample(of_nodes, chance.randint(1, min(2, len(of_nodes))))
            where = _test(chance, True) if chance.random() < 0.3 else None
            found.append(Fairly(chance.random() < 0.5, tuple(rule.name for rule in some), True, where))
        else:
            some = chance.sample(fit, chance.randint(1, min(2, len(fit))))
            of_a_node = all(rule.of_a_node for rule in some)
            where = _test(chance, of_a_node) if chance.random() < 0.3 else None
            found.append(Fairly(chance.random() < 0.5, tuple(rule.name for rule in some), False, where))
    return tuple(found)


def draw_model(seed: int, claims: int = 8) -> RandomModel:
    """A model of at most twelve states."""
    chance = random.Random(seed)
    rules = tuple(_rule(chance, number) for number in range(chance.randint(2, 5)))
    made = list[Claim]()
    for number in range(claims):
        kind: Kind = chance.choice(KINDS)
        of_a_node = chance.random() < 0.4
        then = _test(chance, of_a_node)
        when = _test(chance, of_a_node) if "leads_to" in kind else None
        fairness = () if kind == "always_possible" else _fairness(chance, rules)
        fair = {name for one in fairness for name in one.rules}
        others = () if kind == "always_possible" else tuple(rule.name for rule in rules if rule.name not in fair)
        within = tuple(name for name in others if chance.random() < 0.6)
        made.append(Claim(f"claim{number}", kind, then, when, fairness, of_a_node, within))
    bound = _test(chance, False) if chance.random() < 0.25 else None
    narrow, beginnings = chance.random() < 0.15, chance.choice((1, 1, 2))
    return RandomModel(rules, bound, narrow, tuple(made), beginnings)


Step = tuple[World, str, int, World]
ALL = ("protocol", "client", "fault")


@dataclass
class Space:
    """All states of a model and its steps, those that change nothing left out, and what bounds stop in each state:
    pairs of a rule and a node. Rules of the `free` kinds have no bounds, and
    where there are some no rule has the `@bound` of states; nor have the steps of `freed_pairs` pairs any bound."""

    model: RandomModel
    free: tuple[str, ...] = ()
    freed_pairs: frozenset[tuple[str, int]] = frozenset()
    steps: list[Step] = field(default_factory=list[Step])
    stopped_pairs: dict[World, set[tuple[str, int]]] = field(default_factory=dict[World, set[tuple[str, int]]])

    def __post_init__(self) -> None:
        waiting = list(BEGINNINGS[: self.model.beginnings])
        self.stopped_pairs = {state: set() for state in waiting}
        while waiting:
            state = waiting.pop()
            for rule in self.model.rules:
                for node in rule.nodes:
                    after = self._step_to(state, rule, node)
                    if after is not None and after not in self.stopped_pairs:
                        self.stopped_pairs[after] = set()
                        waiting.append(after)

    def _step_to(self, state: World, rule: Rule, node: int) -> World | None:
        """The state after a step that can be taken; notes it, or that a bound stops it."""
        if not all(test(state, node) for _, test in rule.guards):
            return None
        after = rule.next_state(state, node)
        bounded = rule.kind not in self.free and (rule.name, node) not in self.freed_pairs
        cut = bounded and not all(test(state, node) for _, test in rule.limits)
        cut = cut or (bounded and self.model.narrow and state[0] == 2 and after[0] == 0)
        beyond = (
            bounded and not self.free and self.model.state_bound is not None and not self.model.state_bound[1](state, 0)
        )
        if cut or beyond:
            if after != state and (rule.kind != "fault" or not cut):
                self.stopped_pairs[state].add((rule.name, node))
            return None
        if after != state:
            self.steps.append((state, rule.name, node, after))
        return after

    @cached_property
    def rounds(self) -> list[frozenset[World]]:
        """Every set of states in which a run can go round for ever, and visit all of them."""
        states = list(self.stopped_pairs)
        found = [frozenset({state}) for state in states]
        for count in range(2, len(states) + 1):
            found += [frozenset(some) for some in itertools.combinations(states, count) if self._is_round(set(some))]
        return found

    @cached_property
    def _forth(self) -> dict[World, set[World]]:
        return {state: {after for before, _, _, after in self.steps if before == state} for state in self.stopped_pairs}

    @cached_property
    def _back(self) -> dict[World, set[World]]:
        return {state: {before for before, _, _, after in self.steps if after == state} for state in self.stopped_pairs}

    def _is_round(self, states: set[World]) -> bool:
        first = next(iter(states))
        return all(reachable({first}, near, states) == states for near in (self._forth, self._back))

    def can(self, state: World, group: Collection[tuple[str, int]], held: bool) -> bool:
        """Whether a step of a group can happen; with `held` one that a bound stops counts."""
        now = any(before == state and (rule, node) in group for before, rule, node, _ in self.steps)
        return now or (held and any(one in group for one in self.stopped_pairs[state]))

    def ahead(self, states: Iterable[World], within: Collection[World] | None = None) -> set[World]:
        """What is reached from some states, through those `within`."""
        return reachable(states, self._forth, within)


def reachable(states: Iterable[World], near: dict[World, set[World]], within: Collection[World] | None) -> set[World]:
    """What is reached from some states, through those `within`, themselves included."""
    found = {state for state in states if within is None or state in within}
    waiting = list(found)
    while waiting:
        for after in near[waiting.pop()]:
            if after not in found and (within is None or after in within):
                found.add(after)
                waiting.append(after)
    return found


def runs(
    space: Space,
    claim: Claim,
    node: int,
    can: Callable[[World, Collection[tuple[str, int]]], bool],
) -> bool:
    """Whether a fair run violates a claim of a node. `can` says what can happen in a state."""
    every = set(space.stopped_pairs)
    region = every
    then = {state for state in every if claim.then[1](state, node)}
    is_always = claim.kind in ("eventually_always", "leads_to_always")
    if not is_always:
        region = every - then
    if claim.when is not None:
        begins = BEGINNINGS[: space.model.beginnings] if claim.kind == "initially_leads_to" else every
        region = space.ahead((state for state in begins if state in region and claim.when[1](state, node)), region)
    for states in space.rounds:
        if not states <= region or (is_always and states <= then):
            continue
        if all(_is_met(space, states, fairness, can) for fairness in claim.fairness):
            return True
    return False


def unlimited_pairs(space: Space, claim: Claim) -> frozenset[tuple[str, int]]:
    """The steps within whose bounds a claim is not made: those of no fault, of rules that it does not name."""
    free = [rule for rule in space.model.rules if rule.kind != "fault" and rule.name not in claim.limiting_rules]
    return frozenset(itertools.product((rule.name for rule in free), NODES))


def is_cut(space: Space, claim: Claim) -> bool:
    """Whether a bound stops in some state a step within whose bounds a claim is not made."""
    kept = frozenset(itertools.product(claim.limiting_rules, NODES))
    return any(stopped - kept for stopped in space.stopped_pairs.values())


def _is_met(
    space: Space, states: frozenset[World], fairness: Fairly, can: Callable[[World, Collection[tuple[str, int]]], bool]
) -> bool:
    for group in fairness.groups():
        taken = len(states) > 1 and any(
            before in states and after in states and (rule, node) in fairness.of_state(group, before)
            for before, rule, node, after in space.steps
        )
        able = [can(state, fairness.of_state(group, state)) for state in states]
        if not taken and (any(able) if fairness.strong else all(able)):
            return False
    return True


def expected_answer(space: Space, claim: Claim) -> str:
    """What records 21, 22 and 28 say that is to be answered, by the worst of the claim's nodes."""
    words = [_of_one(space, claim, node) for node in (NODES if claim.of_a_node else (0,))]
    return min(words, key=("violated", "undecided", "holds").index)


def _of_one(space: Space, claim: Claim, node: int) -> str:
    if claim.kind == "always_possible":
        good = {state for state in space.stopped_pairs if claim.then[1](state, node)}
        lost = [state for state in space.stopped_pairs if not good & space.ahead([state])]
        stuck = any(not any(space.stopped_pairs[there] for there in space.ahead([state])) for state in lost)
        return "violated" if stuck else "undecided" if lost else "holds"

    def soft(state: World, group: Collection[tuple[str, int]]) -> bool:
        return space.can(state, group, held=False)

    def hard(state: World, group: Collection[tuple[str, int]]) -> bool:
        return space.can(state, group, held=True)

    if runs(space, claim, node, soft):
        return "violated" if runs(space, claim, node, hard) else "undecided"
    return "undecided" if is_cut(space, claim) and not _is_idle(space, claim, node) else "holds"


def _is_idle(space: Space, claim: Claim, node: int) -> bool:
    """Whether a claim of what begins somehow says nothing, since nothing begins so: bounds change nothing in that."""
    begins = BEGINNINGS[: space.model.beginnings]
    return claim.kind == "initially_leads_to" and not any(claim.when[1](state, node) for state in begins if claim.when)


def untrue(space: Space, free: Space, mended: Space, claim: Claim, word: str) -> Iterator[str]:
    """What is not so of an answer, by the protocol without bounds: fairness is that of the protocol itself. What holds
    is to hold of the protocol in which only faults have bounds, and the rules within whose limits it is claimed. In
    `mended` only faults have limits: more of them are no way on."""

    def really(state: World, group: Collection[tuple[str, int]]) -> bool:
        return free.can(state, group, held=False)

    nodes = NODES if claim.of_a_node else (0,)
    if claim.kind == "always_possible":
        for node in nodes if word == "violated" else ():
            good = {state for state in mended.stopped_pairs if claim.then[1](state, node)}
            if any(not good & mended.ahead([state]) for state in space.stopped_pairs):
                return
        if word == "violated":
            yield "from each state it is possible in the protocol without bounds"
        return
    if word == "violated" and not any(runs(free, claim, node, really) for node in nodes):
        yield "no fair run of the protocol without bounds violates it"
    if word == "holds":
        unbounded = Space(space.model, freed_pairs=unlimited_pairs(space, claim))
        if any(
            runs(unbounded, claim, node, lambda state, group: unbounded.can(state, group, held=False)) for node in nodes
        ):
            yield "a fair run violates it that only faults and rules that it names keep within bounds"
