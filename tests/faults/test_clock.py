"""A run does not wait for hours, nor lose its certificate, when the time of day is set back."""

import time
from datetime import UTC, datetime

import distributed.batched
from cryptography import x509
from tornado.ioloop import IOLoop

from stages.train.cluster import lasting_security, steady_time


def test_dask_waits_by_a_clock_that_is_never_set(monkeypatch):
    before = steady_time()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert IOLoop.time(None) >= before and distributed.batched.time() >= before


def test_its_certificate_is_valid_whatever_the_time_of_day_is():
    security = lasting_security()
    certificate = x509.load_pem_x509_certificate(security.tls_scheduler_cert.encode())
    assert certificate.not_valid_before_utc <= datetime(1970, 1, 1, tzinfo=UTC)
    assert certificate.not_valid_after_utc.year == 9999
    assert security.require_encryption and security.tls_ca_file == security.tls_worker_cert
