"""The app and its people as the tests of the API have them."""

from tests.api.conftest import ann, app, bob, eve, nobody  # noqa: F401
