"""The app as the tests of the API have it."""

from tests.api.conftest import app, nobody  # noqa: F401
