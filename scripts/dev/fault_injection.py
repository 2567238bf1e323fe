"""Kill the workflow at random moments, run it again until it is done, and compare with an undisturbed run.

python scripts/dev/fault_injection.py [--scale smoke] [--kills 20] [--seed 0] [--folder FOLDER] [key=value ...]

Each kill is a SIGKILL, to the workflow and all its processes, or, one time in four, to one of them alone. It comes when
none, one or two more results are there, and some seconds later, so that the kills spread over the graph however fast
the machine is. The rerun is the same command each time: `snakemake --cores 2`. A workflow that is done before all kills
were given begins anew in another folder. The seed decides what is waited for and what is hit. Results must be equal
byte for byte, but for APART, COUNTS, DURATION and PROVENANCE.
Needs the extra `dev`. With scale=smoke and 20 kills: ten minutes on two cores.
"""

import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = re.compile(r"scripts/(\w+)\.py")
# What holds clocks or names of processes, and the cache of executions, which grow in the order of the jobs.
APART = re.compile(
    r"[^/]+/(costs|logs)/|.*/(wandb|cache)/|(.*/)?(timings\.jsonl|provenance\.json|\.lock|\.snakemake_timestamp)$"
)
COUNTS = ("executed", "cached")  # what a job ran itself, and what it found: it depends on who came first
TESTS, DURATION = "test_output.txt", re.compile(rb"in \d+\.\d+s")  # what pytest says, and how long it took
PAGE, PROVENANCE = "report.html", re.compile(rb'<section id="provenance">.*?</section>', re.S)  # it tells wall times
CLOCKS = ("result.json", "timings.jsonl", "provenance.json", TESTS, PAGE)  # of these the sums differ, too
MORE = (0, 1, 1, 2)  # results to wait for
LONGEST = 0.06  # of the time of the undisturbed run, waited after them
ONE_ALONE = 0.25
STUCK_S = 3600.0


class Leg(NamedTuple):
    """How many results more, and how many seconds after them, a kill comes."""

    results: int
    seconds: float


class Kill(NamedTuple):
    """When in its leg, what ran at that moment, and what was hit."""

    seconds: float
    running: str
    target: str


class Chain(NamedTuple):
    """A workflow from nothing to its end: the kills, and how often it was started."""

    folder: Path
    kills: list[Kill]
    starts: int


