"""Bugs that protocols have had, planted in the models one at a time: the proofs refute each.

A mutant is the model's own text with one piece replaced, beside lemmas and properties as they are.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path

import pytest
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.unbounded import boundless_constants
from tidegate.gates.records import known_violations
from tidegate.invariants.catalogue import find
from tidegate.language.binding import Definition
from tidegate.language.proof import ProofFinding, UnstatedProperty

from ..support.mutants import Mutant, plant_mutant

PROFILES = {"raft": "paper", "replication": "kip320", "kraft": "kip595"}
SECONDS = 10.0
"""Of a processor, in which a bug is refuted where the model's own proof is kept. A clock on the wall is not asked."""

MUTANTS = {
    "a server votes twice": Mutant(
        "raft", "raft/protocol.py", "(s.voted_for[voter] is None or s.voted_for[voter] == request.source) and (", "("
    ),
    "one vote less than a majority elects": Mutant(
        "raft",
        "raft/protocol.py",
        "require(is_quorum(s.votes_granted[candidate], members(s, candidate)))",
        "require(len(s.votes_granted[candidate]) >= 1)",
    ),
    "a vote is forgotten": Mutant(
        "raft", "raft/protocol.py", "    s.voted_for[server] = server\n", "    s.voted_for[server] = None\n"
    ),
    "up to date is by term only": Mutant(
        "raft",
        "raft/protocol.py",
        "(term == last_term(s, voter) and last_index >= len(s.log[voter]))",
        "term == last_term(s, voter)",
    ),
    "replicas are counted in earlier terms": Mutant(
        "raft", "raft/protocol.py", "commit_rule == CommitRule.COUNT_REPLICAS or s.log", "True or s.log"
    ),
    "a heartbeat cuts the log": Mutant(
        "raft",
        "raft/protocol.py",
        "return log if keep_matching_entries else log[: request.index]",
        "return log[: request.index]",
    ),
    "an old request is answered": Mutant(
        "raft",
        "raft/protocol.py",
        "success = request.term == s.current_term[request.to] and agrees(s, request)",
        "success = request.term <= s.current_term[request.to] and agrees(s, request)",
    ),
    "the commit index goes beyond what was sent": Mutant(
        "raft",
        "raft/protocol.py",
        "commit_index=min(s.commit_index[leader], previous if is_heartbeat else previous + 1)",
        "commit_index=s.commit_index[leader]",
    ),
    "the entry before a new one is not compared": Mutant(
        "raft", "raft/protocol.py", "(not check_previous or log[request.index - 1].term == request.log_term)", "True"
    ),
    "an old reply is counted": Mutant(
        "raft",
        "raft/protocol.py",
        "    counts = reply.term == s.current_term[leader] and s.role[leader] == Role.LEADER\n",
        "    counts = s.role[leader] == Role.LEADER\n",
    ),
    "an old vote is counted": Mutant(
        "raft",
        "raft/protocol.py",
        "reply.success and reply.term == s.current_term[candidate] and s.role[candidate] == Role.CANDIDATE",
        "reply.success and s.role[candidate] == Role.CANDIDATE",
    ),
    "the match index is kept": Mutant(
        "raft", "raft/cluster.py", "    s.match_index[server] = Map({other: 0 for other in Server})\n", ""
    ),
    "the ISR grows by who is in another epoch": Mutant(
        "replication",
        "replication.py",
        "require(not fence_isr_expansion or are_in_one_epoch(s, follower, leader))\n",
        "require(True)\n",
    ),
    "the log is cut one record too far": Mutant(
        "replication",
        "replication.py",
        "s.log[replica].truncate(end)",
        "s.log[replica].truncate(max(end - 1, 0))",
    ),
    "a leader is elected outside of the ISR": Mutant(
        "replication",
        "replication.py",
        "    require(leader in s.quorum.isr)\n    require(leader != s",
        "    require(leader != s",
    ),
    "the high watermark passes a laggard": Mutant(
        "replication",
        "replication.py",
        "            and has_reached(s, follower, leader, offset + 1)\n            for",
        "            and has_reached(s, follower, leader, offset)\n            for",
    ),
    "the high watermark goes back": Mutant(
        "replication",
        "replication.py",
        "    s.high_watermark[leader] = offset + 1\n",
        "    s.high_watermark[leader] = max(offset - 1, 0)\n",
    ),
    "the high watermark begins at 0 at an election": Mutant(
        "replication",
        "replication.py",
        "    s.leader[leader] = leader\n",
        "    s.leader[leader] = leader\n    s.high_watermark[leader] = 0\n",
    ),
    "a voter votes twice in an epoch": Mutant(
        "kraft", "kraft/protocol.py", "        and s.election[voter].voted_for is None\n", ""
    ),
    "a majority is taken to have one record more": Mutant(
        "kraft",
        "kraft/log_steps.py",
        "(end if voter == follower else s.election[leader].fetched_to[voter]) > offset",
        "(end if voter == follower else s.election[leader].fetched_to[voter]) >= offset",
    ),
    "a log is up to date that lacks one record": Mutant(
        "kraft",
        "kraft/quorum.py",
        "epoch == last_epoch(s, voter) and end >= len(s.log[voter])",
        "epoch == last_epoch(s, voter) and end + 1 >= len(s.log[voter])",
    ),
    "no record of the leader's epoch is awaited": Mutant(
        "kraft",
        "kraft/log_steps.py",
        "counts = reached > start if high_watermark_rule",
        "counts = reached >= start if high_watermark_rule",
    ),
    "a candidate's log is not compared": Mutant(
        "kraft",
        "kraft/protocol.py",
        "    require(is_up_to_date(s, voter, len(s.log[candidate]), last_epoch(s, candidate)))\n    epoch",
        "    epoch",
    ),
}


