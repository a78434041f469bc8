"""Takes the stages of a trace of the topic of offsets on real brokers, and compares after each. The driver is each
group's consumer, without a generation; where one begins again, Kafka's own consumer says where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....language.values import State
from ..nodes.client import Client
from ..nodes.running import Broken, wait_for
from ..nodes.wire import ERRORS, Refused
from ..stages import STEP_SECONDS, Document, Nothing, Otherwise, StageDriver, Taken, parting
from .cluster import NONE, UNASKED
from .plan import OutagePlan, OutageStage, brokers_of, committed_of, copy_of, home_of, homes_of, takes_commits
from .world import OffsetsSeen, Part, World

_WAITS_SECONDS = 5.0
"""For how long a consumer that is to find no coordinator is seen not to."""
_PASSING = frozenset({ERRORS[14], ERRORS[16], ERRORS[7]})
"""Refusals after which a consumer asks again, and which say nothing of whether commits are taken."""
_NO_OFFSET = "NoOffsetForPartitionException"


def wanted_of(stage: OutageStage, kills: Mapping[int, int]) -> OffsetsSeen:
    """What is to be seen after a stage, in which brokers were killed so often in all."""
    state, of, homes = stage.after, brokers_of(stage.after), homes_of(stage.after)
    return OffsetsSeen(
        frozenset(of[one] for one in state.alive),
        {
            number: Part(
                stage.stands.places[number],
                frozenset(of[one] for one in state.in_sync[home]),
                frozenset(of[one] for one in state.adding[home]),
                frozenset(of[one] for one in state.removing[home]),
                stage.stands.leaders[number],
            )
            for home, number in homes.items()
            if state.made
        },
        {
            (number, of[broker]): copy_of(state, home, broker)
            for home, number in homes.items()
            for broker in state.replicas[home]
        },
        {str(group): _committed(state, group, stage.stands.leaders) for group in state.position},
        {broker: times for broker, times in kills.items() if times},
    )


def _committed(state: State, group: Any, leaders: Mapping[int, int | None]) -> str:
    if not state.made:
        return UNASKED
    leader = leaders[homes_of(state)[home_of(state, group)]]
    offset = committed_of(state, group)
    return NONE if leader is None else f"{'none' if offset is None else offset}, by {leader}"


def shown(seen: OffsetsSeen) -> dict[str, str]:
    """What is seen, by what it is about."""
    parts = (f"{number} {_part(part)}" for number, part in sorted(seen.parts.items()))
    copies = (f"{broker} of {number} {_lines(lines)}" for (number, broker), lines in sorted(seen.copies.items()))
    return {
        "brokers": _numbers(seen.alive),
        "partitions": "; ".join(parts) or "no topic",
        "copies": "; ".join(copies) or "none",
        "committed": "; ".join(f"{group} {said}" for group, said in sorted(seen.committed.items())),
        "fenced": ", ".join(f"{one} {times}x" for one, times in sorted(seen.fences.items())) or "nobody",
    }


def _part(part: Part) -> str:
    moves = f", adding {_numbers(part.adding)}" if part.adding else ""
    moves += f", removing {_numbers(part.removing)}" if part.removing else ""
    leads = "led by nobody" if part.leader is None else f"led by {part.leader}"
    return f"{leads}, in sync {_numbers(part.isr)}, on {' '.join(map(str, part.replicas))}{moves}"


def _numbers(brokers: frozenset[int]) -> str:
    return " ".join(map(str, sorted(brokers))) or "none"


def _lines(lines: tuple[tuple[str, int], ...]) -> str:
    return " ".join(f"{group}={offset}" for group, offset in lines) or "empty"


class OutageDriver(StageDriver[OutageStage, OffsetsSeen, OffsetsSeen]):
    """Drives one plan."""

    def __init__(self, plan: OutagePlan, world: World, limit: float = STEP_SECONDS) -> None:
        super().__init__(plan, limit)
        self.plan, self.world = plan, world
        self._of = plan.brokers
        self._kills = Counter[int]()

    # --- what is compared ---------------------------------------------------------------------------------------------

    def show(self, seen: OffsetsSeen) -> Document:
        return {"groups": shown(seen)}

    def _wanted(self, stage: OutageStage) -> OffsetsSeen:
        return wanted_of(stage, self._kills_after(stage))

    def _kills_after(self, stage: OutageStage) -> Counter[int]:
        """How often each broker was killed in all, with those that a stage kills."""
        gone = {self._of[one] for one in stage.before.alive if one not in stage.after.alive}
        return self._kills + Counter(gone)

    def _seen(self, wanted: OffsetsSeen) -> OffsetsSeen:
        return self.world.look()

    def _parting(self, wanted: OffsetsSeen, seen: OffsetsSeen) -> str:
        return parting(shown(wanted), shown(seen))

    def _is_as_before(self, stage: OutageStage) -> bool:
        return super()._is_as_before(replace(stage, stands=stage.was))

    def _take(self, stage: OutageStage) -> Taken:
        opened = stage.was.held - stage.stands.held if stage.action == "copy" else frozenset[tuple[int, int]]()
        self.world.hold((stage.was.held | stage.stands.held) - opened)
        self.world.let_go(opened)
        taken = super()._take(stage)
        self.world.let_go(self.world.fetches() - stage.stands.held)
        self._kills = self._kills_after(stage)
        _refuse_chance(taken)
        return self._ended(taken) if taken.otherwise is None and stage is self.stages[-1] else taken

    def _ended(self, taken: Taken) -> Taken:
        """After the last stage each group commits once more: whether that is taken is to be as in the model. Those that
        are to be refused come first, since then every broker may copy."""
        state, said = taken.stage.after, list[str]()
        for group in sorted(state.position if state.made else (), key=lambda one: takes_commits(state, one)):
            takes = takes_commits(state, group)
            if takes:
                self.world.let_go(self.world.fetches())
            try:
                why = self._commits(group, committed_of(state, group) or 0, takes)
            except Otherwise as error:
                return replace(taken, otherwise=f"after the last step, {error}")
            said.append(f"a commit of {group} is {'taken' if takes else f'refused: {why}'}")
        return replace(taken, did="; ".join([taken.did, *said]))

    # --- brokers ------------------------------------------------------------------------------------------------------

    def _start_broker(self, stage: OutageStage) -> str:
        broker = self._of[stage.arguments["broker"]]
        self.world.bring_up(broker)
        return f"broker {broker} started"

    def _kill(self, stage: OutageStage) -> str:
        broker = self._of[stage.arguments["broker"]]
        self.world.kill(broker)
        return f"SIGKILL of broker {broker}"

    def _kill_at_once(self, stage: OutageStage) -> str:
        brokers = sorted(self._of[one] for one in stage.arguments["victims"])
        for broker in brokers:
            self.world.kill(broker)
        return f"SIGKILL of brokers {' '.join(map(str, brokers))}"

    def _lose_disk(self, stage: OutageStage) -> str:
        broker = self._of[stage.arguments["broker"]]
        self.world.lose_disk(broker)
        return f"the disk of broker {broker} emptied"

    def _copy(self, stage: OutageStage) -> str:
        return f"fetches of broker {self._of[stage.arguments['broker']]} let through"

    # --- the topic ----------------------------------------------------------------------------------------------------

    def _first_use(self, stage: OutageStage) -> str:
        placement = [stage.stands.places[number] for number in sorted(stage.stands.places)]
        self._asks(lambda: self.world.make(placement, int(str(self.plan.model.values["min_isr"]))))
        return f"CreateTopics, with replicas on {'; '.join(' '.join(map(str, one)) for one in placement)}"

    def _delete_logs(self, stage: OutageStage) -> str:
        self._asks(self.world.delete)
        return "DeleteTopics"

    def _reassign(self, stage: OutageStage) -> str:
        home = stage.arguments["home"]
        number = homes_of(stage.after)[home]
        target = {self._of[one] for one in stage.arguments["target"]}
        order = [one for one in stage.stands.places[number] if one in target]
        self._asks(lambda: self.world.move(number, order))
        return f"AlterPartitionReassignments of partition {number} to {' '.join(map(str, order))}"

    def _asks(self, request: Any) -> None:
        """Has the controller do something. Otherwise where it refuses."""
        try:
            request()
        except Refused as error:
            raise Otherwise(str(error)) from None

    # --- groups -------------------------------------------------------------------------------------------------------

    def _produce(self, stage: OutageStage) -> str:
        self.world.write(stage.before.end)
        return f"record {stage.before.end} written"

    def _reads(self, stage: OutageStage) -> int:
        """The record that a group's consumer processes, once it is given it."""
        record = stage.before.position[stage.arguments["group"]]
        if not wait_for(lambda: self.world.has(record), self.limit):
            raise Nothing(f"record {record} is not read, after {self.limit:g} s")
        return record

    def _consume(self, stage: OutageStage) -> str:
        record = self._reads(stage)
        self._commits(stage.arguments["group"], record + 1, True)
        return f"record {record} read; OffsetCommit of {record + 1}"

    def _process(self, stage: OutageStage) -> str:
        record = self._reads(stage)
        why = self._commits(stage.arguments["group"], record + 1, False)
        return f"record {record} read; its OffsetCommit is refused: {why}"

    def _commit(self, stage: OutageStage) -> str:
        offset = stage.before.position[stage.arguments["group"]]
        self._commits(stage.arguments["group"], offset, True)
        return f"OffsetCommit of {offset}"

    def _commits(self, group: Any, offset: int, taken: bool) -> str:
        """Has a group commit until that is taken, or until it is refused for good; why. Otherwise where it is the other
        way about."""
        said = list[str]()

        def answered() -> bool:
            said.append(self.world.commit(str(group), offset))
            return not said[-1] or (not taken and said[-1] in (NONE, ERRORS[15]))

        wait_for(answered, self.limit)
        if (said[-1] == "") != taken:
            raise Otherwise(f"the commit of {group} is {f'refused: {said[-1]}' if taken else 'taken'}")
        if not taken and said[-1] not in (NONE, ERRORS[15]):
            raise Nothing(f"the commit of {group} is neither taken nor refused: {said[-1]}, after {self.limit:g} s")
        return said[-1]

    # --- where one begins ---------------------------------------------------------------------------------------------

    def _restart(self, stage: OutageStage) -> str:
        group = stage.arguments["group"]
        client = self._consumer(group)
        try:
            if found := wait_for(lambda: self._began(client), _WAITS_SECONDS):
                raise Otherwise(f"the consumer of {group} is given its partition, and begins: {found}")
        finally:
            client.kill()
        return f"Kafka's consumer started; it has no partition after {_WAITS_SECONDS:g} s"

    def _begin_again(self, stage: OutageStage) -> str:
        group = stage.arguments["group"]
        stops = group in stage.after.stopped
        wanted = _NO_OFFSET if stops else str(stage.after.position[group])
        client = self._consumer(group)
        try:
            found = wait_for(lambda: self._began(client), self.limit)
            if found is None:
                raise Nothing(f"the consumer of {group} does not begin, after {self.limit:g} s")
            if found != wanted:
                raise Otherwise(f"the consumer of {group} begins: {found} in place of {wanted}")
            client.asked("close", self.limit)
        finally:
            client.kill()
        if not wait_for(lambda: self.world.is_empty(str(group)), self.limit):
            raise Nothing(f"the consumer of {group} has ended, and is a member after {self.limit:g} s")
        return f"Kafka's consumer joins, and {'stops: ' if stops else 'begins at '}{found}; close()"

    def _consumer(self, group: Any) -> Client:
        reset = self.plan.model.values["reset"]
        return self.world.consumer(str(group), str(getattr(reset, "value", reset)))

    def _began(self, client: Client) -> str | None:
        """Where a consumer begins, or why it does not; None while it has no partition."""
        said = client.asked("look", self.limit)
        if said is None:
            raise Nothing(f"a consumer does not answer, after {self.limit:g} s")
        wrong, *rest = said.split()
        if wrong != "-":
            return wrong
        places = [one.split(":")[1] for one in rest]
        return next((place for place in places if place != "none"), None)


def _refuse_chance(taken: Taken) -> None:
    """Broken where a broker that runs was fenced, for want of time, or where the controller chose another leader of
    those that may lead than the driver counts on: neither is against the model."""
    wanted: OffsetsSeen = taken.expected
    seen: OffsetsSeen = taken.seen
    if taken.otherwise is None:
        return
    step = f"step {taken.stage.first}"
    if more := [one for one, times in seen.fences.items() if times > wanted.fences.get(one, 0)]:
        raise Broken(f"{step}: broker {more[0]} was fenced while it ran: the machine had no time for it")
    others = {
        number: replace(part, leader=wanted.parts[number].leader)
        for number, part in seen.parts.items()
        if number in wanted.parts and _is_another(part, wanted.parts[number])
    }
    if others and not _parts_differ(wanted, replace(seen, parts={**seen.parts, **others})):
        raise Broken(f"{step}: the controller has another leader of those in sync than the driver counts on")


def _is_another(part: Part, wanted: Part) -> bool:
    return part.leader != wanted.leader and part.leader in part.isr and wanted.leader is not None


def _parts_differ(wanted: OffsetsSeen, seen: OffsetsSeen) -> bool:
    return shown(wanted)["partitions"] != shown(seen)["partitions"]
