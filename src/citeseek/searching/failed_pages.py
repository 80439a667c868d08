"""Pages that were refused or not understood, kept on disk for whoever repairs the engine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from citeseek.errors import InvalidInput, SearchFailed, reason_of
from citeseek.trace.redaction import Redactor


def keep_failed_page(error: SearchFailed, folder: Path) -> Path | None:
    """Write the page of ``error`` and a small description beside it; return the page's path.

    The description holds status, address, content type, size and reason: no cookie, no header of
    the request, no password or token in its address. None when the failure came without a page.
    Raise InvalidInput when the folder cannot be written to.
    """
    page = error.page
    if page is None:
        return None
    content_type = page.headers.get("content-type", "")
    suffix = ".json" if "json" in content_type else ".html"
    name = f"{error.engine}-{hashlib.sha256(page.body).hexdigest()[:12]}"
    about = {
        "engine": error.engine,
        "error_code": error.error_code,
        "detail_code": error.detail_code,
        "reason": error.message,
        "status": page.status,
        "url": Redactor().text(page.url),
        "content_type": content_type,
        "bytes": len(page.body),
    }
    path = folder / f"{name}{suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.body)
        (folder / f"{name}.meta.json").write_text(
            json.dumps(about, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
        )
    except OSError as reason:
        raise InvalidInput(
            f"The evidence folder {folder} cannot be written to ({reason.strerror}).",
            hint="Set another evidence.dir (CITESEEK_EVIDENCE_DIR).",
            values={
                "case": "evidence_folder",
                "folder": str(folder),
                **reason_of(reason),
            },
        ) from None
    return path
