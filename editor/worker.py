"""`python -P -m tidegate.editor.worker`: reads or checks one model, as it is asked on standard input.

The request is one line of JSON; answers are lines of JSON on standard output, the last one `{"answer": ...}` or
`{"failure": ...}`. To read a model is to execute its text, which may take for ever, end the process or print: so this
is a process of its own, what a text prints goes nowhere, and it ends when standard input does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections.abc import Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from ..language.errors import ModelErrors, UsageError
from ..language.values import ModelError
from ..language.verdict import DisagreementError
from .checking import check_file
from .reading import read_model


def answer_request(request: Mapping[str, Any], stream: TextIOWrapper) -> None:
    """Does what is asked, and writes what comes of it."""

    def write(kind: str, what: object) -> None:
        print(json.dumps({kind: what}), file=stream, flush=True)

    try:
        if request["verb"] == "read":
            unsaved = {Path(path): text for path, text in request["unsaved"].items()}
            write("answer", read_model(Path(request["model"]), unsaved))
        else:
            write("answer", check_file(request["model"], request["property"], lambda text: write("progress", text)))
    except ModelErrors as error:
        write("failure", error.render())
    except (UsageError, ModelError, DisagreementError) as error:
        write("failure", str(error))
    except KeyboardInterrupt:
        write("failure", "it was stopped before there was a result")
    except BaseException:  # what is ours to repair: the server goes on, and shows it
        write("failure", f"this is a defect of tidegate: report these lines\n{traceback.format_exc()}")


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Answers one request."""
    out = open(os.dup(1), "w", encoding="utf-8")  # noqa: SIM115  # as long as the process
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    answer_request(request, out)
    os._exit(0)


if __name__ == "__main__":
    main()
