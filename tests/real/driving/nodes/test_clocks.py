"""Clocks of processes that are put forward."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tidegate.real.driving.nodes.clocks import NodeClocks


def test_a_clock_is_advance_while_a_process_looks_at_it(tmp_path: Path) -> None:
    clocks = NodeClocks(tmp_path)
    try:
        clocks.build()
    except RuntimeError as error:
        pytest.skip(str(error))
    code = "import time, sys\nfor _ in sys.stdin:\n    print(int(time.time() - time.monotonic()), flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | clocks.environment(1),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        said = list[int]()
        for ahead in (0, 7_200, 60):
            clocks.advance(1, ahead)
            process.stdin.write("\n")
            process.stdin.flush()
            said.append(int(process.stdout.readline()))
        process.stdin.close()
    assert [round((one - said[0]) / 60) for one in said] == [0, 120, 121]
