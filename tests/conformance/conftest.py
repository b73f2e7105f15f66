"""Lemmas that wait for long horizons are in every formula here: the boards are small."""

import pytest

from plansolve.encoders import waste_excess


@pytest.fixture(autouse=True)
def lemmas_at_every_horizon(monkeypatch):
    monkeypatch.setattr(waste_excess, "FROM_HORIZON", 0)
