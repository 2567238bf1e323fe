"""The stretches of an archive that are read as jobs of their own. Imports little, as the configuration needs it."""

import re

from omegaconf import DictConfig

from openswerl.errors import UserError


def spans(data: DictConfig) -> list[str]:
    """Return the stretches of the archive that are read apart: months of a download, else one with all hours.

    Raises UserError if `data.start` and `data.end` are not two hours, in that order, such as 2015-01-01-0.
    """
    if data.source != "gharchive":
        return ["all"]
    first, last = (_month(data, key) for key in ("start", "end"))
    if not first <= last:
        raise UserError(f"data.start={data.start} is after data.end={data.end}")
    return [f"{month // 12}-{month % 12 + 1:02d}" for month in range(first, last + 1)]


def _month(data: DictConfig, key: str) -> int:
    """Return the months since year 0."""
    hour = re.fullmatch(r"(\d{4})-(\d{2})-\d{2}-\d{1,2}", str(data[key]))
    if hour is None or not 1 <= int(hour[2]) <= 12:
        raise UserError(f"data.{key}={data[key]} is not an hour; write it as 2015-01-01-0")
    return int(hour[1]) * 12 + int(hour[2]) - 1
