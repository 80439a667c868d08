"""Certificates as files: a line that signs, and the line that is signed.

Both lines are JSON in its one spelling. The signature is that of the bytes of the second line, and
the first has no other spelling than the one that is accepted, so that no byte can change unseen.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from citeseek.certificate.key import LocalKey, fingerprint, is_signed
from citeseek.certificate.record import Certificate, canonical
from citeseek.errors import InvalidInput, reason_of
from citeseek.trace.trace_file import FileKind, put

FORMAT: Literal["citeseek-certificate"] = "citeseek-certificate"
VERSION = 1
# A file that holds more is not one of ours.
MAX_BYTES = 64_000_000
_HEAD = b'{"format":"citeseek-certificate"'
CERTIFICATE = FileKind("certificate", re.compile(re.escape(_HEAD)))
_MAX_HEAD_BYTES = 1_000

Digits64 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Digits128 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]


class CertificateHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line: the public key, and its signature of the second line."""

    format: Literal["citeseek-certificate"] = FORMAT
    version: int = VERSION
    key: Digits64
    signature: Digits128


class SignedBytes(msgspec.Struct, frozen=True):
    """A certificate whose signature is right: its bytes, and the fingerprint of who signed."""

    content: bytes
    fingerprint: str


def write(certificate: Certificate, path: Path, key: LocalKey) -> None:
    """Sign ``certificate`` and write it to ``path``, for its owner to read.

    Raise InvalidInput when it cannot be written, or when something is there that is none.
    """
    content = canonical(certificate)
    head = CertificateHead(key=key.public, signature=key.sign(_message(content)))
    whole = b"%b\n%b\n" % (canonical(head), content)
    if len(whole) > MAX_BYTES:
        raise InvalidInput(
            f"The certificate would have more than {MAX_BYTES:,} bytes.",
            hint="--certificate-hashes keeps hashes and the passages around the quotes.",
            values={"case": "certificate_large", "most": f"{MAX_BYTES:,}"},
        )
    put(whole, path, of=CERTIFICATE)


def read(path: Path, *, signed_by: str | None = None) -> SignedBytes:
    """Return the certificate in ``path``, whose signature is right.

    ``signed_by`` is the fingerprint of the key that must have signed it, if it is known. Raise
    InvalidInput for a file that is no certificate, was changed, or is another's. What the bytes say
    is not looked at: a signer may have written anything.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as reason:
        raise InvalidInput(
            f"{path} cannot be read ({reason.strerror}).",
            values={"case": "not_read", "path": str(path), **reason_of(reason)},
        ) from None
    return signed_bytes(content, str(path), signed_by=signed_by)


def signed_bytes(content: bytes, name: str, *, signed_by: str | None = None) -> SignedBytes:
    """Do what :func:`read` does for the ``content`` of a file, which errors call ``name``."""
    if not content.startswith(_HEAD):
        raise InvalidInput(
            f"{name} is not a certificate of Citeseek.",
            values={"case": "no_certificate", "name": str(name)},
        )
    if len(content) > MAX_BYTES:
        raise InvalidInput(
            f"{name} is too large for a certificate.",
            values={"case": "certificate_too_large", "name": str(name)},
        )
    first, _, rest = content.partition(b"\n")
    head = _head(first, name)
    body, end, more = rest.partition(b"\n")
    if not end or more or not is_signed(_message(body), head.signature, head.key):
        raise InvalidInput(
            f"{name} was changed after it was signed, or is damaged.",
            hint="Ask for it again from where it was made.",
            values={"case": "certificate_changed", "name": str(name)},
        )
    found = fingerprint(head.key)
    if signed_by is not None and signed_by.lower() != found:
        raise InvalidInput(
            f"{name} was signed by another key: {found}.",
            hint="The fingerprint of whoever made it is printed when a certificate is written.",
            values={"case": "certificate_other_key", "name": str(name), "found": str(found)},
        )
    return SignedBytes(body, found)


def _head(line: bytes, name: str) -> CertificateHead:
    head = None
    if len(line) <= _MAX_HEAD_BYTES:
        # Another version may have other members.
        with suppress(ValueError, RecursionError):
            named = msgspec.json.decode(line, type=dict[str, msgspec.Raw]).get("version", b"")
            if bytes(named) != b"%d" % VERSION:
                raise InvalidInput(
                    f"{name} is a certificate of another version; this program reads version "
                    f"{VERSION}.",
                    hint="A newer Citeseek may read it.",
                    values={
                        "case": "certificate_version",
                        "name": str(name),
                        "version": str(VERSION),
                    },
                )
            head = msgspec.json.decode(line, type=CertificateHead)
    if head is None or canonical(head) != line:
        raise InvalidInput(
            f"{name} is not a certificate of Citeseek, or is damaged.",
            values={"case": "certificate_damaged", "name": str(name)},
        )
    return head


def _message(content: bytes) -> bytes:
    """Return what is signed: no signature for another purpose or version is one for this."""
    return b"%b %d\n%b" % (FORMAT.encode(), VERSION, content)
