"""What a certificate says otherwise than was found, and what of it was not repeated."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Code: TypeAlias = Literal[
    "judged",
    "unjudged",
    "twice",
    "text",
    "page",
    "reading",
    "no_reading",
    "no_bytes",
    "claims",
    "claim",
    "verdict",
    "quote",
    "score",
    "missing",
    "elsewhere",
    "together",
    "part",
    "no_source",
    "not_quoted",
    "vetoed",
    "judge",
    "excerpt",
    "rules",
]


# They are no differences: what was not repeated and why, and what may explain one.
NOTES = frozenset({"no_reading", "no_bytes", "judge", "excerpt", "rules"})


class Deviation(msgspec.Struct, frozen=True, kw_only=True):
    """Something that differs, or that could not be repeated: ``code`` says what.

    ``number`` is that of the source, 0 where it is about none; ``claim`` the claim or quote that it
    is about; ``was`` what the certificate says, ``now`` what was found.
    """

    code: Code
    number: int = 0
    claim: str = ""
    was: str = ""
    now: str = ""
