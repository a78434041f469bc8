"""What a moment of a real partition is in the partition's model (`model/partition/`).

Of a state are observed whom the controller has on record as leader, in which epoch, who is in sync, who is an eligible
leader replica, and who is fenced. Two things make a run that is as long as a cluster's life fit into a model with
bounds: after each moment the budgets of faults are whole again, and leader epochs are numbered anew where they grow
large, in the same order. Nothing in the model looks at an epoch but to compare it with another, or to make the next
one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...language import judge
from ...language.drafts import Shape
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import Map, Seq, Set, State, replace
from ..history.moments import History, Moment

FIELDS = ("registered.leader", "registered.leader_epoch", "registered.isr", "registered.elr", "fenced")
OF_ASSIGNMENT = ("assignment.replicas", "assignment.adding", "assignment.removing")
"""What is observed besides where a partition is reassigned."""

WITH_LOSSES: Mapping[str, int] = {"power_losses": 1}
"""What may happen besides where brokers' logs show that committed records were lost."""
WITH_MOVES: Mapping[str, int] = {"reassignments": 1, "cancellations": 1}
"""What may happen besides where a partition is reassigned."""
WITH_DIRECTORIES: Mapping[str, int | bool] = {
    "directory_losses": 2,
    "disk_losses": 2,
    "directory_moves": 1,
    "assign_unregistered": True,
}
"""What may happen besides where copies are in other directories than before, or in none that works."""
BOUNDS: Mapping[str, int] = {
    "max_leader_epoch": 14,
    "isr_shrinks": 2,
    "fences": 1,
    "shutdowns": 1,
    "crashes": 2,
    "power_losses": 0,
    "preferred_elections": 1,
    "unclean_elections": 1,
}
"""What may happen at most between two moments. In the metadata log a power loss is like a crash."""


@immutable
class Epochs:
    """The leader epochs that a state's small numbers stand for: `known_epochs[n]` for the number n; those that come
    after the last follow one by one."""

    known_epochs: tuple[int, ...]

    def actual_epoch(self, number: int) -> int:
        """The leader epoch that a number stands for."""
        last = len(self.known_epochs) - 1
        return self.known_epochs[number] if number <= last else self.known_epochs[last] + number - last

    def number(self, epoch: int) -> int:
        """The number of a leader epoch that is the last that is held, or comes after it; below 0 for an older one."""
        return len(self.known_epochs) - 1 + epoch - self.known_epochs[-1]


