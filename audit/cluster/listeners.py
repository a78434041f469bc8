"""The listeners of a node, as its settings list and name them."""

from __future__ import annotations

import re

from ..kafka.keys import declared_key
from .statements import Setting

OF_LISTENERS = (declared_key("controller.listener.names"), declared_key("inter.broker.listener.name"))
"""Settings whose values are names of listeners."""


CONTROLLERS, BETWEEN = OF_LISTENERS

PROTOCOL, PROTOCOLS = declared_key("security.inter.broker.protocol"), declared_key("listener.security.protocol.map")

_ENTRY = re.compile(r"(?P<name>.*)://\[?(?P<host>[0-9a-zA-Z\-%._:]*)\]?:(?P<port>-?[0-9]+)")


def listener_entries(listeners: Setting) -> list[tuple[str, str, int]]:
    """Name, host and port of each listener; those that are no listener are left out."""
    found = (_ENTRY.fullmatch(text.strip()) for text in listeners.value.split(","))
    return [(match["name"].strip(), match["host"], int(match["port"])) for match in found if match is not None]


def listener_names(text: str) -> set[str]:
    """The names of listeners in a list of them, with addresses or without, in capitals."""
    return {name.upper() for name in written_listener_names(text)}


def written_listener_names(text: str) -> set[str]:
    """The names of listeners in a list of them, as they are written."""
    return {entry.partition("://")[0].strip() for entry in text.split(",") if entry.strip()}
