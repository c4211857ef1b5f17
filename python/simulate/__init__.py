"""Simulates a dataset on a cluster with the driver's own budget: ``python -m simulate --help``.

Events are the steps of the driver and the reports of workers. Between them, images flow: a node makes the images of its shards as
fast as its grants, the hosts and its own limits allow. Hosts with about as many URLs form a class, and one host stands for all of
them in the budget, so a list can have 10⁹ URLs.
"""

from .cluster import Cluster, Result, simulate
from .setting import HostClass, Setting

__all__ = ["Cluster", "HostClass", "Result", "Setting", "simulate"]
