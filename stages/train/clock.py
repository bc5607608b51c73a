"""A run on Dask does not care what the time of day is.

Dask and Tornado wait until a time of day: for hours, when the clock is set back by hours. Importing
this lets them count on, in this process.
"""

import time
from datetime import UTC, datetime

import distributed.batched
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key
from distributed import Security
from tornado.ioloop import IOLoop

ROLES = ("client", "scheduler", "worker")
START = time.time() - time.monotonic()


def steady_time() -> float:
    """The time of day when this process started, counted on."""
    return START + time.monotonic()


distributed.batched.time = steady_time
IOLoop.time = lambda _: steady_time()  # type: ignore[method-assign, assignment]


def lasting_security() -> Security:
    """Key and certificate of one run, in memory only, so that they need not expire; Dask's would
    not be valid yet after the clock was set back."""
    short = Security.temporary()
    key = load_pem_private_key(short.tls_client_key.encode(), None)
    assert isinstance(key, RSAPrivateKey)
    known = x509.load_pem_x509_certificate(short.tls_client_cert.encode())
    certificate = x509.CertificateBuilder(
        issuer_name=known.issuer,
        subject_name=known.subject,
        public_key=known.public_key(),
        serial_number=known.serial_number,
        not_valid_before=datetime(1970, 1, 1, tzinfo=UTC),
        not_valid_after=datetime(9999, 12, 31, tzinfo=UTC),
        extensions=list(known.extensions),
    ).sign(key, hashes.SHA256())
    text = certificate.public_bytes(Encoding.PEM).decode()
    keys = {f"tls_{role}_key": short.tls_client_key for role in ROLES}
    certificates = {f"tls_{role}_cert": text for role in ROLES}
    return Security(require_encryption=True, tls_ca_file=text, **keys, **certificates)
