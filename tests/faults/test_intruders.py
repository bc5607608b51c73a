"""Who has no certificate or password is not let in."""

import asyncio
import socket
import ssl

import pytest
from distributed import Security
from distributed.comm import connect as connect_to

from stages.train.cluster import connect


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The cluster that a run starts for itself, and a client of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("cluster"))
        with connect(None, 1) as client:
            yield client


@pytest.fixture
def address(cluster):
    return cluster.scheduler.address


def knock(address, security):
    """What a scheduler answers to somebody with these keys. No `Client`: one that cannot connect is
    garbage, and its end on the thread of the next one can stop that one for ever."""

    async def ask():
        keys = security.get_connection_args("client")
        comm = await asyncio.wait_for(connect_to(address, timeout=3, **keys), 60)
        try:
            await comm.write({"op": "identity", "reply": True})
            return await comm.read()
        finally:
            await comm.close()

    return asyncio.run(ask())


def test_it_listens_on_loopback_with_tls(cluster, address):
    workers = list(cluster.scheduler_info()["workers"])
    nannies = [known["nanny"] for known in cluster.scheduler_info()["workers"].values()]
    assert workers and all(a.startswith("tls://127.0.0.1:") for a in (address, *workers, *nannies))


def test_who_has_its_certificate_is_let_in(cluster):
    assert cluster.submit(sum, [1, 2]).result(timeout=60) == 3


@pytest.mark.parametrize("stranger", [None, Security.temporary()], ids=["none", "another"])
def test_a_client_without_its_certificate_is_refused(address, stranger):
    with pytest.raises((OSError, TypeError)):
        knock(address, stranger or Security())
    with pytest.raises(OSError):
        knock(address.replace("tls://", "tcp://"), Security())


def test_a_client_with_its_certificate_is_heard(cluster, address):
    assert knock(address, cluster.security)["type"] == "Scheduler"


@pytest.mark.parametrize("which", ["scheduler", "worker"])
def test_a_connection_without_a_certificate_is_ended_before_a_word(cluster, address, which):
    place = address if which == "scheduler" else next(iter(cluster.scheduler_info()["workers"]))
    host, port = place.removeprefix("tls://").split(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    bare = socket.create_connection((host, int(port)), timeout=10)
    with bare, pytest.raises((ssl.SSLError, ConnectionError)):
        context.wrap_socket(bare).recv(100)  # a server of TLS 1.3 says no after the handshake
