"""ZooKeeper's own file, `zoo.cfg`: which servers vote, where they are, for how long sessions may be, and what of it is
not modelled.

ZooKeeper Administrator's Guide, Minimum Configuration, Cluster Options, Unsafe Options; ZooKeeper Observers; ZooKeeper
Dynamic Reconfiguration; `QuorumPeerConfig` and `ZooKeeperServer` (3.8) for defaults.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from ..cluster.directories import is_in_memory, is_temporary
from ..cluster.findings import Finding
from ..cluster.statements import Origin
from .parsed_file import Part

_SERVER = re.compile(r"(?P<host>\[[^\]]+\]|[^\s:;|\[\]]+):(?P<peer>\d+):\d+(?P<rest>\S*)")
_SETTING = re.compile(r"^[ \t]*(?P<key>[A-Za-z][\w.]*)[ \t]*[=:][ \t]*(?P<value>.*?)[ \t\r]*$", re.MULTILINE)
_WEIGHTS = re.compile(r"(group|weight)\.\d+")

FORMAT = "zoo.cfg"
DYNAMIC = "dynamicConfigFile"
"""Where it is set, the servers are those of that file, and those beside it are not read (QuorumPeerConfig.parse)."""

TICK = 3000
"""In milliseconds, where `tickTime` says nothing (`ZooKeeperServer.DEFAULT_TICK_TIME`)."""

UNSAFE = ("forceSync", "zookeeper.forceSync")
"""With `no` a server acknowledges what is not on its disk yet."""

DYNAMICS = "ZooKeeper Dynamic Reconfiguration"
BESIDE = "docs of ZooKeeper, Administrator's Guide"


def read_zookeeper_file(path: str, text: str) -> Part | None:
    """The voting servers of an ensemble, with the ports of clients; None of a file that is none of ZooKeeper's.

    Observers do not vote (`:observer`). A server that is listed with several addresses is at the first of them. Of two
    on one host that name no port for clients, the second is named by its port for the other servers. A file without
    servers is of one that stands alone (QuorumPeerMain), and with `dynamicConfigFile` another file lists them.
    """
    given = {match["key"]: match for match in _SETTING.finditer(text)}
    listed = [match for key, match in given.items() if key.startswith("server.")]
    alone = "dataDir" in given and not given.keys().isdisjoint({"clientPort", "secureClientPort", DYNAMIC})
    if not alone and not any(map(_server_address_match, listed)):
        return None
    part = Part(FORMAT)
    if DYNAMIC in given:
        part.fact("zookeeper_elsewhere", given[DYNAMIC]["value"], _match_place(path, text, given[DYNAMIC]))
    elif listed:
        _read_voting_servers(part, path, text, given)
    else:
        part.fact("zookeeper_alone", "", Origin(path))
    _read_session_bounds(part, path, text, given)
    if "dataDir" in given:
        place = given["dataDir"]
        part.fact("zookeeper_directory", place["value"].rstrip("/"), _match_place(path, text, place))
    _note_unsafe_settings(part, path, text, given)
    return part


def _server_address_match(match: re.Match[str]) -> re.Match[str] | None:
    """Where a server is, None if ZooKeeper does not take it for one (QuorumServer: an id, a host and two ports)."""
    return _SERVER.fullmatch(match["value"]) if re.fullmatch(r"server\.\d+", match["key"]) else None


def _read_voting_servers(part: Part, path: str, text: str, matches: dict[str, re.Match[str]]) -> None:
    """Those that vote. Of lines with one number the last counts, as in java.util.Properties."""
    default = matches["clientPort"]["value"] if "clientPort" in matches else "2181"
    for key, match in matches.items():
        if not key.startswith("server."):
            continue
        server = _server_address_match(match)
        if server is None:
            what = f"`{key}={match['value']}` is not a server to ZooKeeper: which servers vote is not known"
            to_do = "write it as server.1=host:2888:3888"
            part.note("incomplete", "error", what, _match_place(path, text, match), to_do, BESIDE)
        elif ":observer" not in server["rest"]:
            own = re.search(r";(?:.*:)?(\d+)$", server["rest"])
            name = f"{server['host']}:{own[1] if own is not None else default}"
            part.ensemble.append(name if name not in part.ensemble else f"{server['host']}:{server['peer']}")
    for match in _SETTING.finditer(text):
        if match["key"].startswith("server.") and match.start() != matches[match["key"]].start():
            what = f"`{match['key']}` is there again, and ZooKeeper takes the last one: this one does not count"
            part.note(
                "contradiction", "warning", what, _match_place(path, text, match), "a number for each server", BESIDE
            )


def _match_place(path: str, text: str, match: re.Match[str]) -> Origin:
    return Origin(path, text.count("\n", 0, match.start("key")) + 1)


def _read_session_bounds(part: Part, path: str, text: str, matches: dict[str, re.Match[str]]) -> None:
    """Between which bounds sessions are granted: 2 to 20 ticks, unless stated."""

    def number(key: str, otherwise: int) -> int:
        value = matches[key]["value"] if key in matches else ""
        return int(value) if re.fullmatch(r"\d{1,9}", value) else otherwise

    tick = number("tickTime", TICK)
    least, most = number("minSessionTimeout", 2 * tick), number("maxSessionTimeout", 20 * tick)
    key = next((key for key in ("maxSessionTimeout", "minSessionTimeout", "tickTime") if key in matches), None)
    where = Origin(path) if key is None else _match_place(path, text, matches[key])
    part.fact("zookeeper_sessions", f"{least} to {most}", where)


def _note_unsafe_settings(part: Part, path: str, text: str, matches: dict[str, re.Match[str]]) -> None:
    """What lets a server forget what it has acknowledged; the models have an ensemble that does not."""
    for key, match in matches.items():
        value, where = match["value"], _match_place(path, text, match)
        if key in UNSAFE and value.lower() == "no":
            what = f"`{key}=no`: with a loss of power ZooKeeper's servers forget what they have acknowledged"
            to_do = "remove it, so that ZooKeeper waits for the disk"
            part.note(
                "incomplete", "error", f"{what}, the metadata of topics, which is not modelled", where, to_do, BESIDE
            )
        elif key in ("dataDir", "dataLogDir") and is_in_memory(value):
            what = f"`{key}={value}` is in memory: with a loss of power a ZooKeeper server has nothing left"
            to_do = f"put {key} on a disk"
            part.fact("passing_ensemble", value, where)
            part.note("incomplete", "error", f"{what} of the metadata, which is not modelled", where, to_do, BESIDE)
        elif key in ("dataDir", "dataLogDir") and is_temporary(value):
            what = f"`{key}={value}`: a temporary folder is emptied by cleaners and restarts"
            part.note("advice", "warning", what, where, f"put {key} on a disk of its own", BESIDE)
        elif _WEIGHTS.fullmatch(key):
            what = (
                "groups and weights of ZooKeeper's servers are not modelled: which of them are a majority is not known"
            )
            part.note("incomplete", "error", what, where, "ask about an ensemble in which each server counts")
            return


def join_ensemble(parts: Sequence[Part], findings: list[Finding]) -> list[str]:
    """The servers that vote, by every file of an ensemble; the findings get what the files do not agree on."""
    files = [part for part in parts if part.format == FORMAT and part.ensemble]
    for part in files[1:]:
        if {*part.ensemble} != {*files[0].ensemble}:
            first, other = (file.facts["zookeeper_sessions"][0].origin.path for file in (files[0], part))
            here, there = (", ".join(file.ensemble) for file in (files[0], part))
            what = f"ZooKeeper's servers that vote are {here} in {first}, and {there} in {other}"
            to_do = "give every server the same list, `:observer` too, or the files of one ensemble"
            findings.append(Finding("incomplete", "error", what, Origin(other), to_do, "ZooKeeper Observers"))
            break
    _note_missing_server_file(parts, findings)
    _note_shared_directory(files, findings)
    return [server for part in parts for server in part.ensemble]


def _note_missing_server_file(parts: Sequence[Part], findings: list[Finding]) -> None:
    """A file that names another one for the servers that vote, which was not given."""
    files = [part for part in parts if part.format == FORMAT and part.ensemble]
    named = {posixpath.basename(part.facts["zookeeper_sessions"][0].origin.path) for part in files}
    for fact in (fact for part in parts for fact in part.facts.get("zookeeper_elsewhere", ())):
        if posixpath.basename(fact.value) not in named:
            what = f"`{DYNAMIC}={fact.value}`: the servers that vote are in that file, which was not given"
            findings.append(Finding("incomplete", "error", what, fact.origin, "give that file, too", DYNAMICS))
            return


def note_stand_alone_servers(parts: Sequence[Part], server_names: Sequence[str], findings: list[Finding]) -> None:
    """The findings get a file of a server that stands alone, where brokers name several (`server_names`), or another
    file lists an ensemble: servers that do not know each other each keep a controller and metadata of their own. Where
    brokers name one server, it is that one."""
    listed = next((part.ensemble for part in parts if part.format == FORMAT and part.ensemble), list[str]())
    if len({*server_names}) == 1 and not listed:
        return
    for fact in (fact for part in parts for fact in part.facts.get("zookeeper_alone", ())):
        others = (
            f"another file lists {', '.join(listed)}"
            if listed
            else f"brokers name {', '.join(server_names) or 'others'}"
        )
        what = f"this file has no `server.N`, so that its ZooKeeper server stands alone, and {others}"
        to_do = "list every server in it, or leave the file out if no broker uses its server"
        findings.append(Finding("incomplete", "error", what, fact.origin, to_do, BESIDE))
        return


def _note_shared_directory(files: Sequence[Part], findings: list[Finding]) -> None:
    """Two files with one directory, of an ensemble with two servers on one host: in it `myid` says who it is, so that
    both would be the same server (QuorumPeerConfig, setupMyId). Containers have file systems of their own."""
    hosts = Counter(server.rpartition(":")[0] for server in files[0].ensemble) if files else Counter[str]()
    places = [fact for part in files for fact in part.facts.get("zookeeper_directory", ())]
    many = max(hosts.values(), default=0)
    for first, second in combinations(places, 2):
        if first.value == second.value and many > 1 and first.origin.path != second.origin.path:
            host = next(host for host, number in hosts.items() if number == many)
            what = (
                f"`dataDir={second.value}` is that of {first.origin}, too, and {many} ZooKeeper servers stand on "
                f"{host}: with one directory two of them are one server"
            )
            to_do = "give each server on a host a dataDir of its own, or the files of containers as a compose file"
            findings.append(Finding("incomplete", "error", what, second.origin, to_do, BESIDE))
            return
