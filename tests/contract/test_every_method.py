"""A new version of the client with a new method fails here until the method has tests."""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.contract import methods


def test_every_public_method_of_the_client_has_tests() -> None:
    found = [path for each in methods.CLIENTS for path in Path(__file__).parent.glob(f"test_{each}_*.py")]
    for path in found:
        importlib.import_module(f"tests.contract.{path.stem}")
    assert sorted(methods.covered) == sorted(methods.public_methods())


def test_the_asynchronous_client_has_the_same_methods() -> None:
    assert methods.public_methods(methods.ASYNCHRONOUS) == methods.public_methods()
