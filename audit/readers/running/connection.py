"""A file for `--command-config`, as Kafka's tools have it: how to reach a secured cluster.

Its settings are used and kept nowhere. What Java can do and we cannot is refused with a sentence, never skipped: to go
on without TLS or a password that was asked for would be worse than to stop.
"""

from __future__ import annotations

import re
import ssl
import tempfile
from collections.abc import Mapping
from pathlib import Path

import javaproperties

from ....language.immutable import immutable
from ...cluster.statements import UnreadableInputError

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
WITH_PASSWORD = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
JKS = b"\xfe\xed\xfe\xed"
INSTEAD = "or collect with Kafka's own tools: tidegate audit --collect"


@immutable
class ConnectionSettings:
    """How to connect. `user` and `password` are of the mechanisms `WITH_PASSWORD`; `tls` is None without TLS.

    `request_ms` is how long one request may take, None if nothing says.
    """

    protocol: str = "PLAINTEXT"
    mechanism: str | None = None
    user: str | None = None
    password: str | None = None
    service: str = "kafka"
    tls: ssl.SSLContext | None = None
    request_ms: int | None = None


def read_security(path: Path | None) -> ConnectionSettings:
    """What a file of client properties says; without one, that nothing is secured. Raises UnreadableInputError."""
    if path is None:
        return ConnectionSettings()
    try:
        given = javaproperties.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableInputError(f"--command-config {path}: {error.strerror}.") from None
    except ValueError as error:
        raise UnreadableInputError(
            f"--command-config {path} is not a properties file: {type(error).__name__}."
        ) from None
    try:
        return _connection_settings({key: value.strip() for key, value in given.items()})
    except _ConnectionFileError as error:
        raise UnreadableInputError(f"--command-config {path}: {error}.") from None


class _ConnectionFileError(Exception):
    """What the file asks for and cannot be done, and what to do. It has no value of a secret in it."""


def _connection_settings(client_settings: Mapping[str, str]) -> ConnectionSettings:
    for key, value in client_settings.items():
        if "${" in value:
            raise _ConnectionFileError(
                f"{key} is taken from a config provider, which only Java reads: write the value, {INSTEAD}"
            )
    protocol = client_settings.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise _ConnectionFileError(f"security.protocol is not one of {', '.join(PROTOCOLS)}")
    request = client_settings.get("request.timeout.ms", "")
    mechanism = client_settings.get("sasl.mechanism", "GSSAPI").upper() if protocol.startswith("SASL") else None
    user, password = _login_credentials(client_settings, mechanism)
    return ConnectionSettings(
        protocol,
        mechanism,
        user,
        password,
        client_settings.get("sasl.kerberos.service.name", "kafka"),
        _tls_context(client_settings) if protocol.endswith("SSL") else None,
        int(request) if request.isdecimal() else None,
    )


# --- SASL -------------------------------------------------------------------------------------------------------------


def _login_credentials(client_settings: Mapping[str, str], mechanism: str | None) -> tuple[str | None, str | None]:
    """The user and the password of `sasl.jaas.config`, where the mechanism has them."""
    if mechanism in (None, "GSSAPI"):
        return None, None
    if mechanism not in WITH_PASSWORD:
        known = ", ".join((*WITH_PASSWORD, "GSSAPI"))
        raise _ConnectionFileError(
            f"sasl.mechanism {mechanism} is not supported here, only {known}: use one of these, {INSTEAD}"
        )
    options = _parse_jaas_options(client_settings.get("sasl.jaas.config", ""))
    if "username" not in options or "password" not in options:
        raise _ConnectionFileError('sasl.jaas.config must have username="..." and password="..." for ' + mechanism)
    return options["username"], options["password"]


def _parse_jaas_options(text: str) -> dict[str, str]:
    """The options of a login module: `Module required name="value" other=plain;`."""
    found = re.findall(r'([\w.\-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))', text)
    return {name: re.sub(r"\\(.)", r"\1", quoted) if quoted or not plain else plain for name, quoted, plain in found}


# --- TLS --------------------------------------------------------------------------------------------------------------


def _tls_context(client_settings: Mapping[str, str]) -> ssl.SSLContext:
    """TLS as Java's client has it: the store's certificates are trusted, or the system's if there is none."""
    trusted = _store_as_pem(client_settings, "truststore", ("certificates",))
    try:
        context = ssl.create_default_context(cadata=trusted)
    except ssl.SSLError as error:
        raise _ConnectionFileError(f"the certificates of ssl.truststore cannot be read: {error.reason}") from None
    context.check_hostname = bool(client_settings.get("ssl.endpoint.identification.algorithm", "https"))
    mine = _store_as_pem(client_settings, "keystore", ("certificate.chain", "key"))
    if mine is not None:
        _load_own_certificate(
            context, mine, client_settings.get("ssl.key.password") or client_settings.get("ssl.keystore.password")
        )
    return context


def _load_own_certificate(context: ssl.SSLContext, pem: str, password: str | None) -> None:
    """Our own certificate. Python reads it from a file only: one that nobody else can open, for this moment."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".pem") as file:
        file.write(pem)
        file.flush()
        try:
            context.load_cert_chain(file.name, password=password or "")
        except (ssl.SSLError, OSError, ValueError) as error:
            why = type(error).__name__
            raise _ConnectionFileError(f"the key or the certificate of ssl.keystore cannot be read ({why})") from None


def _store_as_pem(client_settings: Mapping[str, str], store: str, inline: tuple[str, ...]) -> str | None:
    """A store as PEM: written in the settings themselves (KIP-651), or in a file of PEM or PKCS12."""
    written = [client_settings[f"ssl.{store}.{name}"] for name in inline if client_settings.get(f"ssl.{store}.{name}")]
    if written:
        return "\n".join(written)
    location = client_settings.get(f"ssl.{store}.location")
    if not location:
        return None
    try:
        raw = Path(location).read_bytes()
    except OSError as error:
        raise _ConnectionFileError(f"ssl.{store}.location {location}: {error.strerror}") from None
    if raw.startswith(JKS):
        raise _ConnectionFileError(
            f"ssl.{store}.location {location} is of Java's own format JKS; make a PKCS12 of it with keytool "
            "-importkeystore -deststoretype PKCS12 and name that"
        )
    if b"-----BEGIN" in raw:
        return raw.decode("utf-8", "replace")
    return _pkcs12_as_pem(raw, client_settings.get(f"ssl.{store}.password", ""), f"ssl.{store}.location {location}")


def _pkcs12_as_pem(raw: bytes, password: str, what: str) -> str:
    from cryptography.hazmat.primitives.serialization import (  # the extra `live` has it
        BestAvailableEncryption,
        Encoding,
        NoEncryption,
        PrivateFormat,
    )
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12

    try:
        store = load_pkcs12(raw, password.encode() or None)
    except ValueError:
        raise _ConnectionFileError(f"{what} is no PEM and no PKCS12, or its password is another one") from None
    held = [store.cert, *store.additional_certs] if store.cert is not None else list(store.additional_certs)
    parts = [certificate.certificate.public_bytes(Encoding.PEM) for certificate in held]
    if store.key is not None:
        lock = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        parts.append(store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock))
    return b"\n".join(parts).decode("ascii")
