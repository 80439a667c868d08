"""Of a model's summary only sentences that name their sources are kept."""

from __future__ import annotations

import pytest

from citeseek.research.synthesis import cited_part

KNOWN = {1, 2, 3}


@pytest.mark.parametrize(
    ("summary", "kept", "uncited"),
    [
        ("It is 412 metres long [1]. It is famous.", "It is 412 metres long [1].", 1),
        ("It is long. [1] It is old [2].", "It is long. [1] It is old [2].", 0),
        ("全长412米。[1]造价很高。2019年通车[2]。", "全长412米。[1]2019年通车[2]。", 1),
        ("- First [1].\n- Second.\n- Third [3].", "- First [1].\n- Third [3].", 1),
        ("## Facts\n\nLong [1].\n\n## Views\n\nNobody knows.", "## Facts\n\nLong [1].", 1),
        ("Unknown source [9].", "", 1),
        ("Both agree [1, 2].", "Both agree [1, 2].", 0),
        ("", "", 0),
    ],
)
def test_every_kept_sentence_has_its_source(summary: str, kept: str, uncited: int) -> None:
    synthesis = cited_part(summary, KNOWN)
    assert synthesis.text == kept
    assert synthesis.uncited == uncited
