import pytest


@pytest.fixture(scope="module")
def client():
    """A client of a server of the web application."""
    from support.fixtures.web import serving

    with serving() as made:
        yield made
