"""Lemmas that wait for long horizons are in every formula here: the boards are small."""

import pytest

from plansolve.encoders.lemmas import tables, triple_times


@pytest.fixture(autouse=True)
def lemmas_at_every_horizon(monkeypatch):
    monkeypatch.setattr(tables, "FIRST_DIRECTED_HORIZON", 0)
    monkeypatch.setattr(triple_times, "FROM_HORIZON", 0)
    # All of the smaller boards' triples; of 2,300 on 5x5 the first few.
    monkeypatch.setattr(triple_times, "MOST_TRIPLES", 84)
