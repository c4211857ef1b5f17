"""`calotype origin` as a process of its own."""

import contextlib
import json
import signal
import subprocess
import urllib.request
from pathlib import Path

from support import drawn


class RunningOrigin:
    """Serves pictures, drawn ones unless told otherwise, and catalogues on loopback until it is left, or killed."""

    def __init__(self, binary: Path, *options: str):
        pictures = [] if "--images" in options else drawn.options(binary)
        command = [str(binary), "origin", *pictures, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().split()[-1]

    def __enter__(self) -> "RunningOrigin":
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        self.process.stdout.close()

    @contextlib.contextmanager
    def held(self):
        """Lets nothing go on here meanwhile: what is under way stays as it is, however slow whoever looks at it is."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=30)

    def faulty(self, kind: str) -> str:
        """Returns the base of services whose answers, or pictures, go wrong in this way."""
        return f"{self.base}/api-faults/{kind}"

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.base + path, timeout=60) as answer:
            return answer.read()

    def json(self, path: str):
        return json.loads(self.get(path))

    def asked(self, prefix: str) -> int:
        return self.json("/stats")["by_prefix"].get(prefix, 0)

    def hung_up(self, prefix: str) -> int:
        """Returns how many answers below `prefix` were left before their end."""
        return self.json("/stats")["early_hang_ups_by_prefix"].get(prefix, 0)
