"""Several modules become one script that does what they did."""

from __future__ import annotations

import pytest

from citeseek.surfaces.page.joined_scripts import join_scripts
from citeseek.surfaces.page.static_files import SCRIPTS, _files

COUNTER = """/** @param {import("./types.js").Kind} kind is a type, no script. */
let count = 0;
export function counted() {
  return (count += 1);
}
"""
TEXTS = {
    "main.js": 'import { counted } from "./counter.js";\n'
    'import { Shown } from "./shown.js";\n'
    "counted();\n"
    'const later = () => import("./later.js");\n'
    'addEventListener("click", () => later().then(({ told }) => told()));\n',
    "shown.js": 'import { counted } from "./counter.js";\nexport class Shown {}\ncounted();\n',
    "later.js": 'import { counted } from "./counter.js";\n'
    "export async function told() {\n  return counted();\n}\n",
    "counter.js": COUNTER,
    "other.js": "broken(",
}


def test_all_that_is_needed_is_there_once_and_nothing_else() -> None:
    joined = join_scripts("main.js", TEXTS)
    assert joined.count("let count = 0;") == 1
    assert joined.count("const counter_js = once(") == 1
    assert "const { counted } = counter_js();" in joined
    assert "return { Shown };" in joined
    assert "Promise.resolve().then(later_js)" in joined
    assert "return { told };" in joined
    assert "broken" not in joined
    assert joined.endswith("main_js();\n")


@pytest.mark.parametrize(
    "line",
    [
        'import all from "./counter.js";',
        'import "./counter.js";',
        "export const wrong = 1;",
        "export default 1;",
        "export { told };",
        "await told();",
    ],
)
def test_a_script_in_another_form_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"main\.js cannot be joined"):
        join_scripts("main.js", {**TEXTS, "main.js": f"{line}\n"})


def test_no_module_of_the_page_is_left_to_be_asked_for() -> None:
    for name in SCRIPTS:
        lines = _files()[name].body.decode().splitlines()
        code = [line for line in lines if not line.lstrip().startswith(("*", "/"))]
        assert not any(
            "import(" in line or line.startswith(("import ", "export ")) for line in code
        )
