"""A cited answer from ``citeseek serve``: ``python cited_chat.py QUESTION``.

CITESEEK_URL is the server's address (http://localhost:8000), CITESEEK_TOKEN its token if it has
one.
"""

import argparse
import os

from openai import OpenAI


def main(question: str) -> None:
    """Print the answer as it comes, then the pages that it cites."""
    address = os.environ.get("CITESEEK_URL", "http://localhost:8000")
    token = os.environ.get("CITESEEK_TOKEN", "none")
    cited: dict[str, str] = {}
    with OpenAI(base_url=f"{address}/v1", api_key=token) as openai:
        for piece in openai.chat.completions.create(
            model="citeseek-chat", messages=[{"role": "user", "content": question}], stream=True
        ):
            delta = piece.choices[0].delta
            print(delta.content or "", end="", flush=True)
            for annotation in (delta.model_extra or {}).get("annotations", ()):
                citation = annotation["url_citation"]
                cited[citation["url"]] = citation["title"]
    print()
    for url, title in cited.items():
        print(f"- {title}: {url}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question")
    main(**vars(parser.parse_args()))
