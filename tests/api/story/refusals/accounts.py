"""Who asks: tokens, codes, names, addresses."""

from __future__ import annotations

from datetime import timedelta

from tests.api.story.telling import Teller, later
from tests.playing import Person, code_sent_to

SOME_CODE = "ABCDEFGH"


def tell(teller: Teller) -> None:
    ann, bob = teller.people("Ann", "Bob")
    nobody = teller.nobody
    _tokens(teller, ann, nobody)
    _codes_and_names(teller, nobody)
    _addresses(teller, ann, bob)
    teller.refused("unknown-user", "get_user", nobody, name="Nemo")


def _tokens(teller: Teller, ann: Person, nobody: Person) -> None:
    teller.refused("token-missing", "get_me", nobody)
    teller.refused("token-unknown", "get_me", Person(teller.app, "gp_never"))
    wish = {"name": "phone", "scopes": ["games:read"]}
    made = ann.made("/me/tokens", wish)
    phone = Person(teller.app, made["token"])
    teller.refused("insufficient-scope", "list_my_tokens", phone)
    with later(timedelta(days=80)):
        ann.made("/me/tokens", wish)
    with later(timedelta(days=200)):
        teller.refused("token-expired", "list_my_decisions", phone)
    ann.ask("DELETE", f"/me/tokens/{made['id']}")
    teller.refused("token-revoked", "list_my_decisions", phone)
    teller.refused("no-such-token", "revoke_token", ann, token_id=made["id"])
    while ann.post("/me/tokens", wish).status_code == 201:
        pass
    teller.refused("too-many-tokens", "create_token", ann, body=wish)


def _codes_and_names(teller: Teller, nobody: Person) -> None:
    started = nobody.made("/accounts", {"email": "cay@example.org"})
    proof = {"verification": started["verification"], "code": code_sent_to("cay@example.org"), "name": "ann"}
    teller.refused("name-taken", "finish_sign_in", nobody, body=proof)
    teller.refused("wrong-code", "finish_sign_in", nobody, body=proof | {"code": SOME_CODE})
    with later(timedelta(hours=1)):
        teller.refused("code-expired", "finish_sign_in", nobody, body=proof | {"name": "Cay"})


def _addresses(teller: Teller, ann: Person, bob: Person) -> None:
    started = ann.made("/me/email", {"email": "bob@example.org"})
    proof = {"verification": started["verification"], "code": code_sent_to("bob@example.org")}
    teller.refused("address-taken", "finish_email_change", ann, body=proof)
