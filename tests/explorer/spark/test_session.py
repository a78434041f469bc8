"""What Spark's errors become in words."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from tidegate.explorer.spark.job import DamagedRunError
from tidegate.explorer.spark.session import job_error, telling_line
from tidegate.language.errors import UsageError

TASK = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "adapter.py", line 89, in run
    yield from _batches(rows)
{raised}
"""
WHERE = "at level 3; the same command with the same --run-dir goes on from the last complete level"


def words(raised: str) -> UsageError:
    """What a task's error is in words."""
    error = job_error(RuntimeError(TASK.format(raised=raised)), WHERE)
    assert isinstance(error, UsageError)
    return error


def test_what_a_task_raised_is_named() -> None:
    raised = "FileNotFoundError: [Errno 2] No such file or directory: '/scratch'"
    assert str(words(raised)) == (
        f"Spark gave up at level 3: {raised}; the same command with the same --run-dir goes on from the last complete "
        "level"
    )


def test_a_full_disk_is_named() -> None:
    assert str(words("OSError: [Errno 28] No space left on device")) == (
        "Spark gave up at level 3: No space left on device; make room where --run-dir, --scratch and Spark's own files "
        "(spark.local.dir) are, then the same command with the same --run-dir goes on from the last complete level"
    )


def test_a_damaged_run_stays_one() -> None:
    error = words("tidegate.explorer.spark.job.DamagedRunError: L00003/s00000.states: the file is missing")
    assert isinstance(error, DamagedRunError) and str(error) == "L00003/s00000.states: the file is missing"


def test_of_java_the_cause_is_named() -> None:
    error = RuntimeError(
        "An error occurred while calling o1.\n: Job aborted\n\tat a.B.c\nCaused by: java.io.IOException: no"
    )
    assert telling_line(error) == "Caused by: java.io.IOException: no"
