"""``llm`` of the command line, with both interfaces as models of its own file."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

folder = Path(sys.argv[1])
entry = """- model_id: {id}
  model_name: citeseek-chat
  api_base: {base}
  api_key_name: citeseek
{more}"""
base = os.environ["CITESEEK"] + "/v1"
models = entry.format(id="chat", base=base, more="")
models += entry.format(id="responses", base=base, more="  responses: true\n")
(folder / "extra-openai-models.yaml").write_text(models)
(folder / "keys.json").write_text(json.dumps({"citeseek": os.environ["TOKEN"]}))


def asked(*options: str) -> str:
    command = [sys.executable, "-m", "llm", "-n", *options, "tea"]
    env = {**os.environ, "LLM_USER_PATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


print(
    json.dumps(
        {
            "versions": {"llm": version("llm")},
            "chat": asked("-m", "chat", "--no-stream"),
            "streamed": asked("-m", "chat"),
            "response": asked("-m", "responses", "--no-stream"),
            "response_streamed": asked("-m", "responses"),
        }
    )
)