def fresh(folder: Path) -> Path:
    """Make a folder that has the workflow and no results."""
    folder.mkdir(parents=True)
    for name in ("Snakefile", "workflow", "scripts", "profiles"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def start(folder: Path, config: list[str]) -> subprocess.Popen[bytes]:
    """Start the workflow, as a user would."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--config", *config]
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENSWERL_CONF": os.environ.get("OPENSWERL_CONF", f"{ROOT}/conf"),
    }
    for name in ("OPENSWERL_SNAKEMAKE", "WANDB_SERVICE"):
        environment.pop(name, None)
    with (folder / "output.log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)


@contextlib.contextmanager
def running(folder: Path, config: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start the workflow; whatever ends this script ends it too."""
    process = start(folder, config)
    try:
        yield process
    except subprocess.TimeoutExpired:
        raise SystemExit(f"fault_injection: no end after {STUCK_S:g} s: see {folder / 'output.log'}") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def undisturbed(folder: Path, config: list[str]) -> float:
    """Run to the end; returns the seconds it took."""
    began = time.monotonic()
    with running(folder, config) as process:
        code = process.wait(STUCK_S)
    if code:
        raise SystemExit(f"fault_injection: the undisturbed run ended with {code}: see {folder / 'output.log'}")
    return time.monotonic() - began


def disturbed(folder: Path, config: list[str], legs: Iterator[Leg], rng: random.Random) -> Chain:
    """Start the workflow again and again until it ends well; each leg ends with a kill while there are legs."""
    kills: list[Kill] = []
    starts = 0
    while True:
        starts += 1
        began, leg = time.monotonic(), next(legs, None)
        with running(folder, config) as process:
            code = process.wait(STUCK_S) if leg is None else reached(process, folder, leg)
            if code is None:
                kills.append(kill(process, time.monotonic() - began, rng))
                print(f"  kill after {kills[-1].seconds:5.1f} s in {kills[-1].running}: {kills[-1].target}", flush=True)
        if code == 0:
            return Chain(folder, kills, starts)
        if starts > 3 * len(kills) + 10:
            raise SystemExit(f"fault_injection: the workflow does not end well: see {folder / 'output.log'}")


def reached(process: subprocess.Popen[bytes], folder: Path, leg: Leg) -> int | None:
    """Wait for the moment of a kill; returns the exit code if the workflow ends before."""
    wanted = finished(folder) + leg.results
    while finished(folder) < wanted:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(0.5)
    with contextlib.suppress(subprocess.TimeoutExpired):
        return process.wait(leg.seconds)
    return None


def finished(folder: Path) -> int:
    """Return how many results there are."""
    return sum(1 for _ in (folder / "results").rglob("result.json"))


def kill(process: subprocess.Popen[bytes], seconds: float, rng: random.Random) -> Kill:
    """Send SIGKILL to the workflow and all below it, or to one of these processes."""
    root = psutil.Process(process.pid)
    family = [root, *root.children(recursive=True)]
    running = sorted({name for one in family for name in _stage_of(one)}) or ["snakemake"]
    alone = rng.random() < ONE_ALONE
    hit = [rng.choice(family)] if alone else family
    target = f"one process, {_name(hit[0])}" if alone else f"all {len(hit)} processes"
    for one in hit:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait(STUCK_S)  # who is left ends by itself, as after the system killed one process for its memory
    left = psutil.wait_procs(family[1:], STUCK_S)[1]
    if left:
        raise SystemExit(f"fault_injection: {left[0]} does not end after a kill")
    return Kill(seconds, "+".join(running), target)


def _stage_of(process: psutil.Process) -> Iterator[str]:
    with contextlib.suppress(psutil.Error):
        if found := SCRIPT.search(" ".join(process.cmdline()[:3])):
            yield found[1]


def _name(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error):
        return next(_stage_of(process), process.name())
    return "gone"


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of the results that must be the same, by name."""
    results = folder / "results"
    paths = (path for path in results.rglob("*") if path.is_file())
    named = ((path.relative_to(results).as_posix(), path) for path in paths)
    return {name: _comparable(path) for name, path in sorted(named) if not APART.match(name)}


def _comparable(path: Path) -> bytes:
    if path.name == TESTS:
        return DURATION.sub(b"", path.read_bytes())
    if path.name == PAGE:
        return PROVENANCE.sub(b"", path.read_bytes())
    if path.name not in ("result.json", "files.json"):
        return path.read_bytes()
    dropped = COUNTS if path.name == "result.json" else CLOCKS
    kept = {key: value for key, value in json.loads(path.read_text()).items() if Path(key).name not in dropped}
    return json.dumps(kept).encode()


def differences(ours: dict[str, bytes], theirs: dict[str, bytes]) -> list[str]:
    """Return the names of the files that are not the same, or that one side alone has."""
    return sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))


def legs_of(count: int, whole: float, rng: random.Random) -> Iterator[Leg]:
    """Yield when each kill comes, of a run that takes `whole` seconds."""
    for _ in range(count):
        yield Leg(rng.choice(MORE), whole * rng.uniform(0, LONGEST))


def inject(folder: Path, config: list[str], count: int, seed: int) -> tuple[list[Chain], dict[str, list[str]], int]:
    """Return the chains, the names of the files that differ in each, and how many files were compared."""
    rng = random.Random(seed)
    chains: list[Chain] = []
    different: dict[str, list[str]] = {}
    whole = undisturbed(fresh(folder / "undisturbed"), config)
    expected = contents(folder / "undisturbed")
    print(f"undisturbed: {whole:.0f} s, {len(expected)} files to compare", flush=True)
    legs = legs_of(count, whole, rng)
    while (given := sum(len(chain.kills) for chain in chains)) < count and len(chains) <= count:
        place = fresh(folder / f"killed-{len(chains) + 1}")
        print(f"{place.name}: {given} of {count} kills given", flush=True)
        chains.append(disturbed(place, config, legs, rng))
        different[place.name] = differences(expected, contents(place))
    return chains, different, len(expected)


def summary(chains: list[Chain], different: dict[str, list[str]], compared: int) -> str:
    """Return the lines that end the run; the last is JSON."""
    kills = [kill for chain in chains for kill in chain.kills]
    moments = Counter(kill.running for kill in kills)
    numbers = {
        "kills": len(kills),
        "of_one_process": len([kill for kill in kills if kill.target.startswith("one")]),
        "workflows": len(chains),
        "starts": sum(chain.starts for chain in chains),
        "files_compared": compared * len(chains),
        "files_different": sum(map(len, different.values())),
        "moments": dict(sorted(moments.items())),
    }
    lines = [f"{place}: {name} differs" for place, names in different.items() for name in names[:20]]
    return "\n".join([*lines, json.dumps(numbers)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scale", default="smoke")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="kept, and must not exist; a temporary one is removed")
    parser.add_argument("overrides", nargs="*", metavar="key=value")
    given = parser.parse_args()
    config = [f"scale={given.scale}", *([f"overrides={' '.join(given.overrides)}"] if given.overrides else [])]
    with contextlib.ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="openswerl-faults-")))
        chains, different, compared = inject(folder.resolve(), config, given.kills, given.seed)
    print(summary(chains, different, compared))
    if any(different.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
