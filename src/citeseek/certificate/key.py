"""The key of this machine: it signs certificates, and its fingerprint says whose they are."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING

from citeseek.certificate.record import sha256
from citeseek.errors import InvalidInput, reason_of
from citeseek.extras import fault

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NAME = "certificate.key"
# A longer file holds no key.
_MAX_BYTES = 4096
_OTHERS = 0o077


class LocalKey:
    """An Ed25519 key in a file of PEM that its owner alone can read."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @property
    def public(self) -> str:
        """The public key, in hexadecimal digits."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """Return the signature of ``message``, in hexadecimal digits."""
        return self._key.sign(message).hex()


def local_key(home: Path) -> LocalKey:
    """Return the key in ``home``, which is made if there is none.

    Raise InvalidInput when it cannot be made or read, when others can read it, or when the library
    that signs is missing.
    """
    needs_cryptography()
    path = home / NAME
    try:
        if not path.exists():
            _make(path)
        if os.name == "posix" and path.stat().st_mode & _OTHERS:
            raise InvalidInput(
                f"{path} can be read by others, so that anybody could have signed with it.",
                hint="Delete it for a new key, or give it the mode 600.",
                values={"case": "signing_key_open", "path": str(path)},
            )
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES)
    except OSError as reason:
        raise InvalidInput(
            f"The key {path} cannot be used ({reason.strerror}).",
            hint="CITESEEK_HOME names another folder.",
            values={
                "case": "signing_key_unusable",
                "path": str(path),
                **reason_of(reason),
            },
        ) from None
    return _load(content, path)


def fingerprint(public: str) -> str:
    """Return what a public key is told apart by: the SHA-256 of its bytes."""
    return sha256(bytes.fromhex(public))


def is_signed(message: bytes, signature: str, public: str) -> bool:
    """Return whether the key ``public`` signed ``message``; raise InvalidInput for no library."""
    needs_cryptography()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - 60 ms, and optional
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PublicKey,
    )

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def needs_cryptography() -> None:
    """Raise InvalidInput when the library that signs is missing or damaged."""
    wrong = fault("cryptography")
    if wrong and wrong.state != "old":
        raise InvalidInput(
            f"Certificates need a library: {wrong}.",
            hint=f"{wrong.repair}",
            values={
                "case": "certificate_library",
                "library": wrong.library,
                "repair": str(wrong.repair),
            },
        )


def _make(path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PrivateKey,
    )
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    content = Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Its mode is 600 from the beginning.
    descriptor, name = mkstemp(dir=path.parent, prefix=".citeseek-key-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        # Of two processes that make one, both use that of the first.
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()


def _load(content: bytes, path: Path) -> LocalKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
        Ed25519PrivateKey,
    )
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        load_pem_private_key,
    )

    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise InvalidInput(
            f"{path} holds no key for certificates, or a damaged one.",
            hint="Move it away, and a new key is made.",
            values={"case": "no_signing_key", "path": str(path)},
        )
    return LocalKey(key)
