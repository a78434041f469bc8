"""What a setting is for a topic, a broker or a client: stated, a default with its source, or unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..kafka.keys import (
    WITH_FILES,
    DefaultRow,
    Key,
    KeyName,
    canonical_value,
    declared_key,
    settings_by_name,
    settings_table,
    settings_uncertain_by_distribution,
    why_illegal,
    wrapped_families,
)
from ..kafka.protocol_versions import first_release_with_protocol
from ..kafka.versions import ENDLESS, SPANS, WIDTH, Span, is_version, releases_meant
from .cluster import Broker, Client, Cluster, Topic
from .statements import (
    CLOUD,
    ENVIRONMENT,
    HIDDEN,
    IMPORTED,
    MARK,
    OF_ASKED,
    OPEN,
    Default,
    Origin,
    Setting,
    SettingValue,
    StatedValue,
    Unknown,
)

ENABLE_IDEMPOTENCE = declared_key("enable.idempotence")
TRANSACTIONAL_ID = declared_key("transactional.id")
UNCLEAN = declared_key("unclean.leader.election.enable")


def earliest_possible_release(cluster: Cluster) -> tuple[int, ...]:
    """The first release that the nodes may run by the protocol versions that they state, or by the metadata.version,
    which all of them know: none before knows these."""
    metadata = cluster.versions.metadata_version
    if metadata is not None and is_version(metadata.value):
        return releases_meant(metadata.value)[0]
    stated = [cluster.versions.inter_broker_protocol, *cluster.versions.protocols]
    since = (first_release_with_protocol(protocol.value) for protocol in stated if protocol is not None)
    return min((releases_meant(release)[0] for release in since if release is not None), default=(0,) * WIDTH)


ELR_FEATURE = "eligible.leader.replicas.version"


def elr_is_too_early(cluster: Cluster) -> bool:
    """Whether the metadata.version has no eligible leader replicas: it has them since 4.0-IV1 (MetadataVersion,
    IBP_4_0_IV1), and without a step (`4.0`) it is the release's last one."""
    stated = cluster.versions.metadata_version
    found = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.\d+)?(?:-IV(\d+))?", stated.value.strip()) if stated else None
    if found is None:
        return False
    return (int(found[1]), int(found[2]), int(found[3] or ENDLESS)) < (4, 0, 1)


def setting_value(cluster: Cluster, thing: Topic | Broker | Client, key: KeyName) -> SettingValue:
    """What a setting is for a topic, a broker or a client.

    A topic's own setting is stronger than a broker's dynamic one, that than the cluster-wide dynamic one, that than the
    broker's file (KIP-226). A stated value that is not legal, or is filled in later (`${...}`), is unknown; one that is
    a number or a boolean is safe to read as such. KeyError if the table does not have the key.
    """
    if isinstance(thing, Client):
        return _check_legal_value(
            _client_setting_value(thing, settings_table()[key]), settings_table()[key], base_family(thing)
        )
    if isinstance(thing, Broker):
        return _check_legal_value(
            _broker_setting_value(cluster, thing, settings_by_name()[key]), settings_by_name()[key]
        )
    return _check_legal_value(_topic_setting_value(cluster, thing, settings_table()[key]), settings_table()[key])


def setting_number(cluster: Cluster, thing: Topic | Broker | Client, key: KeyName) -> int | None:
    """A number that is stated or a default, without its fraction; None if it is unknown."""
    answer = setting_value(cluster, thing, key)
    return None if isinstance(answer, Unknown) or not answer.value else int(answer.value.partition(".")[0])


def setting_place(cluster: Cluster, thing: Topic | Broker | Client, key: KeyName) -> Origin:
    """Where a setting is stated, else where the thing is."""
    answer = setting_value(cluster, thing, key)
    return answer.origin if isinstance(answer, StatedValue) else thing.origin


