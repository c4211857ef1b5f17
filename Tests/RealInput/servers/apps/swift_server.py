"""Runs one of Swift's servers with a `swift.conf` of its own: `swift_server.py FOLDER NAME`.

Swift's own programs look for that file in /etc/swift.
"""

import sys
from pathlib import Path

from swift.common import storage_policy, utils
from swift.common.wsgi import run_wsgi

folder, name = sys.argv[1:]
utils.set_swift_dir(folder)
storage_policy.reload_storage_policies()
sys.exit(run_wsgi(str(Path(folder) / f"{name}.conf"), name, verbose=True))
