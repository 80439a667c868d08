"""Who may speak to the server, and as whom: what the guard goes by."""

from __future__ import annotations

import ipaddress

import msgspec

from citeseek.errors import InvalidInput
from citeseek.person import OPERATOR, Person
from citeseek.settings import Settings
from citeseek.settings.known_people import KnownPerson, read_people
from citeseek.settings.server_settings import LEAST_TOKEN, ServerSection, is_too_short
from citeseek.settings.values import UnreadableValue, tokens_in
from citeseek.surfaces.server.trusted_proxy import TrustedProxy
from citeseek.surfaces.sign_in.identity import Identity
from citeseek.surfaces.sign_in.registration import Registration

_MAKE_ONE = "python3 -c 'import secrets; print(secrets.token_urlsafe())'"


class Visitor(msgspec.Struct, frozen=True):
    """Whoever comes in; their requests are counted under ``caller``."""

    person: Person
    caller: str

    @classmethod
    def of(cls, person: Person) -> Visitor:
        """Return a person who is known by name, whichever way they came in."""
        return cls(person, f"person {person.name}")


class TokenHolder(msgspec.Struct, frozen=True):
    """A token and whoever brings it."""

    token: str
    visitor: Visitor

    def __repr__(self) -> str:
        return f"TokenHolder({self.visitor.caller})"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The guard's rules.

    ``host`` is where the server listens, ``hosts`` are further names under which browsers reach it,
    and ``token`` is what every request must bring, if anything; several have commas between them.
    ``people`` have tokens of their own, ``proxy`` says who else comes, and others sign in elsewhere
    by ``sign_in``. ``language`` is that of the login, by default the browser's.
    A body has at most ``max_body`` bytes and must be there after ``body_seconds``; a
    file that somebody with the token sends to be read has at most ``max_file``. Programs make at
    most ``per_minute`` requests a minute with one token (0: any number), guests at most
    ``guest_per_minute``. With ``open_metrics`` the metrics need no token. ``audit_log``
    is a file, or ``-`` for standard output.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    people: tuple[KnownPerson, ...] = ()
    proxy: TrustedProxy | None = None
    sign_in: Registration | None = None
    language: str = "auto"
    hosts: tuple[str, ...] = ()
    max_body: int = 262_144
    max_file: int = 20_000_000
    body_seconds: float = 30.0
    per_minute: int = 0
    guest_per_minute: int = 10
    open_metrics: bool = False
    audit_log: str | None = None

    @classmethod
    def of(cls, settings: Settings, *, host: str | None = None) -> Rules:
        """Return the rules of ``settings``, for ``host`` when it is given.

        Raise InvalidInput when nobody could come in, and when anybody on the network could: for a
        token that is too short or cannot be read, for people who cannot be, for a proxy that is
        nowhere, for an issuer that is named by halves, and for a host that is not loopback without
        any of them.
        """
        host = host or settings.server.host
        token = settings.server.token
        if token is None and settings.was_given(ServerSection.token):
            raise InvalidInput(
                "The token of the server (CITESEEK_TOKEN) cannot be read.",
                hint="Write it in printable ASCII characters: a header can carry no others.",
                values={"case": "token_unreadable"},
            )
        if token is not None and is_too_short(token):
            raise InvalidInput(
                f"The token of the server (CITESEEK_TOKEN) has less than {LEAST_TOKEN} characters.",
                hint=f"Make one: {_MAKE_ONE}",
                values={"case": "token_short", "least": str(LEAST_TOKEN), "command": _MAKE_ONE},
            )
        people = people_of(settings)
        proxy = TrustedProxy.of(settings, people)
        sign_in = Registration.of(settings, people)
        has_tokens = token is not None or any(each.token for each in people)
        if people and not (has_tokens or proxy or sign_in or settings.mcp.issuer):
            raise InvalidInput(
                "Nobody could come in: no one in CITESEEK_PEOPLE has a token, and there is no "
                "other way.",
                hint=f"Write each as name:role:token; make a token: {_MAKE_ONE}",
                values={"case": "nobody", "command": _MAKE_ONE},
            )
        is_open = token is None and not people and proxy is None and sign_in is None
        if is_open and not is_loopback(host):
            raise InvalidInput(
                f"{host} can be reached from other machines, and anybody there could use this "
                "server: set CITESEEK_TOKEN.",
                hint=f"Make one: {_MAKE_ONE}",
                values={"case": "no_token", "host": host, "command": _MAKE_ONE},
            )
        return cls(
            host=host,
            token=token,
            people=people,
            proxy=proxy,
            sign_in=sign_in,
            language=settings.page.language,
            hosts=(*settings.server.hosts, *((sign_in.host,) if sign_in else ())),
            max_file=settings.files.max_bytes,
            per_minute=settings.server.per_minute,
            guest_per_minute=settings.server.guest_per_minute,
            open_metrics=settings.server.metrics == "open",
            audit_log=settings.server.audit_log,
        )

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of whoever runs the server, each of which lets in."""
        return () if self.token is None else tokens_in(self.token)

    @property
    def holders(self) -> tuple[TokenHolder, ...]:
        """Each token with whose it is; none when everybody is let in."""
        own = (
            TokenHolder(token, Visitor(OPERATOR, f"token {number}"))
            for number, token in enumerate(self.tokens, start=1)
        )
        others = (
            TokenHolder(each.token, Visitor.of(each.person)) for each in self.people if each.token
        )
        return (*own, *others)

    @property
    def has_door(self) -> bool:
        """Whether it matters who comes; without one everybody is whoever runs the server."""
        return bool(self.holders or self.people or self.proxy or self.sign_in)

    def find_person(self, name: str) -> Person | None:
        """Return who is called ``name`` and may come in at present, as who they are now.

        None for whoever comes in by more than their name: an account of a domain or a group.
        """
        if name == OPERATOR.name:
            return OPERATOR if self.tokens else None
        for each in self.people:
            if each.person.name == name:
                return each.person
        if self.proxy and self.proxy.role:
            return Person(name, self.proxy.role)
        return self.sign_in.admission.find(Identity(name)) if self.sign_in else None

    @property
    def is_local(self) -> bool:
        """Whether the server can be reached from its own machine alone."""
        return is_loopback(self.host)

    def allows(self, name: str) -> bool:
        """Whether a browser that calls the server ``name`` means this server.

        A foreign name that leads here is an attack (DNS rebinding); an address cannot be one.
        """
        if is_loopback(name) or name.endswith(".localhost") or name in self.hosts:
            return True
        return not self.is_local and (name == self.host or _address(name) is not None)

    def __repr__(self) -> str:
        return f"Rules({self.host}, token {'set' if self.token else 'not set'})"


def people_of(settings: Settings) -> tuple[KnownPerson, ...]:
    """Return those of the settings; raise InvalidInput for what is none."""
    text = settings.server.people
    if text is None:
        if settings.was_given(ServerSection.people):
            raise InvalidInput(
                "The people of the server (CITESEEK_PEOPLE) cannot be read.",
                hint="Write them as one text in printable ASCII characters.",
                values={"case": "people_unreadable"},
            )
        return ()
    try:
        people = read_people(text)
    except UnreadableValue as reason:
        raise InvalidInput(
            f"The people of the server (CITESEEK_PEOPLE) cannot be read: {reason}.",
            hint="Write them as name:role:token, with commas between them.",
            values={"case": "people_wrong", "why": reason.code, **reason.values},
        ) from None
    own = tokens_in(settings.server.token or "")
    for each in people:
        if each.token in own:
            raise InvalidInput(
                f"{each.person.name} has a token of CITESEEK_TOKEN: nobody could tell who comes.",
                hint=f"Make one: {_MAKE_ONE}",
                values={
                    "case": "token_shared",
                    "name": str(each.person.name),
                    "command": str(_MAKE_ONE),
                },
            )
    return people


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine and nobody else's, without asking for any name."""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