def _check_legal_value(answer: SettingValue, key: Key, family: str | None = None) -> SettingValue:
    if not isinstance(answer, StatedValue) or (key.type == "string" and not key.legal):
        return answer
    if "${" in answer.value:
        return Unknown(f"`{key.name}` at {answer.origin} is filled in later", "the file with its values filled in")
    message = why_illegal(key, answer.value, family)
    if message or not answer.value:
        return Unknown(f"`{key.name}` at {answer.origin} {message or 'has no value'}", f"a legal value of {key.name}")
    return replace(answer, value=canonical_value(key, answer.value, family))


def _last_statement(settings: Sequence[Setting], name: str) -> Setting | None:
    """The last statement counts, as it does for Kafka; not one that is in force with some profile only."""
    found = next((setting for setting in reversed(settings) if setting.key == name and not setting.when), None)
    return None if found is None else normalize_boolean(found)


def normalize_boolean(setting: Setting) -> Setting:
    """A setting with its boolean in small letters and without blanks, so that values can be compared."""
    name = setting.key.removeprefix(MARK)
    key = settings_by_name().get(name) or settings_table().get(name)
    value = setting.value if key is None or key.type != "boolean" else canonical_value(key, setting.value, None)
    return setting if value == setting.value else replace(setting, value=value)


def _client_setting_value(client: Client, key: Key) -> SettingValue:
    """Open where one of Spring's profiles says otherwise: nothing says which of them is active."""
    always = _client_value_without_profiles(client, key)
    mine = [normalize_boolean(setting) for setting in client.settings if setting.key == key.name]
    said = {setting.when: setting for setting in mine if setting.when}
    others = [setting for setting in said.values() if isinstance(always, Unknown) or setting.value != always.value]
    imported = next((setting for setting in client.settings if setting.key == IMPORTED), None)
    if imported is not None and key.name in DECISIVE:
        return _open_to_import(client, key, always, imported)
    if not others:
        return always
    when = others[0].when if others[0].when.startswith((ENVIRONMENT, CLOUD)) else f"the profile {others[0].when}"
    why = f"`{key.name}` of {client.name} is {others[0].value} with {when} ({others[0].origin})"
    ask = "the profiles that are active, as `profiles` below [spring] in audit.toml, or who writes it, there too"
    ask = "--acks, or who writes it, in audit.toml" if others[0].when.startswith((ENVIRONMENT, CLOUD)) else ask
    base = (
        [Default(always.value, str(always.origin))]
        if isinstance(always, StatedValue)
        else list(_defaults_of_answer(always))
    )
    possible = {default.value: default for default in (*base, *(Default(s.value, str(s.origin)) for s in others))}
    given = [StatedValue(setting.value, setting.origin) for setting in others]
    given = [always, *given] if isinstance(always, StatedValue) else given
    return Unknown(f"{why}, and otherwise not", ask, tuple(possible.values()), tuple(given))


DECISIVE: Mapping[str, tuple[str, ...]] = {
    "acks": ("all", "1", "0"),
    declared_key("enable.idempotence"): ("true", "false"),
}
"""What answers turn on first, with every value that configuration from elsewhere may give it."""


def _open_to_import(client: Client, key: Key, always: SettingValue, imported_setting: Setting) -> Unknown:
    """Open, since configuration that was not read is stronger than the file that imports it."""
    said = [always.value] if isinstance(always, StatedValue | Default) else []
    values = dict.fromkeys(value for value in (*said, *DECISIVE[key.name]) if value in DECISIVE[key.name])
    why = f"`{key.name}` of {client.name} may be set by what `{IMPORTED}` names ({imported_setting.origin})"
    ask = "the values that are in force as a file of the producer's, and who writes the topic, in audit.toml"
    possible = tuple(Default(value, str(imported_setting.origin)) for value in values)
    return Unknown(why, ask, possible, (always,) if isinstance(always, StatedValue) else ())


