"""The loopback proxy passes on, records and refuses."""

import base64
import http.client

import pytest
from tests.loopback import LoopbackProxy, LoopbackServer, faults, refused_port, replies

PATIENCE = 60


def via(proxy: LoopbackProxy) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(proxy.host, proxy.port, timeout=PATIENCE)


def basic(userinfo: str) -> str:
    return "Basic " + base64.b64encode(userinfo.encode()).decode()


def test_an_absolute_get_is_passed_on_in_origin_form() -> None:
    with LoopbackServer() as server, LoopbackProxy() as proxy:
        server.on("/page", replies.html("through"))
        client = via(proxy)
        client.request("GET", server.url("/page?q=%E8%8C%B6"), headers={"X-Kept": "yes"})
        assert client.getresponse().read() == b"through"
        client.close()
    assert proxy.requests[0].target == server.url("/page?q=%E8%8C%B6")
    assert server.requests[0].target == "/page?q=%E8%8C%B6"
    assert server.requests[0].headers["x-kept"] == "yes"


def test_a_posted_body_passes() -> None:
    with LoopbackServer() as server, LoopbackProxy() as proxy:
        client = via(proxy)
        client.request("POST", server.url("/form"), b"q=tea")
        client.getresponse().read()
        client.close()
    assert (server.requests[0].method, server.requests[0].body) == ("POST", b"q=tea")


def test_connect_opens_a_tunnel_whose_inside_is_not_read() -> None:
    with LoopbackServer() as server, LoopbackProxy() as proxy:
        server.on("/page", replies.html("inside"))
        client = via(proxy)
        client.set_tunnel(server.host, server.port)
        for _ in range(2):
            client.request("GET", "/page")
            assert client.getresponse().read() == b"inside"
        client.close()
    assert [(r.method, r.target) for r in proxy.requests] == [
        ("CONNECT", f"{server.host}:{server.port}")
    ]
    assert len(server.requests) == 2


def test_upstream_stands_in_for_every_name() -> None:
    with LoopbackServer() as server, LoopbackProxy(upstream=(server.host, server.port)) as proxy:
        server.otherwise(replies.html("stood in"))
        client = via(proxy)
        client.request("GET", "http://search.example.org/html/?q=tea")
        assert client.getresponse().read() == b"stood in"
        client.close()
    assert server.requests[0].headers["host"] == "search.example.org"


@pytest.mark.parametrize("given", ["", basic("ann:wrong")], ids=["none", "wrong"])
@pytest.mark.parametrize("method", ["GET", "CONNECT"])
def test_without_the_right_credentials_nothing_passes(given: str, method: str) -> None:
    headers = {"Proxy-Authorization": given} if given else {}
    with LoopbackServer() as server, LoopbackProxy(username="ann", password="tea") as proxy:
        client = via(proxy)
        client.request(method, server.url("/"), headers=headers)
        response = client.getresponse()
        assert response.status == 407
        assert response.getheader("Proxy-Authenticate") == 'Basic realm="loopback"'
        client.close()
    assert len(proxy.requests) == 1
    assert server.requests == []


def test_credentials_open_the_way_and_stay_with_the_proxy() -> None:
    with LoopbackServer() as server, LoopbackProxy(username="ann", password="tea") as proxy:
        assert proxy.url == f"http://ann:tea@127.0.0.1:{proxy.port}"
        client = via(proxy)
        client.request("GET", server.url("/"), headers={"Proxy-Authorization": basic("ann:tea")})
        client.getresponse().read()
        client.close()
    assert "proxy-authorization" in proxy.requests[0].headers
    assert "proxy-authorization" not in server.requests[0].headers


@pytest.mark.parametrize("method", ["GET", "CONNECT"])
def test_a_destination_that_refuses_is_502(method: str) -> None:
    with refused_port() as port, LoopbackProxy() as proxy:
        client = via(proxy)
        client.request(method, f"http://127.0.0.1:{port}/")
        assert client.getresponse().status == 502
        client.close()


def test_a_client_that_hangs_up_on_the_proxy_is_noticed_behind_it() -> None:
    with LoopbackServer() as server, LoopbackProxy() as proxy:
        server.on("/slow", faults.hang())
        client = via(proxy)
        client.request("GET", server.url("/slow"))
        server.requests.reach(1).wait()
        client.close()
        assert proxy.requests[0].closed.wait() is True
        assert server.requests[0].closed.wait() is True
