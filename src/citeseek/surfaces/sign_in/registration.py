"""This server as a client of the issuer that people sign in at: what the settings say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import msgspec

from citeseek.errors import InvalidInput
from citeseek.person import ROLES, Role
from citeseek.settings import Settings
from citeseek.settings.known_people import KnownPerson, name_subject
from citeseek.settings.server_settings import LEAST_TOKEN, ServerSection
from citeseek.settings.setting import Setting
from citeseek.settings.sign_in_settings import SignInSection
from citeseek.settings.sources import DEFAULT
from citeseek.surfaces.sign_in.identity import (
    Admission,
    Identity,
    groups_in,
    has_verified_email,
    name_by_claim,
)
from citeseek.surfaces.web.issuer_documents import is_safe

START, BACK = "/login/oidc", "/login/oidc/callback"
GITHUB = "https://github.com"
_SCOPES = "openid email profile"
_OF_GITHUB = "read:user user:email"
_ROLES: Mapping[str, Role | None] = {"member": "member", "guest": "guest", "none": None}


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """What both sides know of each other.

    ``url`` is the address under which browsers reach this server; ``hours`` is how long a sign-in
    holds. Whom ``admission`` lets in is known by ``name_claim``, else by the subject, which is the
    same person as over MCP where ``shares_subjects``.
    """

    provider: Literal["oidc", "github"]
    issuer: str
    client_id: str
    client_secret: str
    url: str
    scopes: str
    label: str
    admission: Admission
    name_claim: str = "email"
    groups_claim: str = "groups"
    hours: float = 12.0
    shares_subjects: bool = False

    @classmethod
    def of(cls, settings: Settings, people: tuple[KnownPerson, ...]) -> Registration | None:
        """Return that of ``settings``, None when nobody signs in elsewhere.

        Raise InvalidInput for what cannot be read, for what is missing, and where nobody could
        come in.
        """
        _check_read(settings)
        chosen = settings.sign_in
        is_github = chosen.oidc_provider == "github"
        issuer = chosen.oidc_issuer or (GITHUB if is_github else None)
        secret, url = chosen.oidc_client_secret, settings.server.url
        if chosen.oidc_client_id is None and not (chosen.oidc_issuer or secret):
            return None
        needed = {
            SignInSection.oidc_client_id: chosen.oidc_client_id,
            SignInSection.oidc_issuer: issuer,
            SignInSection.oidc_client_secret: secret,
            ServerSection.url: url,
        }
        for setting, value in needed.items():
            if value is None:
                raise _missing(setting)
        assert chosen.oidc_client_id and issuer and secret and url  # noqa: S101, PT018 - just asked
        _check_addresses(issuer, url)
        _check_secret(secret)
        roles = _roles(chosen.oidc_roles)
        admission = Admission(
            people=people,
            role=_ROLES[chosen.oidc_role],
            domains=tuple(each.lower().lstrip("@") for each in chosen.oidc_domains),
            roles=roles,
        )
        if not admission.lets_in_anybody:
            raise InvalidInput(
                "People are to sign in elsewhere, and nobody of them would be let in.",
                hint="Name them in CITESEEK_PEOPLE, such as alice@example.org:owner, or set "
                "CITESEEK_OIDC_ROLE.",
                values={"case": "sign_in_nobody"},
            )
        usual = f"{_OF_GITHUB} read:org" if roles else _OF_GITHUB
        label = "GitHub" if issuer == GITHUB else urlsplit(issuer).netloc
        return cls(
            provider="github" if is_github else "oidc",
            issuer=issuer,
            client_id=chosen.oidc_client_id,
            client_secret=secret,
            url=url,
            scopes=chosen.oidc_scopes or (usual if is_github else _SCOPES),
            label=chosen.oidc_label or label,
            admission=admission,
            name_claim=chosen.oidc_name_claim,
            groups_claim=chosen.oidc_groups_claim,
            hours=chosen.oidc_hours,
            shares_subjects=issuer == settings.mcp.issuer,
        )

    @property
    def redirect_uri(self) -> str:
        """Where the issuer sends people back to, letter by letter as it has to know it."""
        return self.url + BACK

    @property
    def host(self) -> str:
        """The name or address by which browsers call this server."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_https(self) -> bool:
        """Whether browsers reach this server over https."""
        return self.url.startswith("https:")

    def start_address(self, next_path: str) -> str:
        """Return where a sign-in begins that leads to ``next_path``."""
        return f"{self.url}{START}?next={quote(next_path, safe='/')}"

    def identify(self, claims: Mapping[str, Any]) -> Identity:
        """Return who the issuer says that somebody is."""
        subject = str(claims["sub"])
        # Another issuer of MCP may call somebody else the same.
        scoped = subject if self.shares_subjects else f"{self.issuer}\n{subject}"
        named = name_by_claim(claims, self.name_claim) or name_subject(scoped)
        email = str(claims["email"]).strip().lower() if has_verified_email(claims) else ""
        return Identity(
            named,
            email,
            self.admission.find_strongest(groups_in(claims, self.groups_claim)),
        )

    def __repr__(self) -> str:
        return f"Registration({self.issuer})"


def _check_read(settings: Settings) -> None:
    """Raise InvalidInput for a setting that cannot be read: its default might let others in."""
    for setting in (*SignInSection.settings(), ServerSection.url):
        value = settings.get(setting)
        if value.fault or (settings.was_given(setting) and value.origin == DEFAULT):
            raise InvalidInput(
                f"{setting.name} ({setting.env[0]}) cannot be read.",
                hint=setting.meaning,
                values={"case": "unread_setting", "name": setting.name, "variable": setting.env[0]},
            )


def _check_addresses(issuer: str, url: str) -> None:
    if urlsplit(url).path:
        raise InvalidInput(
            f"{url} (CITESEEK_URL) has to be without a path.",
            hint=ServerSection.url.meaning,
            values={"case": "sign_in_path", "address": url},
        )
    for address in (issuer, url):
        if not is_safe(address):
            raise InvalidInput(
                f"{address} has to be an https address.",
                hint="Only on this machine itself (localhost) http is enough.",
                values={"case": "sign_in_https", "address": address},
            )


def _check_secret(secret: str) -> None:
    if len(secret) < LEAST_TOKEN:
        raise InvalidInput(
            f"The secret of this server at the issuer has less than {LEAST_TOKEN} characters.",
            hint="Take the one that the issuer made (CITESEEK_OIDC_CLIENT_SECRET).",
            values={"case": "sign_in_secret", "least": str(LEAST_TOKEN)},
        )


def _missing(setting: Setting[Any]) -> InvalidInput:
    return InvalidInput(
        f"People are to sign in elsewhere, and {setting.name} ({setting.env[0]}) is missing.",
        hint=setting.meaning,
        values={"case": "sign_in_missing", "name": setting.name, "variable": setting.env[0]},
    )


def _roles(entries: tuple[str, ...]) -> dict[str, Role]:
    """Return the roles by group in ``staff:member``; a group may have a colon itself."""
    found: dict[str, Role] = {}
    for entry in entries:
        group, _, named = entry.rpartition(":")
        role = next((each for each in ROLES if each == named.strip().lower()), None)
        if not group.strip() or role is None:
            raise InvalidInput(
                f"{entry!r:.80} of server.oidc_roles (CITESEEK_OIDC_ROLES) is no group and role.",
                hint=f"Write it as staff:member; roles are {', '.join(ROLES)}.",
                values={"case": "sign_in_roles", "entry": entry, "roles": ", ".join(ROLES)},
            )
        found[group.strip()] = role
    return found
