"""The API for a person's client: sends again what the network lost, and keeps the token. The standard library alone."""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from urllib.parse import urlencode

WAIT = 25  # seconds that the server may hold a request until something happens
PAUSES = (0.5, 1, 2, 4, 8, 15)  # seconds before the same is sent again; the last one for ever


class Refused(Exception):
    """The server says no, and why: `problem` is RFC 9457."""

    def __init__(self, status, problem):
        super().__init__(": ".join(problem[key] for key in ("title", "detail") if key in problem))
        self.status, self.problem = status, problem


class Server:
    """`trouble` is called with what went wrong each time that something has to be sent again."""

    def __init__(self, url, language, trouble=lambda why: None, token=None):
        self.url, self.language, self.trouble, self.token = url.rstrip("/"), language, trouble, token

    def get(self, path, **query):
        """None: nothing new (204)."""
        content = self._send("GET", path + ("?" + urlencode(query) if query else ""))
        return json.loads(content) if content else None

    def text(self, path):
        return self._send("GET", path, accept="text/plain").decode()

    def post(self, path, body=None):
        """With a key, so that sent twice it happens once."""
        return json.loads(self._send("POST", path, json.dumps(body or {}).encode()))

    def items(self, path, after):
        """All items of a feed behind this one."""
        more, found = True, []
        while more:
            page = self.get(path, after=after, limit=200)
            found += page["items"]
            more, after = page["more"], page["next_after"]
        return found

    def _send(self, method, path, content=None, accept="application/json"):
        request = urllib.request.Request(f"{self.url}/v1{path}", content, self._headers(content, accept), method=method)
        tries = 0
        while True:
            try:
                with urllib.request.urlopen(request, timeout=WAIT + 15) as answer:
                    return answer.read()
            except urllib.error.HTTPError as refused:
                if refused.code != 429 and refused.code < 500:
                    raise Refused(refused.code, _problem(refused)) from None
                why, later = refused, refused.headers.get("Retry-After", "")
            except (OSError, http.client.HTTPException) as trouble:
                why, later = trouble, ""
            self.trouble(why)
            time.sleep(int(later) if later.isdigit() else PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1

    def _headers(self, content, accept):
        headers = {"Accept": accept, "Accept-Language": self.language}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if content is not None:
            headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        return headers


def _problem(refused):
    try:
        return json.load(refused)
    except ValueError:  # not one of ours: a proxy's, perhaps
        return {"title": str(refused)}


class Keeping:
    """Tokens by server, in a file that nobody else on this machine can read."""

    def __init__(self, environ=os.environ):
        home = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        self.file = home / "galapost" / "tokens.json"

    def token(self, url):
        return self._read().get(url)

    def keep(self, url, token):
        """None forgets it."""
        tokens = {**self._read(), url: token}
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self.file.with_suffix(f".{os.getpid()}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({url: token for url, token in tokens.items() if token}, file)
        draft.replace(self.file)

    def _read(self):
        try:
            return json.loads(self.file.read_text())
        except (FileNotFoundError, ValueError):
            return {}