def _client_value_without_profiles(client: Client, key: Key) -> SettingValue:
    """What a setting is for a client, whatever its profiles say."""
    rows = [row for row in key.defaults if row.of == _default_owner(client, key) and _applies_to_client(client, row)]
    found = _last_statement(client.settings, key.name)
    if found is not None and not is_fixed(client, key.name):
        return StatedValue(found.value, found.origin)
    what = f"`{key.name}` of {client.kind} {client.name} is not stated"
    hidden = _last_statement(client.settings, MARK + key.name)
    if hidden is not None and base_family(client) != "java":  # a program that reads the file itself may skip the mark
        why = f"`{key.name}` at {hidden.origin} is hidden by a byte order mark, unless the program skips that"
        rest = _client_value_without_profiles(
            replace(client, settings=tuple(s for s in client.settings if s.key != hidden.key)), key
        )
        said = (Default(hidden.value, str(hidden.origin)), *_defaults_of_answer(rest))
        given = (StatedValue(hidden.value, hidden.origin),)
        return Unknown(why, "the file without a byte order mark", tuple(dict.fromkeys(said)), given)
    foreign = _foreign_statement(client, key)
    if foreign is not None:
        rest = _client_value_without_profiles(
            replace(client, settings=tuple(s for s in client.settings if s.key != foreign.key)), key
        )
        why = f"`{foreign.key}={foreign.value}` at {foreign.origin} is `{key.name}` of a client of another family than "
        why += "the options say"
        said = (Default(foreign.value, str(foreign.origin)), *_possible_values(rest))
        return Unknown(why, "--client FILE=FAMILY:VERSION, or the file without it", tuple(dict.fromkeys(said)))
    if client.family is None:
        possible = tuple(dict.fromkeys(_possible_values_of_families(client, key)))
        return Unknown(f"{what}, nor is the client's family", "--client FAMILY:VERSION, such as java:3.9", possible)
    if not rows:
        return Unknown(f"{what}, and its default in {client.family.value} is not known here", f"set {key.name}")
    return _default_by_version(
        rows, what, client.version, "--client FAMILY:VERSION, such as java:3.9", "client's version"
    )


def _possible_values(answer: SettingValue) -> tuple[Default, ...]:
    return (
        (Default(answer.value, str(answer.origin)),) if isinstance(answer, StatedValue) else _defaults_of_answer(answer)
    )


def _foreign_statement(client: Client, key: Key) -> Setting | None:
    """What a client's file says under a name that only clients of another family have, where its own does not say its
    family: what an option says of all clients is no reason to pass over it."""
    family = base_family(client)
    if key.name not in DECISIVE or client.family is None or client.family.origin.path == client.origin.path:
        return None
    names = [name for other, names in key.aliases.items() if other != family for name in names]
    stated = (_last_statement(client.settings, name) for name in names)
    return next((setting for setting in stated if setting is not None), None)


def is_fixed(client: Client, key: KeyName) -> bool:
    """Whether a client has its default whatever is set, in every release that it may be."""
    rows = [
        row
        for row in settings_table()[key].defaults
        if row.of == _default_owner(client, settings_table()[key]) and _applies_to_client(client, row)
    ]
    fits = [
        row for row in rows if client.version is None or _is_default_in_span(row, releases_meant(client.version.value))
    ]
    return bool(fits) and all(row.is_fixed for row in fits)


def _applies_to_client(client: Client, row: DefaultRow) -> bool:
    """Whether a client has a default that producers have by whether they are to be idempotent; where that is open, each
    of them. Transactions need idempotence."""
    if not row.idempotent:
        return True
    on, transactional = ENABLE_IDEMPOTENCE, _last_statement(client.settings, TRANSACTIONAL_ID)
    if transactional is not None and transactional.value and _last_statement(client.settings, on) is None:
        return row.idempotent == "true"
    answer = _client_setting_value(client, settings_table()[on])
    return isinstance(answer, Unknown) or answer.value.lower() == row.idempotent


def _possible_values_of_families(client: Client, key: Key) -> Iterator[Default]:
    """What a setting may be: a family's default, or what the file says by a name that this family alone has."""
    said = {family: _last_statement(client.settings, name) for family, names in key.aliases.items() for name in names}
    yield from (
        Default(canonical_value(key, setting.value, family), f"{family}: {setting.origin}")
        for family, setting in said.items()
        if setting is not None
    )
    rows = [row for row in key.defaults if row.of in WITH_FILES and said.get(row.of) is None]
    yield from (Default(row.value, f"{row.of}: {row.source}") for row in rows)