class Moments:
    """The moments of a partition as observations of the model's states. See
    `explorer.native.observing.Observations`."""

    def __init__(self, model: Model, history: History, models: Sequence[tuple[int, ...]] = ()) -> None:
        """`models` has the numbers of the models for each moment; all are of the first where it is empty."""
        self.model, self.history, self.models = model, history, models
        self.shape: Shape = judge.state_shape(model)
        members = tuple(model.namespace["Broker"])
        self.members = dict(zip(history.replicas, members, strict=True))
        self.most = BOUNDS["max_leader_epoch"]
        self.fields = FIELDS if history.moments[0].assignment is None else (*FIELDS, *OF_ASSIGNMENT)

    def __len__(self) -> int:
        """How many moments there are."""
        return len(self.history.moments)

    def starts(self) -> Iterator[tuple[State, Epochs]]:
        """The model's initial state with the registration as it is at the first moment. A broker that is fenced then
        may run, or have stopped in one way or the other. None where a controller makes no such partition."""
        first = self.history.moments[0]
        if not _may_begin(self.history):
            return
        fenced = self._members_of_brokers(first.fenced_brokers)
        for how in itertools.product(("up", "stopped", "crashed"), repeat=len(fenced)):
            state = self._register_moment(self._initial_state(first), first, 0)
            down = Set(broker for broker, one in zip(fenced, how, strict=True) if one != "up")
            crashed = Set(broker for broker, one in zip(fenced, how, strict=True) if one == "crashed")
            nobody = replace(state.view[next(iter(self.members.values()))], leader=None, leader_epoch=0, isr=Set())
            known = state.assignment.replicas - down
            view = Map({broker: state.view[broker] if broker in known else nobody for broker in state.view})
            lost = self._members_of_brokers(first.offline)
            yield (
                self.shape.replace(state, up=state.up - down, unclean=crashed, view=view, relocated=lost),
                Epochs((first.leader_epoch,)),
            )

    def _initial_state(self, first: Moment) -> State:
        """The state that the model begins in, with what the brokers know of the first moment."""
        for _, arguments, state in judge.initial_choices(self.model):
            if first.leader is None or arguments["leader"] == self.members[first.leader]:
                leader = None if first.leader is None else self.members[first.leader]
                isr = self._members_of_brokers(first.isr)
                view = {
                    broker: replace(state.view[broker], leader=leader, isr=isr if broker == leader else Set())
                    for broker in state.view
                }
                return self.shape.replace(state, view=Map(view))
        raise ValueError(f"{self.history.name}: no initial state has the leader {first.leader}")

    def state_showing(self, index: int, state: State, origin: Epochs) -> State | None:
        """The state, with what is observed as it is at a moment."""
        moment = self.history.moments[index]
        number = origin.number(moment.leader_epoch)
        return self._register_moment(state, moment, number) if 0 <= number <= self.most else None

    def _register_moment(self, state: State, moment: Moment, epoch: int) -> State:
        registered = replace(
            state.registered,
            leader=None if moment.leader is None else self.members[moment.leader],
            leader_epoch=epoch,
            isr=self._members_of_brokers(moment.isr),
            elr=self._members_of_brokers(moment.elr),
        )
        fenced, assigned = self._members_of_brokers(moment.fenced_brokers), moment.assignment
        if assigned is None:
            return self.shape.replace(state, registered=registered, fenced=fenced)
        assignment = replace(
            state.assignment,
            replicas=self._members_of_brokers(assigned.replicas),
            adding=self._members_of_brokers(assigned.adding),
            removing=self._members_of_brokers(assigned.removing),
        )
        return self.shape.replace(state, registered=registered, fenced=fenced, assignment=assignment)

    def _members_of_brokers(self, brokers: frozenset[int]) -> Set[Any]:
        return Set(self.members[broker] for broker in sorted(brokers))

    def which(self, index: int) -> tuple[int, ...]:
        """The numbers of the models in which a moment may be come to."""
        return self.models[index] if self.models else (0,)

    def is_of_a_step(self, index: int) -> bool:
        """Whether what is observed is that a leader lacks what was committed."""
        return self.history.moments[index].shows_loss

    def may_be_missed(self, index: int) -> bool:
        """Whether a moment passes within one step of the model."""
        return self.history.moments[index].passing

    def admits(self, seen_number: int, index: int, before: State, after: State) -> bool:
        """A broker that is unfenced has been down if, and only if, it has registered with another incarnation; one that
        is fenced stops in the same step if, and only if, it was in controlled shutdown; and one that registers has
        another incarnation. Where nothing says whether it has been down, either may be so. The ELR is forgotten where
        the log says so, and nowhere else, and so is a broker fenced again. Whose copy is on record in a directory that
        it has not has lost it, and who is unfenced with one that it has, has not. An operator elects in a record of its
        own, and who was in sync or eligible is not elected uncleanly. Who is fenced and stays in sync has
        registered (`register_before_fenced`). Who is elected is the first that may be.
        Where records were lost, the leader learns of its epoch and lacks one that was committed."""
        if self.history.moments[index].shows_loss:
            return _learns_without(before, after)
        moments = self.history.moments[seen_number + 1 : index + 1]
        anew = self._members_of_brokers(frozenset[int]().union(*(moment.restarted_brokers for moment in moments)))
        stopping = self._members_of_brokers(frozenset[int]().union(*(moment.stopping_brokers for moment in moments)))
        open_still = self._members_of_brokers(frozenset[int]().union(*(moment.unsure for moment in moments)))
        back, out = before.fenced - after.fenced, after.fenced - before.fenced
        return (
            all((broker not in before.up) == (broker in anew) for broker in back - open_still)
            and all((broker in before.up - after.up) == (broker in stopping) for broker in out)
            and before.unclean - after.unclean - after.up <= anew | open_still
            and self._forgets_as(moments, before, after)
            and self._has_directories(self.history.moments[index], after)
            and self._elects_as(moments, before, after)
            and (not _is_fenced_again(before, after) or any(moment.again for moment in moments))
            and (before.registered != after.registered or out & after.registered.isr <= anew)
            and self._is_first(self.history.moments[index].order, before, after)
        )

    def _is_first(self, order: tuple[int, ...], before: State, after: State) -> bool:
        """Whether a leader that is elected is the first in the order of assignment that may be: who is active and in
        sync, or eligible, or, uncleanly, active (PartitionChangeBuilder.electLeader). The last known leader has no
        such order, and where none is known anyone will do."""
        was, now = before.registered, after.registered
        if not order or now.leader is None or now.leader in (was.leader, was.last_known_leader):
            return True
        may = now.isr if now.leader in was.isr else was.elr if now.leader in was.elr else Set(self.members.values())
        ordered = (self.members[number] for number in order)
        return next(one for one in ordered if one in may and one not in after.fenced | after.relocated) == now.leader

    def _forgets_as(self, moments: Sequence[Moment], before: State, after: State) -> bool:
        """Whether the ELR is emptied alone if, and only if, a record of settings says so, or one that assigns
        directories, of which the last known leader is not forgotten (PartitionChangeBuilder.setDirectory)."""
        if any(moment.clears_elr for moment in moments):
            return _only_empties_elr(before, after)
        emptied = len(before.registered.elr) > 0 and after.registered == replace(before.registered, elr=Set())
        moved = emptied and (before.fenced, before.unclean) == (after.fenced, after.unclean)
        if any(moment.reassigned_brokers for moment in moments):
            return moved or len(before.registered.elr) == 0 or len(after.registered.elr) > 0
        return not moved and not _only_empties_elr(before, after)

    def _has_directories(self, moment: Moment, next_state: State) -> bool:
        """Whether those have lost their copy whose directory is on record and gone, and no other that is unfenced."""
        offline, fenced = self._members_of_brokers(moment.offline), self._members_of_brokers(moment.fenced_brokers)
        return offline <= next_state.relocated <= (offline | fenced)

    def _elects_as(self, moments: Sequence[Moment], before: State, after: State) -> bool:
        """Whether an election is of the kind that the log has: a clean one, or that of the last known leader, or an
        unclean one, which without the setting an operator asks for, in a batch that says nothing of a broker."""
        was, now = before.registered, after.registered
        if now.leader is None or now.leader in (was.leader, was.last_known_leader):
            return True
        if now.leader in was.isr | was.elr:
            return not any(moment.unclean for moment in moments)
        last = moments[-1]
        heeded = last.settings is not None and (last.settings.unclean or "").lower() == "true"
        if heeded or self.model.values["unclean"] is True:
            return True
        return before.fenced == after.fenced and not last.of_broker

    def unlikely(self, index: int, before: State, after: State) -> int:
        """How many brokers are fenced while they run, of those that come back with another incarnation or not at
        all."""
        running = (after.fenced - before.fenced) & after.up
        return sum(self._went_down(broker, index) for broker in running)

    def _went_down(self, broker: Any, index: int) -> bool:
        """Whether a broker that is fenced at a moment is down when it is unfenced, or stays fenced."""
        number = next(one for one, member in self.members.items() if member == broker)
        later = (moment for moment in self.history.moments[index:] if number not in moment.fenced_brokers)
        back = next(later, None)
        return back is None or number in (back.restarted_brokers | back.unsure)

    def renew_state(self, state: State, origin: Epochs) -> tuple[State, Epochs]:
        """The state with whole budgets, and with small numbers for its leader epochs."""
        whole = {name: self.model.values[budget] for budget, name in self.shape.budgets.items()}
        if state.registered.leader_epoch < self.most - 1:
            return self.shape.replace(state, **whole), origin
        small = epoch_numbers(state)
        held = tuple(map(origin.actual_epoch, sorted(small)))
        return self.shape.replace(renumber_epochs(self.shape, state, small), **whole), Epochs(held)


