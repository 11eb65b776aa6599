"""Signing in: with the token that was kept, or with a code out of a mail."""

from client import Refused
from words import WORDS


def sign_in(server, keeping):
    """With the token that was kept, or with a code that comes by mail; the person's account."""
    server.token = keeping.token(server.url)
    if server.token:
        return server.get("/me")
    words = WORDS[server.language]
    address = {"email": input(words["address"]), "language": server.language}
    verification = server.post("/accounts", address)["verification"]
    signed = None
    while signed is None:
        signed = prove(server, verification, input(words["code"]).strip(), input(words["name"]).strip())
    keeping.keep(server.url, signed["token"])
    server.token = signed["token"]
    return signed["account"]


def prove(server, verification, code, name):
    """None after saying what is wrong with the code, or with the name."""
    try:
        named = {"name": name} if name else {}
        return server.post("/accounts/verification", {"verification": verification, "code": code, **named})
    except Refused as refused:
        if refused.problem.get("code") == "code-expired":
            raise
        print(refused)
        return None
