"""A file of one's own, read as a page is: it has a name to be cited by and no address.

It is read in the sandbox, within the limits of the settings ``files.*``.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Self
from urllib.parse import quote

import msgspec
from msgspec import structs

from citeseek import extraction
from citeseek.errors import InvalidInput, WebBlocked, WebParseError, reason_of
from citeseek.extraction import Document
from citeseek.extraction.documents import TYPES
from citeseek.fetching.response import FetchResponse
from citeseek.locators import PageStart
from citeseek.models import Page, SearchItem
from citeseek.sandbox import Sandbox
from citeseek.settings import Settings
from citeseek.text import encodable, how_many, plain_line, shorten, without_invisible

# Nobody fetches it, and no link leads to it.
SCHEME = "file:"
MAX_NAME = 100
_FURTHER_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".json": "application/json",
    ".txt": "text/plain",
    ".md": "text/plain",
    ".csv": "text/csv",
}


class OwnFile(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of a file: its text, and where in it the pages begin.

    The bytes are not kept. ``id`` is made of the contents and the ``name``, which is the file's
    without its folder; ``size`` is that of its bytes. ``text`` is Markdown and
    may be ``truncated``.
    """

    id: str
    name: str
    size: int
    text: str
    title: str = ""
    content_type: str = ""
    method: str = ""
    published_at: str | None = None
    language: str | None = None
    pages: tuple[PageStart, ...] = ()
    truncated: bool = False

    @classmethod
    def of(cls, name: str, body: bytes, document: Document) -> Self:
        """Return what ``document``, read from the ``body`` of the file ``name``, says."""
        name = clean_name(name)
        return cls(
            id=hashlib.sha256(name.encode() + b"\0" + body).hexdigest()[:16],
            name=name,
            size=len(body),
            text=document.text,
            title=plain_line(encodable(document.title)),
            content_type=document.media_type,
            method=document.method,
            published_at=document.published_at,
            language=document.language,
            pages=document.pages,
            truncated=document.is_cut,
        )

    @property
    def url(self) -> str:
        """What stands in place of an address: the same for the same contents and name."""
        return f"{SCHEME}{self.id}/{quote(self.name)}"

    @property
    def item(self) -> SearchItem:
        """The file in the form of a result, which gets a number."""
        return SearchItem(
            title=self.title or self.name,
            url=self.url,
            snippet=shorten(" ".join(self.text[:2_000].split()), 300),
            provider="file",
            rank=1,
            published_at=self.published_at,
            site_name=self.name,
        )

    @property
    def page(self) -> FetchResponse:
        """The file in the form of a page that was fetched."""
        return FetchResponse(
            url=self.url,
            final_url=self.url,
            status_code=200,
            content_type=self.content_type,
            text=self.text,
            pages=self.pages,
            title=self.title or self.name,
            site_name=self.name,
            published_at=self.published_at,
            language=self.language,
            extraction_method=self.method,
            truncated=self.truncated,
            received_bytes=self.size,
        )


def clean_name(name: str) -> str:
    """Return the name of a file without its folder, of either kind of system, on one line.

    Raise InvalidInput for one in which nothing is seen.
    """
    bare = PurePosixPath(PureWindowsPath(name).name).name
    seen = re.sub(r"[\x00-\x1f/\\]", "", plain_line(without_invisible(encodable(bare)))).strip()
    if not seen or seen in (".", ".."):
        raise InvalidInput(
            "A file needs a name with at least one character.", values={"case": "file_unnamed"}
        )
    stem, ending = PurePath(seen).stem, PurePath(seen).suffix[:12]
    return f"{stem[: MAX_NAME - len(ending)]}{ending}"


def type_of(name: str) -> str:
    """Return the media type that the ending of ``name`` means, empty where it means none."""
    ending = PurePath(name).suffix.lower()
    return TYPES.get(ending) or _FURTHER_TYPES.get(ending, "")


