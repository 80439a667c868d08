"""A retriever for DSPy: ``python dspy_retriever.py MODEL QUESTION``."""

import os
import sys

import dspy

from citeseek import Client


class WebRetriever(dspy.Retrieve):
    """Finds passages on the web: the summaries of the first ``k`` results."""

    def __init__(self, client: Client, k: int = 3) -> None:
        super().__init__(k=k)
        self._client = client

    def forward(self, query: str, k: int | None = None, **_: object) -> dspy.Prediction:
        """Return the passages for ``query``, and the pages that they are from."""
        response = self._client.search_sync(query, count=k or self.k)
        passages = [f"{item.title}: {item.snippet}" for item in response.items]
        return dspy.Prediction(passages=passages, urls=[item.url for item in response.items])


def main(model: str, question: str) -> None:
    """Print the answer and the pages that it rests on."""
    client = Client()
    retrieve = WebRetriever(client)
    answer = dspy.Predict("context: list[str], question -> answer")
    lm = dspy.LM(f"openai/{model}", api_base=os.environ.get("OPENAI_BASE_URL"), cache=False)
    with dspy.context(lm=lm):
        found = retrieve(question)
        print(answer(context=found.passages, question=question).answer)
    for number, url in enumerate(found.urls, 1):
        print(f"[{number}] <{url}>")


if __name__ == "__main__":
    main(*sys.argv[1:])
