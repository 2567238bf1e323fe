"""No proxy and no certificates of the machine that runs the tests come between."""

import os

import pytest


@pytest.fixture(autouse=True)
def _direct(monkeypatch):
    for name in list(os.environ):
        if name.lower() in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir"):
            monkeypatch.delenv(name)
