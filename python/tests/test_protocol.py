"""The exchange with a worker, with a stand-in for the command."""

import sys

import pytest

from calotype._command import CommandFailed
from calotype._protocol import LINE_LIMIT, Worker

STAND_IN = """
import json, sys
def tell(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)
tell("hello", slots=3, unknown=1)
print("no JSON", flush=True)
for line in sys.stdin:
    order = json.loads(line)
    if order["op"] == "fail":
        print("what is wrong", file=sys.stderr)
        sys.exit(2)
    tell("echo", order=order)
tell("bye")
"""


@pytest.fixture
def worker(tmp_path):
    program = tmp_path / "worker.py"
    program.write_text(STAND_IN)
    made = Worker(tmp_path, slots=3, command=[sys.executable, str(program)])
    yield made
    made.close()


def test_orders_are_answered_and_unknown_lines_passed_over(worker):
    assert worker.wait_for("hello", 60)["slots"] == 3
    worker.send("shard", id="00003")
    assert worker.wait_for("echo", 60)["order"] == {"op": "shard", "id": "00003"}


def test_a_worker_ends_with_its_input(worker):
    worker.wait_for("hello", 60)
    assert worker.close(60) == 0


def test_a_worker_that_ends_with_an_error_says_why(worker):
    worker.send("fail")
    with pytest.raises(CommandFailed, match="what is wrong"):
        for _ in range(3):
            worker.take(60)
    worker.send("shard", id="00003")


def test_an_order_that_is_too_long_is_refused(worker):
    with pytest.raises(ValueError, match="longer"):
        worker.send("budget", hosts="x" * LINE_LIMIT)