def base_family(client: Client) -> str | None:
    """The family whose code a client runs: "java" for Spring's, "librdkafka" for what wraps it; None: not stated."""
    if client.family is None:
        return None
    wrapper = wrapped_families().get(client.family.value)
    return client.family.value if wrapper is None else wrapper["like"]


def _default_owner(client: Client, key: Key) -> str | None:
    """Whose default a client has; None if it sets one of its own."""
    wrapper = wrapped_families().get(client.family.value) if client.family else None
    return None if wrapper is not None and key.name in wrapper["but"] else base_family(client)


def _default_by_version(
    rows: Sequence[DefaultRow],
    what: str,
    version: StatedValue | None,
    ask: str,
    whose: str,
    release_span: Span | None = None,
) -> SettingValue:
    """The default of a version, or of every version `release_span` a span if it is not stated."""
    known = releases_meant(version.value) if version is not None else release_span
    fits = [row for row in rows if known is None or _is_default_in_span(row, known)]
    if not fits and version is not None:
        return Unknown(f"{what}, and its default in {version.value} is not known here", "set it")
    covered = known is not None or all(not row.since for row in rows[:1])
    if covered and len({row.value for row in fits}) == 1:
        return Default(fits[0].value, fits[0].source)
    possible = tuple(Default(row.value, row.source) for row in fits)
    if version is not None or all(row.where for row in fits):
        several = "; ".join(row.source for row in fits)
        return Unknown(f"{what}, and its default is one of several: {several}", "set it", possible)
    return Unknown(f"{what}, and its default depends on the {whose}", ask, possible)


def _is_default_in_span(row: DefaultRow, span_of: Span) -> bool:
    first, last = span_of
    return (not row.since or last >= releases_meant(row.since)[0]) and (
        not row.until or first < releases_meant(row.until)[0]
    )


def default_value(cluster: Cluster, key: Key, what: str) -> SettingValue:
    """A broker's or topic's setting where nobody states it, by version and distribution."""
    rows = [row for row in key.defaults if row.of == "apache"]
    possible = tuple(Default(row.value, row.source) for row in rows)
    owner = cluster.versions.distribution
    if owner is None:
        differing = cluster.versions.contradicting_versions.get("distribution", ())
        return Unknown(f"{what}, nor is the distribution", "--distribution, such as apache", possible, differing)
    own = [row for row in key.defaults if row.of == owner.value]
    if not own and (
        owner.value not in settings_uncertain_by_distribution()
        or key.name in settings_uncertain_by_distribution()[owner.value]
        or not rows
    ):
        return Unknown(f"{what}, and its default in {owner.value} is not known here", f"set {key.broker_names[0]}")
    first, last = SPANS[cluster.control_plane] if cluster.control_plane else ((0,) * WIDTH, (ENDLESS,) * WIDTH)
    within = (
        (max(first, earliest_possible_release(cluster)), last)
        if cluster.control_plane or any(earliest_possible_release(cluster))
        else None
    )
    ask, whose = "--kafka-version", "broker's version"
    if own and owner.value != "apache":
        ask, whose = f"set {key.broker_names[0]}", "cluster"
    found = _default_by_version(own or rows, what, cluster.versions.kafka, ask, whose, within)
    return replace(found, assumption=owner.assumption) if isinstance(found, Default) else found


