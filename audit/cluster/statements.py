"""What files state, each thing with its `Origin`, so that a verdict can name the line.

Values of secrets are never held.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...language.immutable import immutable

SECRET = re.compile("password|passwd|pwd|passphrase|secret|jaas|key|token|credential|license|user.info|private", re.I)
"""Settings whose values are withheld. Wide on purpose: `key.serializer` is withheld too, and nobody misses it."""


HIDDEN = "(withheld)"
"""What stands for the value of a secret, and for the value of a setting that the audit has no use for."""


MARK = "\ufeff"
"""The byte order mark that some editors put before a file's first byte. `Properties.load` of Java skips none: it is a
part of the first line's key, which nobody knows then."""


@immutable
class Origin:
    """Where something is stated: a file, its line (from 1; None if it has none), a place within (a YAML path). Of a
    running cluster the path is its address, and the place the broker or topic that was asked.
    """

    path: str
    line: int | None = None
    place: str = ""

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


ENVIRONMENT = "the environment of "
"""What `Setting.when` begins with where variables of a service set it, and not a profile."""


CLOUD = "the cloud platform "
"""What it begins with where a setting is in force on one of Spring's cloud platforms alone."""


IMPORTED, INCLUDED, GROUPED = "spring.config.import", "spring.profiles.include", "spring.profiles.group"
"""Spring's own settings that stand among those of a client: whether what it says may be replaced by what was not read,
the profiles that are in force whichever are active, and that there are groups of them, which are not read."""


OPEN, OF_ASKED = "the topic's or the asked broker's", "the asked broker's"
"""`Setting.whose`. A broker that describes a topic gives what its own file sets as if it were the topic's
(`ConfigHelper.createTopicConfigEntry`), and kafka-topics.sh prints all but defaults (`TopicCommand`)."""


OF_IMAGE = "an image that reads KAFKA_CFG_, as Bitnami's does"
"""What it is where a variable has an effect in such an image alone, and nothing says whether this one is."""


@immutable
class Setting:
    """One `key=value` as written. The key is Kafka's own name for it, whatever the file's spelling was.

    The value is text without surrounding blanks. A key that `SECRET` matches has the value `HIDDEN`, always.
    `when` is the profile of Spring's that it is in force with, or the environment (`ENVIRONMENT`), or the cloud
    platform (`CLOUD`), or, of a broker, the kind of image (`OF_IMAGE`); "" for always.
    `whose` is of what is described as a topic's: "" is the topic's own or the whole cluster's, `OF_ASKED` the setting
    of the broker that was asked, and `OPEN` may be either.
    `contradicting` are all statements of it, where files state it with different values and nothing says which one is
    in force: `value` is one of theirs then.
    """

    key: str
    value: str
    origin: Origin
    when: str = ""
    whose: str = ""
    contradicting: tuple[StatedValue, ...] = ()

    def __post_init__(self) -> None:
        if SECRET.search(self.key) or self.key == HIDDEN:
            object.__setattr__(self, "value", HIDDEN)


@immutable
class StatedValue:
    """A value that a file or an option states. `assumption` says in words what was taken for granted, or is ''."""

    value: str
    origin: Origin
    assumption: str = ""


@immutable
class Default:
    """A value that nobody states: the default of the version, family or distribution in use. `source` says whence."""

    value: str
    source: str
    assumption: str = ""


@immutable
class Unknown:
    """A value that is not known. `why` in words, `ask` what the user can give, `possible` what it may then be.
    `statements` are what is stated all the same: several of them contradict each other, and whether a single one counts
    is open.
    """

    why: str
    ask: str
    possible: tuple[Default, ...] = ()
    statements: tuple[StatedValue, ...] = ()


SettingValue = StatedValue | Default | Unknown


@immutable
class Unread:
    """A file, a folder or an entry of an archive that was given and that no reader took: whether a verdict rests on all
    that was given is decided by these alone. `reason` is a clause that follows its path, such as "it is an image".
    `may_be_configuration` says that nothing shows it to be anything else: the verdict is undecided then, and `to_do`
    says how to have it read."""

    path: str
    reason: str
    may_be_configuration: bool = False
    to_do: str = "take it out of the folder if it is not configuration"


class UnreadableInputError(Exception):
    """Input that cannot be read at all: which, why, and what to do. The command ends with exit code 66."""


class AlternativesError(UnreadableInputError):
    """Clusters that never run together were given as one. `groups` are the files that each of them alone has, by what
    it is called; none where that is not clear."""

    def __init__(self, message: str, groups: Sequence[tuple[str, frozenset[str]]] = ()) -> None:
        super().__init__(message)
        self.groups = groups


class WrongOptionError(UnreadableInputError):
    """A mistake in what the user states beside the files, not in a file. The command ends with exit code 64."""
