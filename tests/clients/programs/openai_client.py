"""The client that everybody has: chat completions and responses, whole and streamed."""

import json
import os

import openai

ai = openai.OpenAI(base_url=os.environ["CITESEEK"] + "/v1", api_key=os.environ["TOKEN"])
messages = [{"role": "user", "content": "tea"}]
chat = ai.chat.completions.create(model="citeseek-chat", messages=messages)
stream = ai.chat.completions.create(model="citeseek-chat", messages=messages, stream=True)
pieces = "".join(piece.choices[0].delta.content or "" for piece in stream if piece.choices)
response = ai.responses.create(model="citeseek-chat", input="tea")
with ai.responses.stream(model="citeseek-chat", input="tea") as events:
    kinds = [event.type for event in events]
    streamed = events.get_final_response()
after = ai.responses.create(
    model="citeseek-chat", input="and?", previous_response_id=response.id, store=False
)
kept = ai.responses.retrieve(response.id)
ai.responses.delete(response.id)
try:
    ai.responses.retrieve(response.id)
except openai.NotFoundError as error:
    gone = error.code
try:
    openai.OpenAI(base_url=ai.base_url, api_key="wrong-0123456789", max_retries=0).models.list()
except openai.AuthenticationError as error:
    refused = error.status_code
cited = response.output[-1].content[0]
print(
    json.dumps(
        {
            "versions": {"openai": openai.__version__},
            "models": [model.id for model in ai.models.list()],
            "chat": chat.choices[0].message.content,
            "cited": [each.url_citation.url for each in chat.choices[0].message.annotations],
            "usage": chat.usage.total_tokens,
            "pieces": pieces,
            "response": response.output_text,
            "links": [cited.text[a.start_index : a.end_index] for a in cited.annotations],
            "kinds": sorted(set(kinds)),
            "streamed": streamed.output_text,
            "after": after.output_text,
            "kept": kept.output_text,
            "gone": gone,
            "refused": refused,
        }
    )
)