def _broker_setting_value(cluster: Cluster, broker: Broker, key: Key) -> SettingValue:
    name = "a broker" if broker.id is None else f"broker {broker.id}"
    found = _statements_for_broker(cluster, broker, key)
    if found:
        return found[0] if len(found) == 1 else _contradicted_value(key, found, f"`{key.broker_names[0]}` of {name}")
    if not broker.settings:
        return Unknown(f"`{key.broker_names[0]}`: the configuration of {name} was not given", "its server.properties")
    default = default_value(cluster, key, f"`{key.broker_names[0]}` of {name} is not stated")
    perhaps = [setting for setting in broker.settings if setting.when and setting.key in key.broker_names]
    if not perhaps:
        return default
    said = normalize_boolean(perhaps[-1])
    value = _scale_number(said.value, key.factors[key.broker_names.index(said.key)])
    why = f"`{said.key}` of {name} is {value} in {said.when} ({said.origin}), and nothing says whether this one does"
    possible = {
        candidate.value: candidate for candidate in (Default(value, str(said.origin)), *_defaults_of_answer(default))
    }
    given = (StatedValue(value, said.origin),)
    return Unknown(why, "the server.properties that its container runs with", tuple(possible.values()), given)


def _statements_for_broker(cluster: Cluster, broker: Broker, key: Key) -> tuple[StatedValue, ...]:
    """What is stated for one broker, by the strongest who states it: several where these contradict each other."""
    for settings in (broker.dynamic, cluster.dynamic, broker.settings):
        for name, factor in zip(key.broker_names, key.factors, strict=True):
            found = _last_statement(settings, name)
            if found is not None:
                return _statements_of_setting(found, factor)
    return ()


def _statements_of_setting(setting: Setting, factor: int = 1) -> tuple[StatedValue, ...]:
    """What is stated by a setting: its value, or each one of those that contradict each other."""
    stated = setting.contradicting or (StatedValue(setting.value, setting.origin),)
    return tuple(replace(said, value=_scale_number(said.value, factor)) for said in stated)


def _contradicted_value(key: Key, statements: Sequence[StatedValue], what: str) -> Unknown:
    """What is stated with several values: whichever is in force, it is one of these."""
    why = f"{what} is {' and '.join(f'{said.value} ({said.origin})' for said in statements)}"
    either = {canonical_value(key, said.value, None): said for said in statements}
    if any(not value or "${" in value or why_illegal(key, value) for value in either):
        either = {}
    possible = tuple(Default(value, str(said.origin)) for value, said in either.items())
    return Unknown(f"{why}, and nothing says which one is in force", ONE_MOMENT, possible, tuple(statements))


ONE_MOMENT = "what describes the cluster as it is now, and nothing else that states the same"
"""What decides between statements that contradict each other."""


def _scale_number(value: str, factor: int) -> str:
    number = factor != 1 and re.fullmatch(r"\d+", value)
    return str(int(value) * factor) if number else value


def _topic_setting_value(cluster: Cluster, topic: Topic, key: Key) -> SettingValue:
    found = _last_statement(topic.settings, key.name) if "topic" in key.scopes else None
    if found is not None and found.contradicting:
        return _contradicted_value(key, found.contradicting, f"`{key.name}` of topic {topic.name}")
    if found is not None:
        return _described_topic_value(cluster, topic, key, found)
    what = f"`{key.name}` of topic {topic.name} is not stated"
    if topic.complete:
        return _default_in_use(cluster, topic, key, what)
    if "broker" not in key.scopes:
        return default_value(cluster, key, what)
    return _topic_value_from_brokers(cluster, topic, key, what)


def _described_topic_value(cluster: Cluster, topic: Topic, key: Key, setting: Setting) -> SettingValue:
    """What is stated as a topic's: open where it may be the setting of the broker that was asked, whichever that was,
    and a broker of the topic has another one. Brokers whose files were not given are like the rest."""
    stated = StatedValue(setting.value, setting.origin)
    given = [broker for broker in _brokers_of_topic(cluster, topic, key)[0] if broker.settings]
    if not given or not is_perhaps_of_broker(cluster, key, setting):
        return stated
    of_brokers = [_broker_setting_value(cluster, broker, key) for broker in given]
    either = _possible_broker_values([stated, *of_brokers])
    possible = {default.value.lower(): default for default in either}
    if len(possible) == 1:
        return stated
    which = "is" if setting.whose == OF_ASKED else "may be"
    why = f"`{setting.key}` of topic {topic.name} is described as {setting.value}"
    why += f", which {which} that of the broker that was asked, and the brokers differ"
    ask = (
        f"the same {key.broker_names[0]} on each broker" if setting.whose == OF_ASKED else owner_of_topic_setting(topic)
    )
    return Unknown(why, ask, tuple(possible.values()), stated_by_nodes([stated, *of_brokers], [topic, *given]))


