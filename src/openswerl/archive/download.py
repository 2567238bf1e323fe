"""Download hour files, each once: resumed after a kill, pinned by checksum, never replaced silently."""

import functools
import os
import sys
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from omegaconf import DictConfig

from openswerl.archive.transfer import Origin, file_digest, transfer
from openswerl.disks import lock
from openswerl.errors import UserError
from openswerl.files import write_json
from openswerl.progress import Progress
from openswerl.threads import in_threads
from openswerl.web import GaveUp, Web

# An hour that is not there yet may still come.
SETTLED = timedelta(days=2)


class HourFile(msgspec.Struct, frozen=True):
    """One hour; `state` is read, missing (the archive has none), failed, or changed: not the bytes once recorded.

    Only an hour that is read has a path. `detail` says what went wrong.
    """

    name: str
    state: str
    path: Path | None = None
    sha256: str = ""
    bytes: int = 0
    detail: str = ""


class Record(msgspec.Struct, frozen=True):
    """What stands beside an hour, in NAME.json: partial, read or missing, and the checksum that is pinned."""

    state: str = "partial"
    sha256: str = ""
    origin: Origin = Origin()


def hours_between(start: str, end: str) -> list[str]:
    """Return the names of all hours from start to end, both included, such as 2015-01-01-0. Raises UserError."""
    first, last = parse_hour(start, "data.start"), parse_hour(end, "data.end")
    if first > last:
        raise UserError(f"data.start={start} is after data.end={end}")
    count = int((last - first) / timedelta(hours=1)) + 1
    return [hour_name(first + timedelta(hours=step)) for step in range(count)]


def parse_hour(text: str, key: str) -> datetime:
    """Return the moment at which an hour starts. Raises UserError that names the key."""
    try:
        return datetime.strptime(text, "%Y-%m-%d-%H").replace(tzinfo=UTC)
    except ValueError:
        raise UserError(f"{key}={text} is not an hour; write it as 2015-01-01-0") from None


def hour_name(moment: datetime) -> str:
    """Return GH Archive's name of an hour: no leading zero before the hour of the day."""
    return f"{moment:%Y-%m-%d}-{moment.hour}"


def fetch_hours(hours: list[str], folder: Path, network: DictConfig) -> list[HourFile]:
    """Return what became of every hour, in the order given. Nothing is asked of the server for an hour on the disk.

    Raises UserError if the disk, or the server for ten hours in a row, fails; what was downloaded is kept.
    """
    progress = Progress("archive: hours downloaded or checked", len(hours))
    found = []
    try:
        with ExitStack() as stack:
            for month in sorted({name[:7] for name in hours}):
                stack.enter_context(lock(folder / ".locks" / month))
            web = stack.enter_context(Web(network, network.archive_url))
            for hour in in_threads(functools.partial(_fetch, web, folder), hours, network.connections):
                found.append(hour)
                progress.step()
    except OSError as error:
        raise UserError(f"{folder}: {error}; what was downloaded is kept, run again") from None
    _tell(found)
    return found


def _tell(found: list[HourFile]) -> None:
    for hour in found:
        if hour.detail:
            print(f"archive: warning: {hour.name} {hour.state}: {hour.detail}", file=sys.stderr)
    counts = Counter(hour.state for hour in found)
    print(
        "archive: hours: " + ", ".join(f"{count} {state}" for state, count in sorted(counts.items())), file=sys.stderr
    )


def _fetch(web: Web, folder: Path, name: str) -> HourFile:
    place = Place(folder, name)
    record = place.read()
    if record.state == "missing":
        return HourFile(name, "missing")
    if not place.path.exists():
        try:
            found = web.attempt(name, lambda: _attempt(web, place))
        except GaveUp as error:
            return HourFile(name, "failed", detail=str(error))
        if not found:
            return _missing(place)
    return place.verified()


def _attempt(web: Web, place: "Place") -> bool:
    known = place.read()
    origin = transfer(web, f"/{place.path.name}", place.part, known.origin, place.begin)
    if origin:
        place.finish(origin)
    return origin is not None


def _missing(place: "Place") -> HourFile:
    place.part.unlink(missing_ok=True)
    if datetime.now(UTC) - parse_hour(place.name, "hour") > SETTLED:
        place.write(Record("missing"))
    return HourFile(place.name, "missing")


class Place:
    """Where an hour, its part and its record are."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self.path = name, folder / f"{name}.json.gz"
        self.part, self.record = folder / f"{name}.json.gz.part", folder / f"{name}.json"

    def read(self) -> Record:
        """Return the record, an empty one if there is none. Raises UserError if it is unreadable."""
        try:
            return msgspec.json.decode(self.record.read_bytes(), type=Record)
        except FileNotFoundError:
            return Record()
        except msgspec.MsgspecError as error:
            raise UserError(f"{self.record} is no record of a download: {error}; delete it and run again") from None

    def write(self, record: Record) -> None:
        """Replace the record."""
        write_json(self.record, msgspec.to_builtins(record))

    def begin(self, origin: Origin) -> None:
        """Note the origin of the part that is about to be written; a pinned checksum stays."""
        self.write(Record("partial", self.read().sha256, origin))

    def finish(self, origin: Origin) -> None:
        """Pin the part's checksum unless one is pinned, then move it into place."""
        with self.part.open("rb") as file:
            os.fsync(file.fileno())
        self.write(Record("read", self.read().sha256 or file_digest(self.part), origin))
        os.replace(self.part, self.path)

    def verified(self) -> HourFile:
        """Compare the file with its record; a file without one, put here by hand, is recorded."""
        sha256, record = file_digest(self.path), self.read()
        if not record.sha256:
            self.write(Record("read", sha256, record.origin))
        elif record.sha256 != sha256:
            advice = f"delete {self.record.name} to take it as it is, or {self.path.name} to download it again"
            return HourFile(self.name, "changed", detail=f"not the bytes recorded as {record.sha256[:12]}; {advice}")
        return HourFile(self.name, "read", self.path, sha256, self.path.stat().st_size)
