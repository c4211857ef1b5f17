"""Makes the rings of a Swift with one device: `swift_rings.py FOLDER ACCOUNT_PORT CONTAINER_PORT OBJECT_PORT`."""

import sys
from pathlib import Path

from swift.common.ring import RingBuilder

folder, *ports = sys.argv[1:]
for name, port in zip(("account", "container", "object"), ports):
    # 16 partitions, one copy, and no waiting between changes.
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({
        "id": 0, "region": 1, "zone": 1, "weight": 1.0, "device": "disk", "meta": "",
        "ip": "127.0.0.1", "port": int(port), "replication_ip": "127.0.0.1", "replication_port": int(port),
    })
    builder.rebalance()
    builder.get_ring().save(str(Path(folder) / f"{name}.ring.gz"))