class RefutedError(Exception):
    """A mutant is refuted: nothing more is to be proved."""


def refute(definition: Definition, mutant: Mutant, folder: Path) -> list[ProofFinding]:
    """Proves until something is refuted, and answers what was found. What is known to be false of the model's own text
    is left out."""
    found: list[ProofFinding] = []

    def heard(news: ProofFinding | UnstatedProperty) -> None:
        if isinstance(news, ProofFinding):
            found.append(news)
            if news.word == "refuted":
                raise RefutedError

    profile = PROFILES[mutant.model]
    model = definition.bind(f"{mutant.model}:{profile}", profile=profile)
    boundless = boundless_constants(definition, model)
    asked = ProofRequest(workers=1, folder=folder, known_violations=known_violations(definition, model, boundless))
    with pytest.raises(RefutedError):
        Induction(definition, model, asked, boundless=boundless).prove(heard)
    return found


@dataclass(frozen=True)
class KeptProofs:
    """The folder where the proofs of this module are kept, and the models whose own proof is there."""

    folder: Path
    models: set[str]

    def warm(self, name: str) -> Path:
        """The folder, once the model's own text is proved in it: after that only what a bug touches is new."""
        if name not in self.models:
            self.models.add(name)
            definition, profile = find(f"{name}:{PROFILES[name]}")
            model = definition.bind(f"{name}:{profile}", {}, profile)
            known = known_violations(definition, model, boundless_constants(definition, model))
            asked = ProofRequest(workers=1, folder=self.folder, known_violations=known)
            assert Induction(definition, model, asked).prove(lambda _: None).word == "proved"
        return self.folder


@pytest.fixture(scope="module")
def kept_proofs(tmp_path_factory: pytest.TempPathFactory) -> KeptProofs:
    """Where the proofs of this module are kept."""
    return KeptProofs(tmp_path_factory.mktemp("kept"), set())


def spent() -> float:
    """The seconds of a processor that this process and those that it waited for have taken."""
    return sum(usage.ru_utime for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


@pytest.mark.proof
@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_is_refuted(name: str, tmp_path: Path, kept_proofs: KeptProofs) -> None:
    mutant = MUTANTS[name]
    folder = kept_proofs.warm(mutant.model)
    definition = plant_mutant(tmp_path, mutant)
    began = spent()
    found = refute(definition, mutant, folder)
    seconds = spent() - began
    print(f"{name}: {found[-1].obligation} after {seconds:.1f} s")
    assert found[-1].counterexample is not None
    assert seconds < SECONDS
