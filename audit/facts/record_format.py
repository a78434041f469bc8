"""Whether a topic's records have leader epochs: by the format that they are written in."""

from __future__ import annotations

from ..cluster.cluster import Cluster, Topic
from ..cluster.settings import is_perhaps_of_broker
from ..cluster.statements import StatedValue
from ..kafka.keys import declared_key, settings_table
from ..kafka.versions import is_at_least
from .facts import UsedSetting

FORMATS = (declared_key("message.format.version"), declared_key("log.message.format.version"))
"""The format of records: a topic's setting, and its name among the brokers'."""


def has_old_format(
    cluster: Cluster, topic: Topic, protocol: StatedValue | None, used_settings: list[UsedSetting]
) -> bool:
    """Whether a topic's records have no leader epochs, so that followers truncate by the high watermark (KAFKA-7897):
    by its own setting, else by any of its brokers'. From protocol 3.0 on the setting is ignored (KIP-724)."""
    spoken = protocol or cluster.versions.kafka
    if spoken is None or is_at_least(spoken.value, "3.0") is not False:
        return False
    own = [setting for setting in topic.settings if setting.key == FORMATS[0]]
    settings = (setting for broker in cluster.topic_keepers for setting in (*broker.settings, *broker.dynamic))
    of_brokers = [setting for setting in (*settings, *cluster.dynamic) if setting.key == FORMATS[1]]
    perhaps = not own or is_perhaps_of_broker(cluster, settings_table()[FORMATS[0]], own[-1])
    stated = (*own[-1:], *(of_brokers if perhaps else ()))
    old = next((setting for setting in stated if is_before_epochs(setting.value)), None)
    if old is not None and all(use.origin != old.origin for use in used_settings):
        used_settings.append(UsedSetting(old.key, old.value, old.origin, "records without leader epochs"))
    return old is not None


def is_before_epochs(text: str) -> bool:
    """Whether a format of this version has no leader epochs."""
    try:
        return is_at_least(text, "0.11") is False
    except ValueError:
        return False
