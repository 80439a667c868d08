"""The settings of signing in with an account elsewhere: OpenID Connect, and GitHub."""

from __future__ import annotations

from citeseek.settings.mcp_settings import issuer_address
from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import choice, number, secret, word, words


class SignInSection(Section):
    """The settings of signing in with an account elsewhere."""

    prefix = "server"

    oidc_provider = Setting(
        config=("server.oidc_provider",),
        env=("CITESEEK_OIDC_PROVIDER",),
        read=choice("oidc", "github"),
        default="oidc",
        meaning="What people sign in with: oidc: OpenID Connect, as Keycloak, Google and Authentik "
        "speak it; github: GitHub, which speaks OAuth 2.0.",
    )
    oidc_issuer = Setting(
        config=("server.oidc_issuer",),
        env=("CITESEEK_OIDC_ISSUER",),
        read=issuer_address,
        default=None,
        meaning="Address of the issuer that people sign in at, letter by letter as it calls "
        "itself; of GitHub https://github.com, or that of a server of your own. Needs server.url.",
    )
    oidc_client_id = Setting(
        config=("server.oidc_client_id",),
        env=("CITESEEK_OIDC_CLIENT_ID",),
        read=secret,
        default=None,
        meaning="Id of this server at the issuer; none: nobody signs in there.",
    )
    oidc_client_secret = Setting(
        config=("server.oidc_client_secret",),
        env=("CITESEEK_OIDC_CLIENT_SECRET",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Secret of this server at the issuer, at least 16 characters; another one ends "
        "every sign-in.",
    )
    oidc_scopes = Setting(
        config=("server.oidc_scopes",),
        env=("CITESEEK_OIDC_SCOPES",),
        read=word,
        default=None,
        meaning="Scopes that are asked for, with spaces between them; default openid email "
        "profile, of GitHub read:user user:email and, with server.oidc_roles, read:org.",
    )
    oidc_label = Setting(
        config=("server.oidc_label",),
        env=("CITESEEK_OIDC_LABEL",),
        read=word,
        default=None,
        meaning="Name of the issuer on the button of the login; default GitHub, or the issuer's "
        "host.",
    )
    oidc_name_claim = Setting(
        config=("server.oidc_name_claim",),
        env=("CITESEEK_OIDC_NAME_CLAIM",),
        read=word,
        default="email",
        meaning="Claim by which a person is known, such as email, which counts when the issuer has "
        "verified it, preferred_username or sub. Who has none is known by the subject.",
    )
    oidc_role = Setting(
        config=("server.oidc_role",),
        env=("CITESEEK_OIDC_ROLE",),
        read=choice("member", "guest", "none"),
        default="none",
        meaning="Role of those who sign in and whom neither server.people nor server.oidc_roles "
        "has; none: they are not let in.",
    )
    oidc_domains = Setting[tuple[str, ...]](
        config=("server.oidc_domains",),
        env=("CITESEEK_OIDC_DOMAINS",),
        read=words,
        default=(),
        meaning="Domains in one of which people need a verified e-mail address, unless "
        "server.people has them; none: any account.",
    )
    oidc_roles = Setting[tuple[str, ...]](
        config=("server.oidc_roles",),
        env=("CITESEEK_OIDC_ROLES",),
        read=words,
        default=(),
        meaning="Roles by group, as staff:member; of several the strongest counts. A role is "
        "owner, member or guest.",
    )
    oidc_groups_claim = Setting(
        config=("server.oidc_groups_claim",),
        env=("CITESEEK_OIDC_GROUPS_CLAIM",),
        read=word,
        default="groups",
        meaning="Claim that lists the groups of a person; of GitHub the organizations.",
    )
    oidc_hours = Setting(
        config=("server.oidc_hours",),
        env=("CITESEEK_OIDC_HOURS",),
        read=number(0.1, 720),
        default=12.0,
        meaning="Hours that a sign-in holds, 0.1 to 720: so long an account that was closed at the "
        "issuer may still come in.",
    )