def _is_fenced_again(before: State, after: State) -> bool:
    """Whether there is a new leader epoch, and nobody leads as before: `fence_again`."""
    was, now = before.registered, after.registered
    return was.leader is None and now.leader is None and was.leader_epoch != now.leader_epoch


def _may_begin(history: History) -> bool:
    """Whether the first moment is one that there may be: a controller in KRaft creates a partition with the replicas in
    sync that are active, and has the first of them lead (ReplicationControlManager.createTopic). Later, who leads is in
    sync and active, and nobody is both in sync and an eligible leader."""
    first = history.moments[0]
    if first.settings is None:
        return True
    active = [broker for broker in first.order if broker not in first.fenced_brokers]
    if history.whole:
        created = first.leader_epoch == 0 and not first.elr and not first.last_known
        return created and first.isr == frozenset(active) and first.leader in active[:1]
    return not first.isr & first.elr and (first.leader is None or first.leader in first.isr - first.fenced_brokers)


def _only_empties_elr(before: State, after: State) -> bool:
    """Whether the eligible leader replicas are emptied, and nothing else that is on record changes: `clear_elr`."""
    emptied = replace(before.registered, elr=Set(), last_known_leader=None)
    same = (before.fenced, before.unclean) == (after.fenced, after.unclean)
    return len(before.registered.elr) > 0 and same and after.registered == emptied


def _learns_without(before: State, after: State) -> bool:
    """Whether the leader on record learns that it leads, with a log that lacks a record that was committed."""
    leader = after.registered.leader
    if leader is None or before.view[leader] == after.view[leader] or after.view[leader].leader != leader:
        return False
    held = {record.id for record in after.log[leader]}
    learned = before.view[leader].leader_epoch != after.view[leader].leader_epoch
    return learned and any(record not in held for record in after.committed)


def epoch_numbers(state: State) -> dict[int, int]:
    """The leader epochs of a state, numbered 0, 1, 2, ... in their order. 0 stays 0: brokers that know nothing have
    it."""
    held = {
        0,
        state.registered.leader_epoch,
        *(state.view[broker].leader_epoch for broker in state.view),
        *(record.epoch for broker in state.log for record in state.log[broker]),
    }
    return {epoch: number for number, epoch in enumerate(sorted(held))}


def renumber_epochs(shape: Shape, state: State, small: Mapping[int, int]) -> State:
    """The state with other numbers for its leader epochs."""
    view, log = dict[Any, Any](), dict[Any, Any]()
    for broker in state.view:
        view[broker] = replace(state.view[broker], leader_epoch=small[state.view[broker].leader_epoch])
        log[broker] = Seq(replace(record, epoch=small[record.epoch]) for record in state.log[broker])
    registered = replace(state.registered, leader_epoch=small[state.registered.leader_epoch])
    return shape.replace(state, registered=registered, view=Map(view), log=Map(log))
