"""A client of the API as a third party would write it."""

import json
from typing import Any

import urllib3

from launch.trouble import Trouble

Json = dict[str, Any]


class Client:
    def __init__(self, url: str, token: str | None = None) -> None:
        self._url, self.token = url, token
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._pool = urllib3.PoolManager(retries=False, timeout=30)

    def get(self, path: str, **query: object) -> Json:
        return self._call("GET", path, fields={name: str(value) for name, value in query.items()})

    def post(self, path: str, body: Json) -> Json:
        return self._call("POST", path, json=body)

    def _call(self, method: str, path: str, **content: Any) -> Json:
        response = self._pool.request(method, self._url + path, headers=self._headers, **content)
        answer: Json = json.loads(response.data or b"{}")
        if response.status >= 400:
            raise Trouble(f"{response.status} {answer}")
        return answer
