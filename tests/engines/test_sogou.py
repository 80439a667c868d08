"""What only Sogou does; the contract suite and the pages test the rest."""

from __future__ import annotations

import pytest

from citeseek.engines.sogou import ENGINE
from citeseek.errors import WebBlocked
from citeseek.models import Page
from citeseek.searching import judge

ADDRESS = "https://www.sogou.com/web?query=tea"
CARD = '<div class="results"><div class="rb"><h3 class="pt"><a href="/link?url=x">T</a></h3></div>'


def test_an_address_that_no_card_states_stays_that_of_sogou() -> None:
    (hit,) = ENGINE.parse(Page(url=ADDRESS, body=CARD.encode()))
    assert hit.url == "https://www.sogou.com/link?url=x"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_redirect_to_its_check_is_a_refusal_and_no_other_place_is(scheme: str) -> None:
    def sent_to(path: str) -> Page:
        headers = {"location": f"{scheme}://www.sogou.com{path}"}
        return Page(url=ADDRESS, status=302, headers=headers)

    with pytest.raises(WebBlocked) as caught:
        judge.redirect_target(ENGINE, sent_to("/antispider/?from=x"))
    assert caught.value.detail_code == "captcha_required"
    if scheme == "https":
        assert judge.redirect_target(ENGINE, sent_to("/antispiders")) is not None
