"""tuspyserver: a server of tus 1.0 with creation, creation-with-upload, creation-defer-length, expiration, termination and
concatenation, on FastAPI and uvicorn.

Two workers, as one freezes when two requests write to the same upload.
"""

import json
import re

from servers.cache import APPS, environment
from servers.calls import answers, request
from servers.server import Server, StoredFile, stored

RUNNING = re.compile(r"Uvicorn running on (http://127\.0\.0\.1:\d+)")


class TusServer(Server):
    """Uploads go to `url`, posts to `post_url`."""

    title = "tuspyserver"

    def install(self):
        self._environment = environment("tus")

    def launch(self):
        python = self._environment / "bin" / "python"
        options = ["--app-dir", APPS, "--host", "127.0.0.1", "--port", "0", "--workers", "2", "--no-use-colors"]
        variables = {"TUS_FOLDER": str(self.scratch), "PYTHONDONTWRITEBYTECODE": "1"}
        process = self.run(python, "-m", "uvicorn", "tus_app:app", *options, environment=variables)
        self.await_ready(lambda: RUNNING.search(process.told()))
        self.base = RUNNING.search(process.told()).group(1)
        self.await_ready(lambda: answers(f"{self.base}/posts"))

    @property
    def url(self) -> str:
        return f"{self.base}/files/"

    @property
    def post_url(self) -> str:
        return f"{self.base}/posts"

    def facts(self) -> dict:
        to = f"tus+{self.url}"
        return {"to": to, "post_to": self.post_url, "url": self.url, "folder": str(self.scratch), "environment": {}}

    def files(self) -> list[StoredFile]:
        """Returns the uploads that are complete, by name."""
        return sorted((upload for upload, isComplete in self.uploads() if isComplete), key=lambda file: file.name)

    def uploads(self) -> list[tuple[StoredFile, bool]]:
        """Returns all uploads, and whether each is complete."""
        found = []
        for path in (self.scratch / "uploads").glob("*.info"):
            about, content = json.loads(path.read_text()), path.with_suffix("")
            if content.exists():
                upload = stored(about["metadata"].get("filename", ""), content.read_bytes())
                found.append((upload, upload.size == about["size"]))
        return found

    def posts(self) -> list[dict]:
        return request("GET", self.post_url).json()
