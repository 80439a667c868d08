"""The issuer that people of a server sign in at: is it there, and does it call itself the same."""

from __future__ import annotations

from typing import Any

import msgspec

from citeseek.errors import CiteseekError
from citeseek.extras import faults, how_to_install
from citeseek.health.finding import Finding
from citeseek.health.texts import tell
from citeseek.http import Transports
from citeseek.models import Request
from citeseek.settings import Settings

_SECONDS, _BYTES = 5.0, 1 << 20
_PUBLISHED = "/.well-known/openid-configuration"


class _Metadata(msgspec.Struct):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


async def check_issuer(settings: Settings) -> list[Finding]:
    """Say whether people can sign in elsewhere, and which address the issuer has to know.

    Of an issuer of OpenID Connect its metadata are asked for; of GitHub nothing is.
    """
    chosen = settings.sign_in
    if not (chosen.oidc_client_id or chosen.oidc_issuer or chosen.oidc_client_secret):
        return [tell("issuer", "none")]
    if any(fault.state == "missing" for fault in faults("oidc", imports=False)):
        return [tell("issuer", "no_libraries", more=(how_to_install("oidc"),))]
    if lacking := _lacking(settings):
        return [tell("issuer", "incomplete", names=", ".join(lacking))]
    back = f"{settings.server.url}/login/oidc/callback"
    if chosen.oidc_provider == "github":
        return [tell("issuer", "github", back=back)]
    return [await _look(chosen.oidc_issuer or "", back)]


async def _look(issuer: str, back: str) -> Finding:
    """Ask ``issuer`` for its metadata; ``back`` is where it sends people to."""
    address = issuer.rstrip("/") + _PUBLISHED
    transports = Transports()
    try:
        page = await transports.get("pyreqwest").send(
            Request(url=address), seconds=_SECONDS, max_bytes=_BYTES
        )
    except CiteseekError:
        return tell("issuer", "unreachable", address=address)
    finally:
        await transports.close()
    try:
        found = msgspec.json.decode(page.body, type=_Metadata)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return tell("issuer", "unpublished", address=address, answered=str(page.status))
    if found.issuer != issuer:
        return tell("issuer", "other_name", issuer=issuer, found=f"{found.issuer:.200}")
    return tell("issuer", "ok", issuer=issuer, back=back)


def _lacking(settings: Settings) -> list[str]:
    """Return the variables without which a server does not start."""
    chosen = settings.sign_in
    needed: dict[str, Any] = {
        "CITESEEK_URL": settings.server.url,
        "CITESEEK_OIDC_CLIENT_ID": chosen.oidc_client_id,
        "CITESEEK_OIDC_CLIENT_SECRET": chosen.oidc_client_secret,
        "CITESEEK_OIDC_ISSUER": chosen.oidc_issuer or chosen.oidc_provider == "github",
    }
    return [name for name, value in needed.items() if not value]