async def read_file(
    file: Path | str | bytes, name: str, settings: Settings, sandbox: Sandbox
) -> OwnFile:
    """Return what is read of ``file``; see :meth:`citeseek.client.Client.read_file`."""
    limit = settings.files.max_bytes
    name = clean_name(name or ("" if isinstance(file, bytes) else Path(file).name))
    body = (
        file
        if isinstance(file, bytes)
        else await asyncio.to_thread(load_file, Path(file), settings)
    )
    if len(body) > limit:
        raise InvalidInput(
            f"The file {name} has more than {limit:,} bytes.",
            hint="The setting files.max_bytes says how many it may have.",
            values={"case": "file_large", "name": name, "most": f"{limit:,}"},
        )
    page = Page(url=f"{SCHEME}{name}", headers={"content-type": type_of(name)}, body=body)
    try:
        document = await sandbox.run(extraction.extract_legible, page=page, form="markdown")
        if not document.text:
            raise _without_text()
    except (WebParseError, WebBlocked) as error:
        raise _of_file(error, name) from None
    own = OwnFile.of(name, body, document)
    most = settings.files.max_chars
    if len(own.text) > most:
        own = structs.replace(
            own,
            text=shorten(own.text, most),
            truncated=True,
            pages=tuple(page for page in own.pages if page.start < most - 1),
        )
    return own


def with_file(files: Sequence[OwnFile], file: OwnFile, settings: Settings) -> tuple[OwnFile, ...]:
    """Return ``files`` with ``file`` behind them, once; raise InvalidInput for too many."""
    others = [each for each in files if each.url != file.url]
    limit = settings.files.max_count
    if len(others) >= limit:
        raise InvalidInput(
            f"No more than {how_many(limit, 'file')} can be read together.",
            hint="Take one away, or raise the setting files.max_count.",
            values={"case": "too_many_files", "most": str(limit)},
        )
    return (*others, file)


def without_file(files: Sequence[OwnFile], file_id: str) -> tuple[OwnFile, tuple[OwnFile, ...]]:
    """Return the file with this id, and the others; raise InvalidInput when there is none."""
    found = next((file for file in files if file.id == file_id), None)
    if found is None:
        raise InvalidInput(
            f"There is no file {file_id!r:.40} in this conversation.",
            values={"case": "no_file_here", "id": f"{file_id!r:.40}"},
        )
    return found, tuple(file for file in files if file is not found)


def _without_text() -> WebParseError:
    return WebParseError("The file has no text.", detail_code="no_text", values={"case": "file"})


def _of_file(error: WebParseError | WebBlocked, name: str) -> WebParseError:
    """Return ``error`` as that of the file ``name``, which has no address and is nobody's site.

    Its page is left behind: where the file stood is nobody's business.
    """
    if isinstance(error, WebBlocked):
        error = _without_text()
    message, values = error.message, error.values
    if error.detail_code == "unsupported_media":
        message = f"This type of file ({values['type']}) is no text and no document that is read."
        values = {"case": "own", "type": values["type"]}
    return WebParseError(
        f"{name}: {message}",
        hint=error.hint,
        detail_code=error.detail_code,
        retry_after=error.retry_after,
        values={**values, "file": name, "cause": message},
    )


def load_file(path: Path, settings: Settings) -> bytes:
    """Return the bytes of the file at ``path``, one more than may be read where there are more.

    Raise InvalidInput for what is no file, or cannot be read.
    """
    shown = f"{str(path)!r:.300}"
    try:
        if path.is_dir():
            raise InvalidInput(
                f"{shown} is a folder.",
                hint="Give the files in it one by one.",
                values={"case": "file_is_folder", "name": shown},
            )
        if not path.exists():
            raise InvalidInput(
                f"There is no file {shown}.",
                values={"case": "no_file", "name": shown},
            )
        if not path.is_file():
            raise InvalidInput(
                f"{shown} is a device or a pipe, and no file.",
                values={"case": "file_is_device", "name": shown},
            )
        with path.open("rb") as file:
            return file.read(settings.files.max_bytes + 1)
    except OSError as error:
        raise InvalidInput(
            f"The file {shown} cannot be read: {error.strerror}.",
            values={"case": "not_read", "path": str(path), **reason_of(error)},
        ) from None
