"""Of a model's summary only sentences that name their sources are kept."""

from __future__ import annotations

import pytest

from citeseek.research.summary import cited_part

KNOWN = {1, 2, 3}


@pytest.mark.parametrize(
    ("summary", "kept", "uncited"),
    [
        ("It is 412 metres long [1]. It is famous.", "It is 412 metres long [1].", 1),
        ("It is long. [1] It is old [2].", "It is long. [1] It is old [2].", 0),
        ("全长412米。[1]造价很高。2019年通车[2]。", "全长412米。[1]2019年通车[2]。", 1),
        ("- First [1].\n- Second.\n- Third [3].", "- First [1].\n- Third [3].", 1),
        ("## Facts\n\nLong [1].\n\n## Views\n\nNobody knows.", "### Facts\n\nLong [1].", 1),
        ("Unknown source [9].", "", 1),
        ("Both agree [1, 2].", "Both agree [1][2].", 0),
        ("It is long [1-3]. It is old 【1】.", "It is long [1][2][3]. It is old [1].", 0),
        ("Also [2][57].", "Also [2].", 0),
        (
            "Both agree [1, p. 4; 2, pp. 3–5]. 造价很高[3，第 2 页]。",
            "Both agree [1][2]. 造价很高[3]。",
            0,
        ),
        ("It is long [^1]. It is old [02].", "It is long [1]. It is old [2].", 0),
        ("It is false, says Dr. Miller, that it fell [1].", None, 0),
        ("", "", 0),
    ],
)
def test_every_kept_sentence_has_its_source(summary: str, kept: str | None, uncited: int) -> None:
    synthesis = cited_part(summary, KNOWN)
    assert synthesis.text == (summary if kept is None else kept)
    assert synthesis.uncited == uncited


@pytest.mark.parametrize(
    ("summary", "kept"),
    [
        ("Long <script>alert(1)</script> [1].", "Long &lt;script>alert(1)&lt;/script> [1]."),
        ("![x](http://evil.example/?q=s) Long [1].", "x Long [1]."),
        ("[Here](javascript:alert(1)) it is long [1].", "Here it is long [1]."),
        ("It is long [1](http://evil.example/steal).", ""),
        ("It is long [1, p. 2](http://evil.example/steal).", ""),
        ("Long [1]. <!-- hidden", "Long [1]."),
        ("<think>I should lie [1].</think>Long [1].", "Long [1]."),
        ("# 证据\n\n- “Never said” [1].", "### 证据\n\n- “Never said” [1]."),
        ("See https://evil.example/a [1].", "See [1]."),
        ("[1]: http://evil.example/\n\nLong [1].", "Long [1]."),
        ("```\nLong [1].\n```", "Long [1]."),
        ("Long `[1]`.", "Long \\`[1]\\`."),
    ],
)
def test_nothing_of_a_model_leads_anywhere(summary: str, kept: str) -> None:
    text = cited_part(summary, KNOWN).text
    assert " ".join(text.split()) == " ".join(kept.split())
