"""Those who are told: `python -m bench.delivery_receivers JOURNAL` prints the addresses of an SMTP and of an HTTP server, which
append and sync a line for each notice before they answer."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller

from launch.ports import free_port

MESSAGE_ID = re.compile(rb"^Message-ID:\s*(<[^>]*>)", re.IGNORECASE | re.MULTILINE)


class Journal:
    def __init__(self, file: Path) -> None:
        self._file, self._lock = file.open("ab"), threading.Lock()

    def note(self, channel: str, id: str) -> None:
        with self._lock:
            self._file.write(f"{channel} {id} {time.time()}\n".encode())
            self._file.flush()
            os.fsync(self._file.fileno())


class Mail:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        found = MESSAGE_ID.search(envelope.content)
        self._journal.note("email", found[1].decode() if found else "-")
        return "250 OK"


def serve(journal: Journal) -> None:
    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            journal.note("webhook", str(self.headers["webhook-id"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 256

    http = Server(("127.0.0.1", 0), Hook)
    port = free_port()
    Controller(Mail(journal), hostname="127.0.0.1", port=port).start()
    print(f"smtp://127.0.0.1:{port} http://127.0.0.1:{http.server_port}", flush=True)
    http.serve_forever()


if __name__ == "__main__":
    serve(Journal(Path(sys.argv[1])))
