"""Where programs may be sent back to: sites, the browser's machine, schemes of their own."""

from __future__ import annotations

import pytest

from citeseek.surfaces.mcp.redirect_addresses import (
    add_answer,
    fits_registered,
    is_redirect,
    scheme_of_program,
)


@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor"),
        ("vscode://vscode.github-authentication/did-authenticate", "vscode"),
        ("vscode-insiders://x/back?windowId=1", "vscode-insiders"),
        ("com.example.app:/oauth2redirect", "com.example.app"),
        ("app:///back", "app"),
        ("com.raycast:/oauth?package_name=Extension", "com.raycast"),
    ],
)
def test_a_scheme_of_its_own_is_a_programs(address: str, scheme: str) -> None:
    assert is_redirect(address)
    assert scheme_of_program(address) == scheme


@pytest.mark.parametrize(
    "address",
    [
        "http://app.example/back",
        "http://127.0.0.1.evil.example/back",
        "javascript:alert(1)",
        "javascript://x/%0aalert(1)",
        "JavaScript://x/%0aalert(1)",
        "java\tscript://x/a",
        "vbscript://x/a",
        "data:text/html,x",
        "data://x/a",
        "blob:https://a.example/x",
        "file:///etc/passwd",
        "filesystem://x/a",
        "view-source:https://a.example/",
        "about:blank",
        "chrome://settings/",
        "chrome-extension://abc/x",
        "moz-extension://abc/x",
        "intent://x/#Intent;end",
        "intent://x/a",
        "ftp://a.example/back",
        "ws://a.example/back",
        "mailto:me@a.example",
        "tel:123",
        "sms:/123",
        "ssh://a.example/x",
        "smb://a.example/x",
        "ldap://a.example/x",
        "ms-msdt:/id",
        "ms-settings:/x",
        "search-ms:/query=x",
        "x-apple.systempreferences:/x",
        "web+thing://x/a",
        "cursor://",
        "cursor:/",
        "cursor:back",
        "cursor://me@x/back",
        "cursor://x/back#part",
        "cursor://x\\@y/back",
        "Cursor://x/back",
        "1app://x/back",
        "a://x/back",
        f"{'a' * 51}://x/back",
        "cursor://x/\u00e9",
        "cursor://x/a b",
        "cursor://x:port/back",
        "://x/back",
        "//x/back",
        "/back",
        "",
    ],
)
def test_what_a_browser_or_a_system_answers_itself_is_none(address: str) -> None:
    assert not is_redirect(address)
    assert not fits_registered(address, [address])


def test_a_scheme_of_its_own_fits_letter_by_letter() -> None:
    registered = ["cursor://anysphere.cursor-mcp/oauth/callback"]
    assert fits_registered(registered[0], registered)
    for other in (
        "cursor://anysphere.cursor-mcp/oauth/callback/",
        "cursor://anysphere.cursor-mcp:1/oauth/callback",
        "cursor://anysphere.cursor-mcp/oauth/callback?x=1",
        "cursor://Anysphere.cursor-mcp/oauth/callback",
        "cursor://another/oauth/callback",
        "cursors://anysphere.cursor-mcp/oauth/callback",
    ):
        assert not fits_registered(other, registered)


@pytest.mark.parametrize(
    ("address", "answered"),
    [
        ("https://a.example/b", "https://a.example/b?code=x%2Fy&state=s"),
        ("https://a.example/b?c=d", "https://a.example/b?c=d&code=x%2Fy&state=s"),
        ("https://a.example", "https://a.example?code=x%2Fy&state=s"),
        ("app:///back", "app:///back?code=x%2Fy&state=s"),
        ("com.example:/back", "com.example:/back?code=x%2Fy&state=s"),
    ],
)
def test_an_answer_changes_nothing_of_an_address(address: str, answered: str) -> None:
    assert add_answer(address, code="x/y", state="s", iss="") == answered
