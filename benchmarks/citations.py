"""Citation marks become links while an answer streams: what a KB costs as the answer grows.

    python -m benchmarks.citations

Answers of 25 to 200 KB, in Chinese and English with code, tables and math, arrive four characters
at a time. The peer is what is mostly done: the regular expression over all the text so far, at
each chunk. That grows with the square of the length, so of a long answer only some of the chunks,
evenly spread, are measured, and their mean is taken for all.
"""

from __future__ import annotations

import logging
import re
import time

from benchmarks.report import GOAL_HEADER, Goal, table

from citeseek.citations import CitationProcessor
from citeseek.models import SearchItem

SIZES_KB = (25, 50, 100, 200)
CHUNK = 4
RUNS = 5
EVERY_CHUNK_UP_TO_KB = 50
SAMPLES = 1000
MARK = re.compile(r"\[(\d+)\]")

# One part of an answer, which goes on with the next.
PART = r"""## 长江与黄河 [1]

长江全长约 6,300 公里[1]，是亚洲最长的河流【2】；黄河全长约 5,464 公里[3]，流经九个省区[1, 4]。
两条河都发源于青藏高原，下游平原人口稠密，历史上多次改道[99]。

The basin costs $5 million a year to survey [2, 3], as `gauge[1]` shows; see also
https://a.example/data?station[2]=4 and the [yearbook](https://b.example/y) [5]. Older surveys
gave a shorter length, since the source was not known then.

- 流域面积：180 万平方公里 [1]
- discharge: 30,166 m³/s [2][3]
- **注意** 数据有出入 [4-5]

```python
lengths = {"长江": rivers[1], "黄河": rivers[2]}
for name in lengths:
    print(name, lengths[name][0])  # [3]
```

| 河流 | 长度 / km | source |
|---|---:|---|
| 长江 | 6,300 | [1] |
| 黄河 | 5,464 | [3], `x[4]` |

> 引自年鉴 [5]：水量逐年下降，
> and no single cause explains it.

The mean is $\bar{x} = \frac{1}{n} \sum x[i]$ [2].

\[
q[1] = v[2] \cdot a
\]

"""
RESULTS = [
    SearchItem(title=f"Source {n}", url=f"https://s{n}.example/page", provider="stub", rank=n)
    for n in range(1, 6)
]

GOALS = {
    "flat": Goal("time per KB at 200 KB, times that at 25 KB", "at most", 1.25),
    "peer": Goal("all of 200 KB, share of the regular expression's time", "at most", 0.1),
}


def answer(kilobytes: int) -> str:
    """Return an answer of so many kilobytes of UTF-8."""
    times = -(-kilobytes * 1000 // len(PART.encode()))
    return (PART * times).encode()[: kilobytes * 1000].decode(errors="ignore")


def ours(text: str) -> float:
    """Return the seconds for the stream, the least of several runs."""
    return min(_stream_once(text) for _ in range(RUNS))


def _stream_once(text: str) -> float:
    stream = CitationProcessor(RESULTS).stream()
    began = time.process_time()
    for at in range(0, len(text), CHUNK):
        stream.feed(text[at : at + CHUNK])
    stream.finish()
    return time.process_time() - began


def theirs(text: str, samples: int) -> float:
    """Return the seconds for the regular expression over the text so far, at each chunk.

    With a number of ``samples`` only about so many chunks are measured.
    """
    urls = {str(item.rank): item.url for item in RESULTS}

    def linked(mark: re.Match[str]) -> str:
        url = urls.get(mark[1])
        return f"[[{mark[1]}]]({url})" if url else mark[0]

    chunks = range(CHUNK, len(text) + CHUNK, CHUNK)
    measured = chunks[:: max(len(chunks) // samples, 1)] if samples else chunks
    times = []
    for end in measured:
        so_far = text[:end]
        began = time.process_time()
        MARK.sub(linked, so_far)
        times.append(time.process_time() - began)
    return sum(times) / len(times) * len(chunks)


def main() -> None:
    """Measure and print both tables."""
    # The source that is not there is told once an answer, which is not what is measured.
    logging.disable()
    stream: dict[int, float] = {}
    again: dict[int, float] = {}
    for size in SIZES_KB:
        text = answer(size)
        stream[size] = ours(text)
        again[size] = theirs(text, 0 if size <= EVERY_CHUNK_UP_TO_KB else SAMPLES)
    least, most = SIZES_KB[0], SIZES_KB[-1]
    rows = [
        (
            str(size),
            f"{stream[size] / size * 1000:.2f}",
            f"{again[size] / size * 1000:.2f}",
            f"{again[size] / stream[size]:.1f}",
        )
        for size in SIZES_KB
    ]
    header = ("answer, KB", "citeseek, ms per KB", "again each chunk, ms per KB", "times citeseek")
    print(table(header, rows))
    print()
    measured = {
        "flat": stream[most] / most / (stream[least] / least),
        "peer": stream[most] / again[most],
    }
    print(table(GOAL_HEADER, [goal.row(measured[name]) for name, goal in GOALS.items()]))


if __name__ == "__main__":
    main()
