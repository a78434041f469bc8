"""Settings of topics that the controllers decide in KRaft, by their own files: unclean elections, and ELR's min ISR.

A controller resolves a topic's setting as the topic's own, its node's dynamic one, the cluster's dynamic one, its
file's, then the default (`ConfigurationControlManager.getTopicConfig`,
`KafkaConfigSchema.resolveEffectiveTopicConfig`). What stands in a broker's file alone it never sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..cluster.cluster import Cluster, Topic
from ..cluster.settings import (
    UNCLEAN,
    agreed_value,
    is_perhaps_of_broker,
    normalize_boolean,
    owner_of_topic_setting,
    setting_value,
)
from ..cluster.statements import Default, Setting, SettingValue, StatedValue, Unknown
from ..kafka.internal_topics import TRANSACTIONS
from ..kafka.keys import KeyName, declared_key, settings_table

MIN_ISR = declared_key("min.insync.replicas")
_GIVE = "server.properties of the controllers"


def unclean_elections(cluster: Cluster, topic: Topic) -> SettingValue:
    """Whether a replica out of sync may be elected. With ZooKeeper the controller is one of the brokers. The
    transaction log is created with its own `false` (`TransactionStateManager.transactionTopicConfigs`)."""
    own = _own_topic_setting(topic, UNCLEAN)
    if own is None and topic.name == TRANSACTIONS:
        return Default("false", "TransactionStateManager: the transaction log is created so")
    of_brokers = setting_value(cluster, topic, UNCLEAN)
    if cluster.control_plane != "kraft":
        return of_brokers
    of_controllers = _value_of_controllers(cluster, topic, UNCLEAN)
    if own is not None:
        return _own_or_controllers_value(cluster, topic, own, of_controllers)
    if of_controllers is not None:
        return of_controllers
    return _value_assumed_of_controllers(of_brokers, "false")


def least_in_sync(cluster: Cluster, topic: Topic) -> SettingValue | None:
    """What min.insync.replicas becomes with ELR for a topic that has none of its own: when ELR is switched on, the
    active controller writes its value as the cluster's, and removes what single brokers have (kafka.apache.org/41,
    Eligible Leader Replicas). None where the topic has a value that this does not change: its own, the cluster's, or
    one that is described with all that holds for it."""
    own = _own_topic_setting(topic, MIN_ISR)
    if own is not None and own.whose and isinstance(setting_value(cluster, topic, MIN_ISR), Unknown):
        return StatedValue(own.value, own.origin)  # files of single brokers do not count, so that it is none of theirs
    if own is not None or topic.complete or any(setting.key == MIN_ISR for setting in cluster.dynamic):
        return None
    of_controllers = _value_of_controllers(cluster, topic, MIN_ISR)
    return of_controllers or _value_assumed_of_controllers(setting_value(cluster, topic, MIN_ISR), "1")


def _own_topic_setting(topic: Topic, key: KeyName) -> Setting | None:
    found = next((setting for setting in reversed(topic.settings) if setting.key == key), None)
    return None if found is None else normalize_boolean(found)


def _value_of_controllers(cluster: Cluster, topic: Topic, key: KeyName) -> SettingValue | None:
    """What the controllers make of it; None if the files of none were given."""
    everyone = cluster.controllers
    given = [broker for broker in everyone if broker.settings]
    if not given:
        return None
    what = f"`{key}` of topic {topic.name} is not stated, and the controllers differ"
    return agreed_value([setting_value(cluster, broker, key) for broker in given], given, everyone, what, key)


def _own_or_controllers_value(
    cluster: Cluster, topic: Topic, own: Setting, of_controllers: SettingValue | None
) -> SettingValue:
    """A description shows what a broker's file sets as if it were the topic's: where such a file has the same, it is
    open whose it is, if the controllers have something else."""
    stated = setting_value(cluster, replace(topic, settings=(replace(own, whose=""),)), UNCLEAN)
    if not is_perhaps_of_broker(cluster, settings_table()[UNCLEAN], own):
        return stated
    possible = [*_possible_values(stated), *_possible_values(of_controllers or Default("false", "KIP-106"))]
    if len({default.value for default in possible}) == 1:
        return stated
    why = f"`{own.key}` at {own.origin} may be the topic's, or the broker's, which the controllers do not see"
    given = [StatedValue(own.value, own.origin)]
    match of_controllers:
        case StatedValue():
            given.append(of_controllers)
        case Unknown(statements=differing):
            given += differing
        case _:
            pass
    found = tuple({default.value: default for default in possible}.values())
    return Unknown(why, owner_of_topic_setting(topic), found, tuple({said.value: said for said in given}.values()))


def _possible_values(answer: SettingValue) -> Sequence[Default]:
    match answer:
        case StatedValue(value=value, origin=origin):
            return [Default(value, str(origin))]
        case Default():
            return [answer]
        case Unknown(possible=possible):
            return possible


def _value_assumed_of_controllers(of_brokers: SettingValue, default: str) -> SettingValue:
    """Where no controller's file was given. What only the brokers' files are known to set is open; a default, and what
    is set cluster-wide or says the same as the default, is assumed of the controllers too."""
    if isinstance(of_brokers, Unknown):
        return of_brokers
    if of_brokers.value == default:
        assumed = "the controllers, whose files were not given, do not set it otherwise"
        return replace(of_brokers, assumption="; ".join(filter(None, (of_brokers.assumption, assumed))))
    why = "only the brokers' files set it, and in KRaft those of the controllers, which were not given, decide"
    possible = (*_possible_values(of_brokers), Default(default, "the default, on the controllers"))
    return Unknown(why, _GIVE, possible, (of_brokers,) if isinstance(of_brokers, StatedValue) else ())
