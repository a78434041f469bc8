"""Controllers whose voters change, taken step by step by the judge: what operators do, and who may fail meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.steptext import StepError
from tidegate.language.values import Set, State
from tidegate.model.kraft.quorum import Role, Voter

from .shipped import bind_shipped

A, B, C, D, E = (Voter(number) for number in range(5))
SIZES = {"voters": 4, "max_epoch": 3, "max_records": 1, "crashes": 1, "voter_changes": 4}


class Story:
    """Controllers, of which the first are voters. Whatever happens, all must hold but what is expected false."""

    def __init__(self, first: set[Voter], profile: str = "kafka_3_9", *, false: str = "", **constants: Any) -> None:
        self.expected_false = false.split()
        self.checks = True
        self.sizes = {**SIZES, "first_voters": len(first), **constants}
        self.model = bind_shipped(f"kraft_voters:{profile}", self.sizes, called=profile)
        self.state: State = next(iter(initial_states(self.model)))
        self.step("format_first_voters", first=Set(first))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step, and checks all that must hold; StepError when it is disabled."""
        after = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        for claim in self.model.properties if self.checks else ():
            if claim.kind == "invariant" and claim.name not in self.expected_false:
                assert holds(self.model, claim, after), claim.name
            if claim.kind == "transition" and claim.name not in {"no_disruption", *self.expected_false}:
                assert holds(self.model, claim, self.state, after), claim.name
        self.state = after
        return self

    def refuses(self, action: str, **arguments: Any) -> bool:
        """Whether a step cannot be taken."""
        try:
            replay(self.model, self.state, [(action, arguments)])
        except StepError:
            return True
        return False

    def elect(self, leader: Voter, *others: Voter) -> Story:
        """A controller is elected with the votes of others, which follow it; or, as the only voter, by itself."""
        follows = self.state.election[leader].role == Role.FOLLOWER
        self.step("fetch_timeout" if follows else "election_timeout", voter=leader)
        if not self.refuses("elect_itself", voter=leader):
            self.step("elect_itself", voter=leader)
        for peer in others:
            if self.state.election[leader].role == Role.CANDIDATE and not self.refuses(
                "vote", candidate=leader, voter=peer
            ):
                self.step("vote", candidate=leader, voter=peer)
        return self.follow(leader, *others)

    def follow(self, leader: Voter, *others: Voter) -> Story:
        """Others hear who leads."""
        for other in others:
            self.step("begin_quorum_epoch", leader=leader, voter=other)
        return self

    def catch_up(self, leader: Voter, *others: Voter) -> Story:
        """Others fetch until they have all that the leader has, and it knows."""
        for other in others:
            while len(self.state.log[other]) < len(self.state.log[leader]):
                self.step("fetch", follower=other, leader=leader, answered=True)
        for other in others:
            if self.state.high_watermark[leader] < len(self.state.log[leader]):
                self.step("fetch", follower=other, leader=leader, answered=True)
        return self

    def is_committed(self, leader: Voter) -> bool:
        """Whether all that is in a leader's log is committed."""
        return self.state.high_watermark[leader] == len(self.state.log[leader])

    def voters_of(self, replica: Voter) -> dict[Voter, int]:
        """The voters that a replica goes by, each with the number of its disk: those of the last VotersRecord in its
        log, else the first."""
        numbers = (record.number - self.sizes["max_records"] for record in self.state.log[replica])
        known = self.state.voter_sets[max(0, *numbers, 0)]
        return {voter: known[voter] for voter in known if known[voter] > 0}

    # --- who may fail ---------------------------------------------------------------------------------------------

    def goes_on(self, leader: Voter, up: Collection[Voter]) -> bool:
        """Whether these controllers alone, all others being down, commit one more record, and all before it: under the
        leader there is, or under another one of them."""
        kept, self.checks = self.state, False
        try:
            return any(self._commits(kept, leader, candidate, up) for candidate in up)
        finally:
            self.state, self.checks = kept, True

    def _commits(self, state: State, leader: Voter, candidate: Voter, up: Collection[Voter]) -> bool:
        self.state, others = state, [other for other in up if other != candidate]
        try:
            if candidate == leader and self.state.election[leader].role == Role.LEADER:
                self.step("write", controller=leader)
            else:
                self.elect(candidate, *others)
            self._fetch(candidate, others)
        except StepError:
            return False
        match self.state.election[candidate].role:
            case Role.LEADER:
                return self.is_committed(candidate)
            case Role.RESIGNED:  # it removed itself
                return self._commits_after(candidate, others)
            case _:
                return False

    def _commits_after(self, resigned: Voter, others: Sequence[Voter]) -> bool:
        """Whether others go on, once a leader that removed itself has resigned."""
        return any(self._commits(self.state, resigned, other, others) for other in others)

    def _fetch(self, leader: Voter, others: Sequence[Voter]) -> None:
        """Others fetch from a leader as long as one of them gets on, or it does."""
        gets_on = True
        while gets_on and self.state.election[leader].role == Role.LEADER:
            gets_on = False
            for other in others:
                before = self.state
                for action in ("truncate", "fetch"):
                    arguments = {"answered": True} if action == "fetch" else {}
                    if not self.refuses(action, follower=other, leader=leader, **arguments):
                        self.step(action, follower=other, leader=leader, **arguments)
                        break
                gets_on = gets_on or self.state != before
                if self.state.election[leader].role != Role.LEADER:
                    break

    def failures_tolerated(self, leader: Voter, up: Collection[Voter]) -> int:
        """The most controllers of those that are up of which any so many may fail, and the others go on; -1 where not
        even all of them do."""
        for count in range(len(up) + 1):
            left = (set(up) - set(gone) for gone in combinations(sorted(up, key=lambda voter: voter.index), count))
            if not all(self.goes_on(leader, rest) for rest in left):
                return count - 1
        return len(up)
