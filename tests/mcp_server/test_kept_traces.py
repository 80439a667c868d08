"""Which traces are kept, and what each of them says, without a server."""

from __future__ import annotations

import pytest
from tests.conftest import settings
from tests.ordinary_user import ordinary_user

from citeseek import Client
from citeseek.errors import InvalidInput
from citeseek.surfaces.mcp.traces import Traces
from citeseek.trace.trace_file import keep, trace_of
from citeseek.trace.trace_record import Part


def test_one_that_may_not_be_read_is_said_to_be() -> None:
    with ordinary_user() as folder:
        keep(trace_of(Part(kind="search", name="tea"), {}, "0" * 16), folder)
        (written,) = folder.iterdir()
        written.chmod(0)
        traces = Traces(Client(settings({"trace": {"dir": str(folder)}})))
        (listed,), _ = traces.page()
        with pytest.raises(InvalidInput, match="cannot be read") as caught:
            traces.show(listed)
        assert str(folder) not in str(caught.value)