def is_perhaps_of_broker(cluster: Cluster, key: Key, setting: Setting) -> bool:
    """Whether what is described as a topic's may be a broker's: it is said to be, or some broker's files say it."""
    if setting.whose != OPEN or "broker" not in key.scopes:
        return setting.whose == OF_ASKED and "broker" in key.scopes
    keepers = (broker for broker in cluster.brokers if broker.keeps_topics)
    stated = (said for broker in keepers for said in _statements_for_broker(cluster, broker, key))
    mine = normalize_boolean(setting).value.lower()
    return any(said.value.lower() == mine for said in stated)


def owner_of_topic_setting(topic: Topic) -> str:
    """What decides whether a topic's setting is its own."""
    of = "" if "(" in topic.name else f" --entity-name {topic.name}"
    return f"kafka-configs.sh --describe --entity-type topics{of} (of 2.5 or later), which says whose it is"


def _default_in_use(cluster: Cluster, topic: Topic, key: Key, what: str) -> SettingValue:
    """What a described topic leaves out is a default: the table's, or the one that its brokers show in full. If their
    files set something else, it may be either.
    """
    answer = default_value(cluster, key, what)
    against = omitted_settings(cluster, topic, key)
    if against:
        why = f"{what} where it is described, though {against[0].origin} sets {against[0].value}"
        either = (*_defaults_of_answer(answer), *(Default(fact.value, str(fact.origin)) for fact in against))
        ask = "a description by the brokers that run with these files"
        left_out = stated_by_nodes([answer], [topic])
        return Unknown(why, ask, tuple(dict.fromkeys(either)), (*against, *left_out))
    if isinstance(answer, Unknown) and "broker" in key.scopes:
        shown = _topic_value_from_brokers(cluster, topic, key, what)
        if isinstance(shown, StatedValue) and shown.value in {default.value for default in answer.possible}:
            return shown
    return answer


def omitted_settings(cluster: Cluster, topic: Topic, key: Key) -> list[StatedValue]:
    """What the files of a topic's brokers set, and its description would show and does not: kafka-topics.sh prints all
    that is set, whoever set it, unless it asks ZooKeeper. One statement a value, empty if nothing contradicts.
    """
    if not topic.complete or "broker" not in key.scopes or _last_statement(topic.settings, key.name) is not None:
        return []
    defaults = {default.value for default in _defaults_of_answer(default_value(cluster, key, ""))}
    mine, _ = _brokers_of_topic(cluster, topic, key)
    stated = [said for broker in mine for said in _statements_for_broker(cluster, broker, key)]
    return list({said.value: said for said in reversed(stated) if said.value not in defaults}.values())


def _defaults_of_answer(answer: SettingValue) -> tuple[Default, ...]:
    match answer:
        case Default():
            return (answer,)
        case Unknown(possible=possible):
            return possible
        case StatedValue():
            return ()


def _brokers_of_topic(cluster: Cluster, topic: Topic, key: Key) -> tuple[list[Broker], set[int]]:
    """The brokers that keep a topic, else all of them; and their numbers, as far as the topic says. Any of them may be
    the controller, with ZooKeeper, which decides whether an election is unclean."""
    held = {number for partition in topic.partitions for number in partition.replicas}
    brokers = [b for b in cluster.brokers if b.keeps_topics]
    if key.name == UNCLEAN:
        return brokers, held
    return [b for b in brokers if b.id in held] or brokers, held


