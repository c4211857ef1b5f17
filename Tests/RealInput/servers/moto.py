"""moto: a mock of S3. It checks no signature and no digest; it knows If-None-Match, which Swift does not."""

import re

from servers.cache import environment
from servers.calls import answers
from servers.s3 import Keys, S3Server

RUNNING = re.compile(r"Running on (http://127\.0\.0\.1:\d+)")


class Moto(S3Server):
    """Keeps everything in memory. All credentials are good."""

    title = "moto"
    keys = Keys("any", "secret-of-moto")

    def install(self):
        self._environment = environment("moto")

    def launch(self):
        program = self._environment / "bin" / "moto_server"
        process = self.run(program, "-H", "127.0.0.1", "-p", "0", environment={"PYTHONDONTWRITEBYTECODE": "1"})
        self.await_ready(lambda: RUNNING.search(process.told()))
        self.base = RUNNING.search(process.told()).group(1)
        self.await_ready(lambda: answers(self.base))
        self.make_bucket()
