"""Which connections are let in, and which have to go, without a socket."""

from __future__ import annotations

from tests.conftest import settings

from citeseek.surfaces.server.connections import ConnectionLimits, Connections

HERE = "127.0.0.1"


class Wire:
    """A connection of which only the length of its queue is known."""

    def __init__(self) -> None:
        self.unsent = 0
        self.is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


class Watched:
    """Connections under a clock of the test."""

    def __init__(self, **limits: float) -> None:
        self.now = 0.0
        self.all = Connections(ConnectionLimits(**limits), lambda: self.now)  # type: ignore[arg-type]

    def opened(self, address: str = HERE) -> Wire:
        assert self.all.has_room(address)
        wire = Wire()
        self.all.add(wire, address)
        return wire


def test_a_head_has_its_time_from_the_first_byte_on_and_no_more_for_further_ones() -> None:
    watched = Watched(head_seconds=10)
    slow, quick = watched.opened(), watched.opened()
    watched.all.busy(quick)
    watched.now = 9
    watched.all.head_awaited(slow)
    assert watched.all.overdue() == []
    watched.now = 11
    assert watched.all.overdue() == [slow]
    # The next request of a kept connection has the whole time again.
    watched.all.idle(quick)
    watched.now = 30
    watched.all.head_awaited(quick)
    watched.all.remove(slow)
    watched.now = 39
    assert watched.all.overdue() == []
    watched.now = 41
    assert watched.all.overdue() == [quick]


def test_who_takes_nothing_goes_and_who_takes_a_little_stays() -> None:
    watched = Watched(head_seconds=1_000, stalled_seconds=20, least_bytes=4_096)
    mute, slow, drip, busy = (watched.opened() for _ in range(4))
    for wire in (mute, slow, drip, busy):
        wire.unsent = 100_000
        watched.all.stalled(wire)
    for second in range(21):
        watched.now = second
        assert watched.all.overdue() == []
        slow.unsent -= 1_000
        drip.unsent -= 1
        # It takes everything, and there is as much again at once.
        watched.all.flowing(busy)
        watched.all.stalled(busy)
    watched.now = 21
    assert watched.all.overdue() == [mute, drip]
    # Nothing is held against one that has taken all.
    watched.all.flowing(mute)
    assert watched.all.overdue() == [drip]


def test_where_there_is_no_room_the_longest_idle_makes_some_and_never_one_at_work() -> None:
    watched = Watched(most=3)
    first, second, third = watched.opened(), watched.opened(), watched.opened()
    watched.all.busy(first)
    watched.all.busy(second)
    watched.all.idle(second)
    fourth = watched.opened()
    assert (first.is_aborted, second.is_aborted, third.is_aborted) == (False, False, True)
    # One that has begun a request and does not end it is not at work.
    watched.all.body_awaited(fourth)
    watched.opened()
    watched.opened()
    assert second.is_aborted
    assert fourth.is_aborted
    assert not first.is_aborted
    assert len(watched.all) == 3
    full = Watched(most=1)
    full.all.busy(full.opened())
    assert not full.all.has_room(HERE)


def test_one_address_has_its_share_and_this_machine_all_of_it() -> None:
    watched = Watched(most=100, per_address=2)
    for near, same, other in (
        ("198.51.100.7", "::ffff:198.51.100.7", "198.51.100.8"),
        ("2001:db8::1", "2001:db8:0:0:ffff::2", "2001:db8:0:1::1"),
    ):
        kept = watched.opened(near)
        watched.opened(same)
        assert not watched.all.has_room(near)
        assert not watched.all.has_room(same)
        assert watched.all.has_room(other)
        # Its place is given back once, however often it is said that it is gone.
        watched.all.remove(kept)
        watched.all.remove(kept)
        watched.opened(near)
        assert not watched.all.has_room(near)
    for here in (HERE, "::1"):
        for _ in range(3):
            watched.opened(here)
    anybody = Watched(per_address=0)
    for _ in range(200):
        anybody.opened("198.51.100.7")


def test_streams_have_room_beside_everything_else() -> None:
    limits = ConnectionLimits.of(settings(env={"CITESEEK_MAX_STREAMS": "1000"}))
    assert limits.most == 1384
    named = {"CITESEEK_MAX_CONNECTIONS": "50", "CITESEEK_MAX_CONNECTIONS_PER_ADDRESS": "0"}
    limits = ConnectionLimits.of(settings(env=named))
    assert (limits.most, limits.per_address) == (50, 0)
