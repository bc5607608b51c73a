"""A run on Dask does not care what the time of day is.

Dask and Tornado wait until a time of day: for hours, when the clock is set back by hours. Importing
this lets them count on, in this process.
"""

import time
from datetime import UTC, datetime

import distributed.batched
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from distributed import Security
from tornado.ioloop import IOLoop

START = time.time() - time.monotonic()


def steady_time() -> float:
    """The time of day when this process started, counted on."""
    return START + time.monotonic()


distributed.batched.time = steady_time
IOLoop.time = lambda _: steady_time()  # type: ignore[method-assign, assignment]


def lasting_security() -> Security:
    """Key and certificate of one run, in memory only, so that they need not expire; Dask's would
    not be valid yet after the clock was set back."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "rethink")])
    first, last = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    number = x509.random_serial_number()
    builder = x509.CertificateBuilder(name, name, key.public_key(), number, first, last)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    both = builder.sign(key, hashes.SHA256()).public_bytes(pem)
    both += key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    roles = ("ca_file", "client_cert", "scheduler_cert", "worker_cert")
    return Security(require_encryption=True, **{f"tls_{role}": both.decode() for role in roles})