def _topic_value_from_brokers(cluster: Cluster, topic: Topic, key: Key, what: str) -> SettingValue:
    mine, held = _brokers_of_topic(cluster, topic, key)
    known = [b for b in mine if b.settings]
    if not known:
        found = _last_statement(cluster.dynamic, key.broker_names[0])
        if found is not None and found.contradicting:
            return _contradicted_value(key, found.contradicting, f"`{key.broker_names[0]}` of all brokers")
        if found is not None:
            return StatedValue(found.value, found.origin)
        return Unknown(f"{what}, and no broker's configuration was given", "server.properties of the brokers")
    answers = [_broker_setting_value(cluster, broker, key) for broker in known]
    missing = sorted(held - {b.id for b in known if b.id is not None})
    every = [*mine, *(Broker(number, topic.origin) for number in missing)]
    return agreed_value(answers, known, every, f"{what}, and its brokers differ", key.broker_names[0])


def agreed_value(
    answers: Sequence[SettingValue], described_nodes: Sequence[Broker], every: Sequence[Broker], what: str, name: str
) -> SettingValue:
    """One answer of several nodes' (`described_nodes`, whose files were given): theirs if they agree, with what is
    assumed of the rest of `every`; else unknown, one of what they have. `what` says that they differ, `name` the
    setting."""
    values = {answer.value if not isinstance(answer, Unknown) else None for answer in answers}
    if len(values) > 1:
        said = "; ".join(f"broker {b.id}: {_answer_text(a)}" for b, a in zip(described_nodes, answers, strict=True))
        given = stated_by_nodes(answers, described_nodes)
        return Unknown(f"{what} ({said})", f"the same {name} on each broker", _possible_broker_values(answers), given)
    return _assume_others_alike(answers[0], described_nodes, every)


def stated_by_nodes(answers: Sequence[SettingValue], things: Sequence[Topic | Broker]) -> tuple[StatedValue, ...]:
    """The statements that contradict each other, each value once; what is a default stands where its node is."""
    found: dict[str, StatedValue] = {}
    for answer, thing in zip(answers, things, strict=True):
        if isinstance(answer, StatedValue):
            found.setdefault(answer.value, answer)
        elif isinstance(answer, Default):
            found.setdefault(answer.value, StatedValue(answer.value, thing.origin, BY_DEFAULT))
    return tuple(found.values())


BY_DEFAULT = "by default"
"""What is assumed of a value that a node has, and does not state."""


def _possible_broker_values(answers: Sequence[SettingValue]) -> tuple[Default, ...]:
    """What it may be: what one of the brokers has."""
    found = [Default(a.value, str(a.origin)) if isinstance(a, StatedValue) else a for a in answers]
    return tuple({default.value: default for a in found for default in _defaults_of_answer(a)}.values())


def _answer_text(answer: SettingValue) -> str:
    return "unknown" if isinstance(answer, Unknown) else answer.value


def _assume_others_alike(answer: SettingValue, known_nodes: Sequence[Broker], every: Sequence[Broker]) -> SettingValue:
    known_of = {b.id for b in known_nodes}
    missing = [b.id for b in every if b.id not in known_of]
    if isinstance(answer, Unknown) or not missing:
        return answer
    given = ", ".join(str(b.id) for b in known_nodes)
    others = ", ".join(str(number) for number in missing)
    like = f"brokers {others}, whose files were not given, are like broker {given}"
    return replace(answer, assumption="; ".join(filter(None, (answer.assumption, like))))


def readable_settings(node: Broker) -> dict[str, Setting]:
    """Of what its own files say, the values that are neither withheld nor filled in later."""
    return {
        key: setting
        for key, setting in stated_settings(node).items()
        if setting.value != HIDDEN and "${" not in setting.value
    }


def stated_settings(node: Broker) -> dict[str, Setting]:
    """What a node's own files say, the last statement of each, whatever profile is active."""
    return {setting.key: setting for setting in node.settings if not setting.when}


def has_readable_file(cluster: Cluster, node: Broker) -> bool:
    """Whether all that a node is started with is a file of its own, to which no image and no operator adds."""
    formats = dict(cluster.files)
    return all(
        formats.get(setting.origin.path) == "server.properties" and not setting.origin.place
        for setting in node.settings
    )
