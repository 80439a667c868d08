"""A certificate as a file: no byte of it changes unseen, and a hostile one is refused."""

from __future__ import annotations

import json
import os
import zlib
from base64 import b64encode
from pathlib import Path

import pytest
from msgspec import structs
from tests.certificate.certified import certificate_of, repeated
from tests.loopback import LoopbackServer

from citeseek.certificate import Certificate, read, repeat, write
from citeseek.certificate.certificate_file import MAX_BYTES, SignedBytes, signed_bytes
from citeseek.certificate.key import NAME, fingerprint, local_key
from citeseek.certificate.record import MAX_PAGE_BYTES, canonical, sha256
from citeseek.errors import InvalidInput
from citeseek.sandbox import Allowance


@pytest.fixture
async def path(server: LoopbackServer, tmp_path: Path) -> Path:
    """Return the file of a small certificate."""
    certificate = await certificate_of(server, "It opened in 1912 [1].", hashes_only=True)
    found = tmp_path / "certificate.json"
    write(certificate, found, local_key(tmp_path))
    return found


def refused(content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        signed_bytes(content, "it")
    return caught.value.message


def test_every_byte_that_changes_is_found(path: Path) -> None:
    content = path.read_bytes()
    read(path)
    for place, byte in enumerate(content):
        before, after = content[:place], content[place + 1 :]
        assert refused(before + bytes([byte ^ 1 << place % 8]) + after)
        assert refused(before + b" " + content[place:])
    assert refused(content + b"\n")
    assert read(path).content == content.split(b"\n")[1]


def test_a_head_in_another_spelling_is_none(path: Path) -> None:
    head, body, _ = path.read_bytes().split(b"\n")
    members = json.loads(head)
    assert "changed" in refused(b"\n".join((head, body + b" ", b"")))
    for other in (
        {**members, "signature": members["signature"].upper()},
        {**members, "more": 1},
        dict(reversed(members.items())),
    ):
        spelled = json.dumps(other, separators=(",", ":")).encode()
        assert "no" in refused(b"\n".join((spelled, body, b"")))
    later = json.dumps({**members, "version": 2}, separators=(",", ":")).encode()
    assert "another version" in refused(b"\n".join((later, body, b"")))


def test_the_key_is_its_owners_alone_and_stays(tmp_path: Path) -> None:
    key = local_key(tmp_path / "home")
    file = tmp_path / "home" / NAME
    assert local_key(tmp_path / "home").public == key.public
    assert [one.name for one in file.parent.iterdir()] == [NAME]
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
        file.chmod(0o644)
        with pytest.raises(InvalidInput, match="can be read by others"):
            local_key(tmp_path / "home")
        file.chmod(0o600)
    file.write_bytes(b"no key")
    with pytest.raises(InvalidInput, match="no key for certificates"):
        local_key(tmp_path / "home")


def test_a_key_may_be_pinned(path: Path) -> None:
    own = fingerprint(local_key(path.parent).public)
    assert read(path, signed_by=own).fingerprint == own
    with pytest.raises(InvalidInput, match=f"signed by another key: {own}"):
        read(path, signed_by="0" * 64)
    # As a script gives it whose variable is not set.
    with pytest.raises(InvalidInput, match="signed by another key"):
        read(path, signed_by="")


async def test_another_file_is_never_written_over(certificate: Certificate, tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("dear diary")
    with pytest.raises(InvalidInput, match="is not a certificate of Citeseek"):
        write(certificate, diary, local_key(tmp_path))
    assert diary.read_text() == "dear diary"


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"\0" * 100, b'{"format":"citeseek-trace"}', b"[" * 100_000],
    ids=["empty", "object", "zeros", "trace", "deep"],
)
def test_what_is_no_certificate_is_refused(content: bytes) -> None:
    assert "is not a certificate" in refused(content)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.write(b'{"format":"citeseek-certificate"')
        file.truncate(1 << 30)
    with pytest.raises(InvalidInput, match="too large"):
        read(path)
    assert path.stat().st_size > MAX_BYTES


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 1_000_000,
        b'{"answer":' * 100_000,
        b'{"answer":1}',
        b"null",
        b"\xff\xfe",
        b'{"answer":"' + b"a" * 100 + b'","answer":"b"}',
    ],
    ids=["deep list", "deep object", "wrong type", "null", "no text", "twice"],
)
async def test_a_signer_may_write_nonsense_and_is_told_so(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="not as Citeseek writes certificates"):
        await repeat(SignedBytes(content, ""))


async def test_members_have_one_spelling(path: Path) -> None:
    content = read(path).content
    for other in (content.replace(b'":', b'": ', 1), content[:-1] + b',"more":1}'):
        with pytest.raises(InvalidInput, match="not as Citeseek writes certificates"):
            await repeat(SignedBytes(other, ""))


@pytest.mark.release
async def test_a_page_that_unpacks_to_too_much_is_not_its_page(
    certificate: Certificate, tmp_path: Path
) -> None:
    packer = zlib.compressobj(9)
    block = bytes(1_000_000)
    bomb = b"".join(packer.compress(block) for _ in range(MAX_PAGE_BYTES // len(block) + 1))
    page = b64encode(bomb + packer.flush()).decode()
    for wrong in (
        page,
        "no base64",
        b64encode(b"no zlib").decode(),
        certificate.sources[0].page[:-8],
    ):
        first = structs.replace(certificate.sources[0], page=wrong)
        other = structs.replace(certificate, sources=(first, *certificate.sources[1:]))
        found = await repeated(other, tmp_path)
        assert [(one.code, one.number) for one in found.differences] == [("page", 1)]


@pytest.mark.release
async def test_work_without_end_is_ended(certificate: Certificate) -> None:
    claims = " ".join(f"The house number {n} at the lake opened in 1912 [1]." for n in range(3_000))
    text = " ".join(f"House {n} at the lake opened in {1000 + n}." for n in range(3_000))
    first = structs.replace(certificate.sources[0], text=text, text_sha256=sha256(text))
    hostile = structs.replace(certificate, answer=claims, judged=claims, sources=(first,))
    with pytest.raises(InvalidInput, match="cannot be repeated"):
        await repeat(SignedBytes(canonical(hostile), ""), Allowance(workers=1, seconds=1))
