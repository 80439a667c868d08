"""A limit for the processor time of a piece of work, whatever else the machine does."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def processor_time_below(seconds: float, *about: object) -> Iterator[None]:
    """Check that what is done meanwhile takes less; ``about`` says what it is where it does not.

    What other tests left behind is not collected meanwhile: that alone can take half a second.
    """
    gc.disable()
    try:
        began = time.process_time()
        yield
        took = time.process_time() - began
    finally:
        gc.enable()
    assert took < seconds, about
