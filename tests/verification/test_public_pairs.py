"""The figures of the benchmark over public sets, on pairs of our own in their two formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.public_pairs import covered, last_line, macro_f1, public_pairs

from citeseek.verification import Support, Verdict


def test_pairs_of_one_score_are_called_true_together() -> None:
    tied = [(0.5, True)] * 19 + [(0.5, False)]
    assert covered(tied) == 1.0
    assert covered([*tied, (0.5, False)]) == 0.0
    assert covered([(0.9, True), (0.5, False), (0.5, True)]) == pytest.approx(1 / 3)
    assert covered([]) == 0.0


def test_macro_f1_is_the_mean_of_both_labels() -> None:
    scored = [(0.9, True), (0.8, False), (0.2, True), (0.1, False)]
    assert macro_f1(scored, 0.5) == 0.5
    assert macro_f1([(0.9, True), (0.1, False)], 0.5) == 1.0


def test_both_formats_are_read(tmp_path: Path) -> None:
    attributed = {
        "claim": "The mill was sold in 1911 [2].",
        "references": ["The mill was sold.", "It was in 1911."],
        "attribution_label": "attributable",
    }
    stances = {
        "sentences": {
            "0": {
                "claims": ["The mill was sold."],
                "auto_evidence": [["It was sold.", "It was not sold."]],
                "stance_claim_autoEvid": [["partially-support", "refute"]],
            }
        }
    }
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(attributed), "utf-8")
    (pair,) = public_pairs(path)
    assert pair.claim == "The mill was sold in 1911."
    assert (pair.text, pair.is_true) == ("The mill was sold.\n\nIt was in 1911.", True)
    path.write_text(json.dumps(stances), "utf-8")
    assert [(one.text, one.is_true) for one in public_pairs(path)] == [
        ("It was sold.", True),
        ("It was not sold.", False),
    ]
    path.write_text(json.dumps({"question": "?", "gold_answers": []}), "utf-8")
    with pytest.raises(SystemExit, match="neither"):
        public_pairs(path)


def test_the_last_line_sums_it_up(tmp_path: Path) -> None:
    lines = [
        {"claim": f"Mill {at} stands.", "references": ["x"], "attribution_label": label}
        for at, label in enumerate(["attributable"] * 4 + ["not attributable"] * 2)
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    verdicts: tuple[Verdict, ...]
    verdicts = ("supported", "supported", "absent", "unclear", "supported", "contradicted")
    found = [Support(verdict, "", score=float(verdict == "supported")) for verdict in verdicts]
    line = last_line(public_pairs(path), found)
    assert line.startswith(
        "accused 0.250, contradicted precision 1.000, supported precision 0.667, "
        "supported recall 0.500, score macro-F1 "
    )
