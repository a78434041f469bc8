"""How a running cluster is reached: a refused password is tried once, and a file that says how is read or refused. No
broker is needed."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from kafka.errors import KafkaConnectionError, SaslAuthenticationFailedError
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.readers.running import live
from tidegate.audit.readers.running.connection import read_security


def test_a_refused_password_ends_the_attempt_where_the_next_would_begin() -> None:
    """The client's log says of one refusal first that the connection failed: to end there would not end the attempt."""
    heard: Any = vars(live)["_LastConnectionError"](True)
    error: Any = SaslAuthenticationFailedError()

    def say(text: str, error: Exception = error) -> None:
        heard.emit(logging.LogRecord("kafka.net.manager", logging.ERROR, "", 0, text, ("a", error), None))

    say("Connection failed: %s %s")
    assert heard.refused
    for _ in range(2):
        with pytest.raises(SaslAuthenticationFailedError):
            say("Bootstrap connection to %s failed: %s")
    with pytest.raises(KafkaConnectionError):  # the answer was lost against the close
        say("Bootstrap connection to %s failed: %s", KafkaConnectionError("socket disconnected"))
    nobody: Any = vars(live)["_LastConnectionError"](False)
    record = ("a", KafkaConnectionError("socket disconnected"))
    nobody.emit(logging.LogRecord("kafka", logging.ERROR, "", 0, "Bootstrap connection to %s failed: %s", record, None))
    assert "socket disconnected" in nobody.reason, "without a user, trying again locks no account"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("security.protocol=TLS", "security.protocol is not one of PLAINTEXT, SSL"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER", "sasl.mechanism OAUTHBEARER is not supported here"),
        ("security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN", "sasl.jaas.config must have username="),
        ("ssl.truststore.password=${file:/x:y}", "ssl.truststore.password is taken from a config provider"),
        ("security.protocol=SSL\nssl.truststore.location=none.p12", "none.p12: No such file"),
        ("security.protocol=SSL\nssl.truststore.location={jks}", "of Java's own format JKS; make a PKCS12"),
        ("security.protocol=SSL\nssl.truststore.location={junk}", "no PEM and no PKCS12, or its password is another"),
        ("security.protocol=SSL\nssl.keystore.location={pem}", "the key or the certificate of ssl.keystore cannot be"),
        ("security.protocol=SSL\nssl.truststore.certificates=x", "the certificates of ssl.truststore cannot be read"),
        ("a=\\u12", "is not a properties file"),
    ],
)
def test_what_cannot_be_done_is_refused_and_not_skipped(tmp_path: Path, text: str, message: str) -> None:
    for name, raw in (("jks", b"\xfe\xed\xfe\xed\0"), ("junk", b"junk"), ("pem", b"-----BEGIN X-----\n")):
        (tmp_path / name).write_bytes(raw)
        text = text.replace("{" + name + "}", str(tmp_path / name))
    path = tmp_path / "client.properties"
    path.write_text(text + "\nsasl.x=planted\n", encoding="utf-8")
    with pytest.raises(UnreadableInputError) as caught:
        read_security(path)
    assert message in str(caught.value) and "planted" not in str(caught.value)
    assert str(caught.value).startswith(f"--command-config {path}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="none: No such file"):
        read_security(tmp_path / "none")


@pytest.mark.parametrize(
    ("jaas", "user", "password"),
    [
        ('org.x.PlainLoginModule required username="a" password="b";', "a", "b"),
        ("org.x.ScramLoginModule required username=a password=b-c;", "a", "b-c"),
        (r'x required username="a" password="b\\c\"d e";', "a", 'b\\c"d e'),
        ('x required password="" username="a";', "a", ""),
    ],
)
def test_a_login_module_of_java(tmp_path: Path, jaas: str, user: str, password: str) -> None:
    path = tmp_path / "client.properties"
    escaped = jaas.replace("\\", "\\\\")
    path.write_text(f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config={escaped}\n")
    found = read_security(path)
    assert (found.user, found.password, found.mechanism) == (user, password, "SCRAM-SHA-512")
