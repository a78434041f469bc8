"""The table of docs/confirmed.md about consumers: traces of `consumer`, with Kafka's own client of the release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .confirmed import Row
from .confirmed_controllers import Question, of_questions

CRASH, PAUSE, CALM = ("--bounds", "one_crash"), ("--bounds", "one_pause"), ("--bounds", "calm")
NEW = (("4.1.0", False),)
BOTH = (("3.4.1", False), *NEW)
COMMITTED_THEN_LOST = (
    "produce(P); start_member(A); begin_generation({P: A, Q: A}); begin_at_offset(member=A, partition=P); "
    "poll(member=A, partition=P, upto=1); process(member=A, partition=P, entry=0, commits_it=false); commit(A); "
    "crash(A); session_times_out(A); lose_offset(P); start_member(A); begin_generation({P: A, Q: A}); "
    "reset_position(member=A, partition=P, since=0); poll(member=A, partition=P, upto=1); "
    "process(member=A, partition=P, entry=0, commits_it=false)"
)
THREE = (("records", 3), ("entries", 3))
_BEGUN = "produce(P); start_member(A); begin_generation({P: A, Q: A}); "
_READ = "begin_at_offset(member=A, partition=P); poll(member=A, partition=P, upto=1); "
_DONE = "process(member=A, partition=P, entry=0, commits_it=false); "
CUT_AND_NOTICED = (
    f"{_BEGUN}begin_at_offset(member=A, partition=Q); {_READ}{_DONE}truncate(P); produce(P); "
    "detect_truncation(member=A, partition=P); produce(P); poll(member=A, partition=P, upto=2); "
    "process(member=A, partition=P, entry=1, commits_it=false); "
    "process(member=A, partition=P, entry=2, commits_it=false); commit(A)"
)
CUT_AND_NOT_NOTICED = (
    f"{_BEGUN}{_READ}{_DONE}truncate(P); produce(P); produce(P); poll(member=A, partition=P, upto=2); "
    "process(member=A, partition=P, entry=2, commits_it=false)"
)
CUT_BELOW_AN_OFFSET = (
    f"{_BEGUN}start_member(B); {_READ}{_DONE}commit(A); truncate(P); produce(P); rejoin(A); "
    "begin_generation({P: B, Q: A}); begin_at_offset(member=B, partition=P); produce(P); "
    "poll(member=B, partition=P, upto=2); process(member=B, partition=P, entry=2, commits_it=false)"
)
CUT_BELOW_THE_END = (
    f"{_BEGUN}reset_position(member=A, partition=P, since=1); truncate(P); produce(P); produce(P); "
    "poll(member=A, partition=P, upto=2); process(member=A, partition=P, entry=2, commits_it=false)"
)
CUT_AT_THE_BEGINNING = (
    f"{_BEGUN}reset_position(member=A, partition=P, since=0); reset_position(member=A, partition=Q, since=0); "
    "truncate(P); produce(P); produce(P); poll(member=A, partition=P, upto=2); "
    "process(member=A, partition=P, entry=1, commits_it=false); "
    "process(member=A, partition=P, entry=2, commits_it=false); commit(A)"
)
SENT_AGAIN_WITH_NEWER = (
    f"{_BEGUN}begin_at_offset(member=A, partition=P); begin_at_offset(member=A, partition=Q); start_member(B); "
    "fail_commit(A); poll(member=A, partition=P, upto=1); retry_commit(A); crash(A)"
)
QUESTIONS = (
    Question("before", "committed before it is processed, and a crash: lost", "at_least_once", CRASH, BOTH),
    Question("before", "a zombie processes what its successor has passed", "in_order", PAUSE, NEW),
    Question("auto", "automatic commits, and a crash: twice", "at_most_once", CRASH, BOTH),
    Question("auto", "a zombie polls and processes what its successor does, too", "at_most_once", PAUSE, NEW),
    Question("auto", "a rebalance: the position is committed before it", "another_goes_on", CALM, NEW),
    Question("earliest", "two members, each with a partition", "each_has_one", CALM, NEW),
    Question("after", "committed after it is processed, and a crash between: twice", "at_most_once", CRASH, NEW),
    Question("each", "each record committed, and a crash before that: twice", "at_most_once", CRASH, NEW),
    Question("now_and_then", "a rebalance before the commit: twice", "at_most_once", CALM, NEW),
    Question("after_on_revoke", "a listener commits before a rebalance", "another_goes_on", CALM, NEW),
    Question(
        "auto_handed_over", "a poll commits what another thread has yet to process: lost", "at_least_once", CRASH, BOTH,
    ),
    Question("after_in_pool", "a pool commits a later record first: lost", "at_least_once", CRASH, NEW),
    Question("closes_after_exception", "close() commits what was not processed: lost", "at_least_once", CALM, BOTH),
    Question("after_with_exception", "an exception, and close() commits nothing: twice", "at_most_once", CALM, NEW),
    Question("commit_lost", "a commit fails, then a rebalance: twice", "at_most_once", CALM, NEW),
    Question(
        "async_sent_again", "a commitAsync that is sent again after a later one", "offset_never_goes_back", CALM, NEW,
    ),
    Question(
        "unfenced", "a zombie's commit, which no release takes", "offset_never_goes_back", PAUSE, (("4.1.0", True),),
    ),
    Question("latest_offset_lost", "`latest`, and the offset is lost: skipped", "nothing_skipped", CALM, BOTH),
    Question(
        "earliest_offset_lost", "`earliest`, and the offset is lost: twice", "at_most_once", CRASH, NEW,
        COMMITTED_THEN_LOST,
    ),
    Question("none_offset_lost", "`none`, and the offset is lost: it stops", "goes_on", CALM, NEW),
    Question(
        "duration_offset_lost", "a duration, and the offset is lost: skipped", "nothing_skipped", CALM,
        (*NEW, ("3.9.1", False)),
    ),
    Question("latest_deleted", "`latest`, and records are deleted: skipped", "nothing_skipped", CALM, NEW),
    Question("earliest_deleted", "retention overtakes the group", "nothing_expires_unread", CALM, NEW),
    Question("latest_first_start", "`latest`, and the group has no offset yet: skipped", "nothing_skipped", CALM, NEW),
    Question("latest_grows", "`latest`, and a partition that was added: skipped", "nothing_skipped", CALM, BOTH),
    Question("earliest_grows", "`earliest`: all is processed and committed", "everything_is_committed", CALM, NEW),
    Question("kip_320", "a log is cut below what was read, and the consumer goes back", "everything_is_committed",
             CALM, BOTH, CUT_AND_NOTICED, THREE),
    Question("kip_320_offset_alone", "the same where an offset was committed without its epoch: skipped",
             "nothing_skipped", CALM, BOTH, CUT_BELOW_AN_OFFSET, THREE),
    Question("kip_320_latest", "the same where `latest` gave the position: skipped", "nothing_skipped", CALM, BOTH,
             CUT_BELOW_THE_END, THREE),
    Question("kip_320_earliest", "a log is cut where `earliest` gave the position: all is read",
             "everything_is_committed", CALM, NEW, CUT_AT_THE_BEGINNING, THREE),
    Question("truncated", "a consumer that does not notice that a log is cut, which no release has",
             "nothing_skipped", CALM, (("4.1.0", True),), CUT_AND_NOT_NOTICED, THREE),
    Question("kip_848_retry", "KIP-848's consumer commits what is in hand as it sends a commit again: lost",
             "at_least_once", CRASH, (("4.0.0", False), *NEW), SENT_AGAIN_WITH_NEWER),
    Question("kafka_18641", "KIP-848's consumer commits what is in hand: lost", "at_least_once", CRASH,
             (("3.9.1", True), ("4.1.0", True))),
)  # fmt: skip
_ANYHOW = "it stands for every coordinator at once, and a real one keeps rules"
NOT_DRIVEN: Mapping[str, str] = {
    "together": "offsets are in a database with the effects, and what that keeps is nothing of Kafka's",
    "auto_anyhow": _ANYHOW,
    "after_anyhow": _ANYHOW,
    "each_anyhow": _ANYHOW,
    "before_anyhow": _ANYHOW,
    "handed_over_anyhow": _ANYHOW,
    "kip_320_cut_twice": "each of its cuts is as the one of `kip_320`",
    "kip_320_comes_back": "the driver keeps no copy of a log that it cuts",
}
"""Profiles of consumers that were not driven, and why."""


def consumers(*only: str) -> Iterator[Row]:
    """The rows."""
    return of_questions("consumer", QUESTIONS, only)
