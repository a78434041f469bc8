"""Kafka's own client in a process: a small program in Java that does what the lines of its input say."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from .processes import bound_command
from .releases import Release
from .running import NodesError, wait_for

START_SECONDS = 120.0


class ClientProcess:
    """A process of a program that is beside this file (`Producer.java`), with settings and more environment, as the
    release's client. What it says is in `said`. NodesError where it does not start."""

    def __init__(
        self,
        release: Release,
        program: str,
        settings: Mapping[str, object],
        errors: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        source = str(Path(__file__).with_name(f"{program}.java"))
        given = [f"{name}={value}" for name, value in settings.items()]
        java = (
            release.java,
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            f"{release.jars}/*",
        )
        self.said = list[str]()
        self._errors = errors
        pipe = subprocess.PIPE
        with errors.open("a") as log:
            self.process = subprocess.Popen(
                bound_command([*java, source, *given]),
                env={**os.environ, **(environment or {})},
                stdin=pipe,
                stdout=pipe,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        threading.Thread(target=self._listen, daemon=True).start()
        if not self.wait_for_line("ready", START_SECONDS):
            self.kill()
            raise NodesError(f"the client did not start: {self.last_error()}")

    def write_line(self, line: str) -> None:
        """Says what to do. NodesError where it is not there any more."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{line}\n")
            self.process.stdin.flush()
        except OSError:
            raise NodesError(f"the client ended by itself: {self.last_error()}") from None

    def wait_for_line(self, line: str, seconds: float) -> bool:
        """Whether it has said something, or says it in time."""
        wait_for(lambda: line in self.said or self.process.poll() is not None, seconds)
        return line in self.said

    def ask(self, line: str, seconds: float) -> str | None:
        """Says what to do, and waits for the answer, which begins with `=`; None where none comes in time. NodesError
        where it ends before."""
        before = len(self.said)
        self.write_line(line)

        def answer() -> str | None:
            return next((one[2:] for one in self.said[before:] if one.startswith("= ")), None)

        wait_for(lambda: answer() is not None or self.process.poll() is not None, seconds)
        found = answer()
        if found is None and self.process.poll() is not None:
            raise NodesError(f"the client ended by itself: {self.last_error()}")
        return found

    def last_error(self) -> str:
        """The end of what went wrong in it."""
        lines = self._errors.read_text("utf-8", "replace").splitlines()
        wrong = [line for line in lines if "rror" in line or "Exception" in line]
        return (wrong or lines or ["it said nothing"])[-1][:400]

    def kill(self) -> None:
        """SIGKILL, and waits until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.strip())
