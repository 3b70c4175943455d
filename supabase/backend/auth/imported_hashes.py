"""Password hashes that users of another system bring along: which ones we take, and Firebase's own kind.

bcrypt and argon2 are checked by their libraries (see passwords). Firebase's scrypt
(https://github.com/firebase/scrypt) is written as upstream writes it:

    $fbscrypt$v=1,n=<log2 of the cost>,r=<block size>,p=<threads>[,ss=<salt separator>][,sk=<signer key>]$<salt>$<hash>

with everything in base64: scrypt of the password gives a key, and the hash is the signer key encrypted with it.
Costs are bounded, for every sign-in pays them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field

import argon2
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from backend.auth import errors

FIREBASE = "$fbscrypt$"
BCRYPT = re.compile(r"\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}", re.ASCII)
BCRYPT_MOST_COST = 14
ARGON2_MOST_MEMORY_KIB = 128 * 1024
ARGON2_MOST_TIME = 10
SCRYPT_MOST_MEMORY = 64 * 1024 * 1024
# The column's width.
MAX_LENGTH = 255

_FIREBASE = re.compile(
    r"\$fbscrypt\$v=1,n=(?P<n>\d{1,2}),r=(?P<r>\d{1,3}),p=(?P<p>\d{1,2})"
    r"(?:,ss=(?P<ss>[A-Za-z0-9+/=]+))?,sk=(?P<sk>[A-Za-z0-9+/=]+)"
    r"\$(?P<salt>[A-Za-z0-9+/=]+)\$(?P<hash>[A-Za-z0-9+/=]+)",
    re.ASCII,
)


@dataclass(frozen=True)
class FirebaseHash:
    """One hash of Firebase's kind; `cost` is the number of iterations, a power of two."""

    cost: int
    block_size: int
    threads: int
    separator: bytes
    signer_key: bytes = field(repr=False)
    salt: bytes = field(repr=False)
    hash: bytes = field(repr=False)

    def matches(self, password: bytes) -> bool:
        """Compares in constant time."""
        key = hashlib.scrypt(
            password,
            salt=self.salt + self.separator,
            n=self.cost,
            r=self.block_size,
            p=self.threads,
            dklen=32,
            maxmem=2 * SCRYPT_MOST_MEMORY,
        )
        encryptor = Cipher(AES(key), CTR(bytes(16))).encryptor()
        return hmac.compare_digest(encryptor.update(self.signer_key) + encryptor.finalize(), self.hash)


def parse_firebase(stored: str) -> FirebaseHash:
    """Raises ValueError for what is no such hash or would cost too much."""
    parts = _FIREBASE.fullmatch(stored)
    if parts is None:
        raise ValueError("not in the form $fbscrypt$v=1,n=,r=,p=,ss=,sk=$salt$hash")
    cost, block_size, threads = 1 << int(parts["n"]), int(parts["r"]), int(parts["p"])
    if not (cost > 1 and block_size > 0 and 0 < threads <= 4 and 128 * cost * block_size <= SCRYPT_MOST_MEMORY):
        raise ValueError("its cost is out of range")
    try:
        separator, key, salt, digest = (
            base64.b64decode(parts[name] or "", validate=True) for name in ("ss", "sk", "salt", "hash")
        )
    except binascii.Error as error:
        raise ValueError("a part of it is not base64") from error
    if len(digest) != len(key):
        raise ValueError("its hash and its signer key differ in length")
    return FirebaseHash(cost, block_size, threads, separator, key, salt, digest)


def checked(brought: str) -> str:
    """The hash, if a sign-in could be checked against it. Raises AuthError validation_failed."""
    if len(brought) > MAX_LENGTH:
        raise _unusable("it is too long")
    if brought.startswith(FIREBASE):
        try:
            parse_firebase(brought)
        except ValueError as error:
            raise _unusable(str(error)) from error
    elif bcrypt_hash := BCRYPT.fullmatch(brought):
        if not 4 <= int(bcrypt_hash[1]) <= BCRYPT_MOST_COST:
            raise _unusable("its cost is out of range")
    else:
        _check_argon2(brought)
    return brought


def _check_argon2(brought: str) -> None:
    try:
        parameters = argon2.extract_parameters(brought)
    except (argon2.exceptions.InvalidHashError, ValueError, KeyError) as error:
        raise _unusable("only bcrypt, argon2 and fbscrypt are known") from error
    if parameters.memory_cost > ARGON2_MOST_MEMORY_KIB or parameters.time_cost > ARGON2_MOST_TIME:
        raise _unusable("its cost is out of range")
    if parameters.parallelism > 16 or parameters.hash_len < 4 or parameters.salt_len < 8:
        raise _unusable("its parameters are out of range")


def _unusable(reason: str) -> errors.AuthError:
    return errors.invalid(f"The password hash cannot be used: {reason}")
