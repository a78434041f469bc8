"""What Kafka's documentation has operators do with the voters of KRaft (Operations, KRaft; 4.3), as runs of
`kraft_voters`: the steps of each, and after each who is a voter, whether that is committed, and who may fail then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tidegate.model.kraft.quorum import Voter

from .voter_stories import A, B, C, D, E, Story

PLAIN: dict[str, Any] = {"pre_vote": False, "grants_until_fetch": False}
"""Who is elected does not change who may fail, so elections are as before 4.0."""


@dataclass(frozen=True)
class Stage:
    """A moment of a procedure: what was done, who leads, and who is up."""

    step_text: str
    leader: Voter
    up: frozenset[Voter]


@dataclass(frozen=True)
class Moment:
    """What the model says of a moment: the voters that the leader goes by, whether that is committed, the controllers
    that are up and without each of which alone the others do not go on, and how many of them, any, may fail."""

    step_text: str
    voters: str
    is_committed: bool
    needed_controllers: str
    may_fail: int


Procedure = Callable[[Story], Iterator[Stage]]


def voters_text(story: Story, leader: Voter) -> str:
    """The voters that a leader goes by: `A B C`, `C'` with another disk than its first."""
    return " ".join(f"{voter}{(disk - 1) * chr(39)}" for voter, disk in story.voters_of(leader).items())


def moments_of(story: Story, procedure: Procedure) -> Iterator[Moment]:
    """Each moment of a procedure, with what the model says of it."""
    for stage in procedure(story):
        needed = [voter for voter in (A, B, C, D, E) if voter in stage.up and _needs(story, stage, voter)]
        yield Moment(
            stage.step_text,
            voters_text(story, stage.leader),
            story.is_committed(stage.leader),
            " ".join(str(voter) for voter in needed) or "–",
            story.failures_tolerated(stage.leader, stage.up),
        )


def _needs(story: Story, stage: Stage, voter: Voter) -> bool:
    return not story.goes_on(stage.leader, stage.up - {voter})


def _start(story: Story, *voters: Voter) -> frozenset[Voter]:
    leader, *others = voters
    story.elect(leader, *others).catch_up(leader, *others)
    return frozenset(voters)


def _join(story: Story, leader: Voter, joining: Voter, up: frozenset[Voter]) -> Iterator[Stage]:
    """A controller is added that follows already, to those that are up."""
    story.step("add_voter", leader=leader, voter=joining)
    yield Stage(f"`add-controller` {joining}: the leader has appended it", leader, up | {joining})
    story.catch_up(leader, *(voter for voter in (A, B, C, D, E) if voter in up | {joining} and voter != leader))
    yield Stage("the others have fetched that", leader, up | {joining})


def add(story: Story) -> Iterator[Stage]:
    """A fourth voter beside three."""
    up = _start(story, A, B, C)
    yield Stage("three voters", A, up)
    story.follow(A, D).catch_up(A, D)
    yield Stage("D is formatted with `--no-initial-controllers`, and started: an observer", A, up | {D})
    yield from _join(story, A, D, up)


def from_one_to_three(story: Story) -> Iterator[Stage]:
    """`format --standalone`, and two more."""
    up = _start(story, A)
    yield Stage("A is formatted with `--standalone`, and started", A, up)
    for joining in (B, C):
        story.follow(A, joining).catch_up(A, joining)
        yield Stage(f"{joining} is started: an observer", A, up | {joining})
        yield from _join(story, A, joining, up)
        up |= {joining}


def from_three_to_five(story: Story) -> Iterator[Stage]:
    """Two more voters, one after the other."""
    up = _start(story, A, B, C)
    yield Stage("three voters", A, up)
    for joining in (D, E):
        story.follow(A, joining).catch_up(A, joining)
        yield from _join(story, A, joining, up)
        up |= {joining}


def _part(story: Story, leader: Voter, leaving: Voter, left: frozenset[Voter]) -> Iterator[Stage]:
    """A voter is removed, and the others have that."""
    story.step("remove_voter", leader=leader, voter=leaving)
    yield Stage(f"`remove-controller` {leaving}: the leader has appended it", leader, left)
    story.catch_up(leader, *(voter for voter in (A, B, C, D, E) if voter in left and voter != leader))
    yield Stage("the others have fetched that", leader, left)


def remove(story: Story) -> Iterator[Stage]:
    """A follower of three is shut down, and removed then."""
    up = _start(story, A, B, C)
    yield Stage("three voters", A, up)
    yield Stage("C is shut down", A, up - {C})
    yield from _part(story, A, C, up - {C})


def remove_the_leader(story: Story) -> Iterator[Stage]:
    """The leader of three removes itself, and another is elected."""
    up = _start(story, A, B, C)
    story.step("remove_voter", leader=A, voter=A)
    yield Stage("`remove-controller` A: the leader has appended its own removal", A, up)
    story.catch_up(A, B, C)
    yield Stage("the others have fetched that; A has resigned", A, up)
    story.elect(B, C).catch_up(B, C)
    yield Stage("B is elected", B, up - {A})


def shrink(story: Story) -> Iterator[Stage]:
    """Five voters become three."""
    up = _start(story, A, B, C, D, E)
    yield Stage("five voters", A, up)
    for leaving in (E, D):
        up -= {leaving}
        yield Stage(f"{leaving} is shut down", A, up)
        yield from _part(story, A, leaving, up)


def replace_disk(story: Story) -> Iterator[Stage]:
    """A disk of three fails, and another takes its place."""
    up = _start(story, A, B, C)
    story.step("replace_disk", voter=C)
    yield Stage("the disk of C fails", A, up - {C})
    story.follow(A, C).catch_up(A, C)
    yield Stage("C is formatted with `--no-initial-controllers`, and started: an observer, C'", A, up)
    story.step("remove_voter", leader=A, voter=C)
    yield Stage("`remove-controller` C with the old directory id: the leader has appended it", A, up)
    story.catch_up(A, B, C)
    yield Stage("the others have fetched that", A, up)
    yield from _join(story, A, C, up - {C})


def replace_host(story: Story) -> Iterator[Stage]:
    """Another controller takes the place of one of three, which is removed once the new one votes."""
    up = _start(story, A, B, C)
    story.follow(A, D).catch_up(A, D)
    yield Stage("D is started: an observer", A, up | {D})
    yield from _join(story, A, D, up)
    yield Stage("C is shut down", A, up - {C} | {D})
    yield from _part(story, A, C, up - {C} | {D})


def from_static(story: Story) -> Iterator[Stage]:
    """`kraft.version` 0 to 1 of three voters, and a fourth."""
    up = _start(story, A, B, C)
    yield Stage("three voters of `controller.quorum.voters`, `kraft.version` 0", A, up)
    assert story.refuses("raise_kraft_version", leader=A)  # it does not know the directory ids of all yet
    story.step("tell_disk", leader=A, voter=B).step("tell_disk", leader=A, voter=C)
    story.step("raise_kraft_version", leader=A)
    yield Stage("`upgrade --feature kraft.version=1`: the leader has appended it, with the voters", A, up)
    story.catch_up(A, B, C)
    yield Stage("the others have fetched that", A, up)
    story.follow(A, D).catch_up(A, D)
    yield from _join(story, A, D, up)


def auto_join(story: Story) -> Iterator[Stage]:
    """A disk of three fails, and the new one removes the old one and adds itself."""
    up = _start(story, A, B, C)
    story.step("replace_disk", voter=C)
    yield Stage("the disk of C fails", A, up - {C})
    story.follow(A, C).catch_up(A, C).step("ask_to_join", leader=A, voter=C)
    yield Stage("C' is started, and asks to remove C: the leader has appended it", A, up)
    story.catch_up(A, B, C)
    yield Stage("the others have fetched that", A, up)
    story.step("ask_to_join", leader=A, voter=C)
    yield Stage("C' asks to be added: the leader has appended it", A, up)
    story.catch_up(A, B, C)
    yield Stage("the others have fetched that", A, up)


SIZES_OF_FIVE: dict[str, Any] = {"voters": 5, "max_epoch": 2}
PROCEDURES: dict[str, tuple[Procedure, Callable[[], Story]]] = {
    "from-static": (from_static, lambda: Story({A, B, C}, "kafka_4_1", **PLAIN)),
    "from-one-to-three": (from_one_to_three, lambda: Story({A}, "checkpoint", **PLAIN)),
    "add": (add, lambda: Story({A, B, C})),
    "replace-disk": (replace_disk, lambda: Story({A, B, C}, wipes=1)),
    "replace-host": (replace_host, lambda: Story({A, B, C})),
    "remove": (remove, lambda: Story({A, B, C})),
    "remove-the-leader": (remove_the_leader, lambda: Story({A, B, C})),
    "from-three-to-five": (from_three_to_five, lambda: Story({A, B, C}, **SIZES_OF_FIVE)),
    "shrink": (shrink, lambda: Story({A, B, C, D, E}, **SIZES_OF_FIVE)),
    "auto-join": (auto_join, lambda: Story({A, B, C}, "kafka_4_2", wipes=1, **PLAIN)),
}


def moments(name: str) -> list[Moment]:
    """The moments of a procedure by its name, with what the model says of each."""
    procedure, begin = PROCEDURES[name]
    return list(moments_of(begin(), procedure))
