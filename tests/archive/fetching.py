"""Three hours of a server of this machine."""

import random

from openswerl.archive.download import fetch_hours
from servers import network

HOURS = ["2015-01-01-0", "2015-01-01-1", "2015-01-01-2"]
DATA = {f"/{name}.json.gz": random.Random(name).randbytes(300_000) for name in HOURS}
FIRST, SECOND, THIRD = DATA


def fetch(server, folder, hours=HOURS, **changes):
    return fetch_hours(hours, folder, network(server.url, **changes))


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def states(hours):
    return {hour.name: hour.state for hour in hours}
