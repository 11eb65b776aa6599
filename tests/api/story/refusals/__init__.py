"""Every problem once, as it is really met: openapi/examples/problems. `teller.refused("code", "operation_id", who, …)`."""

from __future__ import annotations

from tests.api.story.refusals import accounts, play, programs, requests, tables, wire

SUBJECTS = (wire, requests, accounts, tables, play, programs)
