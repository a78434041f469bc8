"""What a client may rely on when a coordinator has answered (`properties`), and that it writes to a log that keeps what
it acknowledges (`as_log`)."""

from __future__ import annotations

from . import properties

modules = (properties,)
