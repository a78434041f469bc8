"""A node's clock that can be put forward: timeouts of hours end when somebody says so, and not otherwise.

A small library between a process and the system's C library adds to what the clock on the wall says as many seconds as
a file has, which both look at. Nothing within Kafka is changed, and the clock that only measures stays as it is.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path

_SOURCE = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile long long *ahead;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("TIDEGATE_CLOCK");
  int file = path ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *seen = mmap(0, sizeof(*ahead), PROT_READ, MAP_SHARED, file, 0);
  if (seen != MAP_FAILED) ahead = seen;
}

int clock_gettime(clockid_t id, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, id, now);
  if (!failed && id == CLOCK_REALTIME && ahead) now->tv_sec += *ahead;
  return failed;
}
"""


class NodeClocks:
    """The clocks of the nodes whose files are in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library = folder / "clock.so"

    def build(self) -> None:
        """Builds the library. RuntimeError where there is no C compiler, or where it refuses."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise RuntimeError("a C compiler (cc) is needed for clocks that can be put forward, and there is none")
        command = [compiler, "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(self._library)]
        done = subprocess.run(command, input=_SOURCE, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{compiler} does not build the library of the clocks: {done.stderr.strip()[-400:]}")

    def environment(self, node: int) -> Mapping[str, str]:
        """What a node's process is started with; its clock is as far ahead as before."""
        if not self._file(node).exists():
            self._write(node, 0)
        return {"LD_PRELOAD": str(self._library), "TIDEGATE_CLOCK": str(self._file(node))}

    def advance(self, node: int, seconds: int) -> None:
        """Puts a node's clock forward."""
        self._write(node, struct.unpack("q", self._file(node).read_bytes())[0] + seconds)

    def _write(self, node: int, seconds: int) -> None:
        path = self._file(node)
        with path.open("r+b" if path.exists() else "wb") as file:  # the same file: processes look at it
            file.write(struct.pack("q", seconds))

    def _file(self, node: int) -> Path:
        return self._folder / f"{node}.clock"
