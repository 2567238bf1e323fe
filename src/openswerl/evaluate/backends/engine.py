"""A container engine by its command line, docker's or podman's: images and their sizes, containers, free disk."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from openswerl.errors import UserError, last_line
from openswerl.evaluate.sandbox.watch import Limits

UNPACKED = 3  # a layer on disk against its size in the registry: our estimate
USUAL_BYTES = 4 << 30  # an image whose size the registry does not tell
ASK_S, PULL_S = 120, 3600
ROOT = {"docker": "{{.DockerRootDir}}", "podman": "{{.Store.GraphRoot}}"}
LIMITED = re.compile(r"toomanyrequests|rate limit|429", re.IGNORECASE)
ABSENT = re.compile(r"no such manifest|manifest unknown|not found|denied|unauthorized|does not exist", re.IGNORECASE)
Place = Literal["here", "registry", "missing", "rate_limit", "unreachable"]


class Image(NamedTuple):
    """Where an image is, the bytes that it will take on disk (0 if it is here), and what the engine said."""

    place: Place
    size_bytes: int = 0
    message: str = ""


@dataclass(frozen=True)
class Engine:
    """`program` is docker or podman; `host` a socket for DOCKER_HOST, None for the engine's own choice."""

    program: str = "docker"
    host: str | None = None

    def ask(self, words: Sequence[str], timeout_s: float = ASK_S) -> "subprocess.CompletedProcess[str]":
        """Run one command of the engine; one that is late counts as failed. Raises UserError if there is no engine."""
        command = [self.program, *words]
        try:
            return subprocess.run(
                command, env=self.environment(), capture_output=True, text=True, errors="replace", timeout=timeout_s,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except FileNotFoundError:
            raise UserError(f"{self.program} is not on PATH: install it, or choose another evaluate.backend") from None
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", f"{self.program} {words[0]} took over {timeout_s} s")

    def environment(self) -> dict[str, str]:
        """Return the environment variables of the engine's commands."""
        return {**os.environ, **({"DOCKER_HOST": self.host} if self.host else {})}

    def root(self) -> Path:
        """Return the folder that holds its images. Raises UserError if the engine does not answer."""
        done = self.ask(["info", "--format", ROOT[self.program]])
        if done.returncode:
            said = last_line(done.stderr)
            raise UserError(f"{self.program} does not answer ({said}): start it, or set evaluate.container.host")
        return Path(done.stdout.strip())


def run_words(image: str, name: str, limits: Limits) -> list[str]:
    """Return what follows `docker`: a container without network that reads a bash script from standard input."""
    held = ["--memory", str(limits.memory_bytes), "--memory-swap", str(limits.memory_bytes)]
    held += ["--pids-limit", str(limits.processes), "--security-opt", "no-new-privileges"]
    return ["run", "--rm", "-i", "--name", name, "--network", "none", *held, image, "/bin/bash", "-s"]


def look(engine: Engine, image: str) -> Image:
    """Return where an image is. To ask the registry may count against its rate limit, so what is here is not asked."""
    if not engine.ask(["image", "inspect", image]).returncode:
        return Image("here")
    done = engine.ask(["manifest", "inspect", image])
    if not done.returncode:
        return Image("registry", unpacked_bytes(done.stdout))
    said = last_line(done.stderr)
    if LIMITED.search(done.stderr):
        return Image("rate_limit", 0, said)
    return Image("missing" if ABSENT.search(done.stderr) else "unreachable", 0, said)


def unpacked_bytes(manifest: str) -> int:
    """Return the estimated bytes on disk of the image that a manifest (JSON text) describes."""
    try:
        sizes = [layer["size"] for layer in json.loads(manifest)["layers"]]
    except (ValueError, KeyError, TypeError):
        return USUAL_BYTES
    return UNPACKED * sum(sizes)


def check_disk(engine: Engine, images: Iterable[Image], at_once: int | None) -> None:
    """Raise UserError if the images to be pulled do not fit; with pruning only `at_once` of them are there together."""
    sizes = sorted((image.size_bytes for image in images), reverse=True)
    need, root = sum(sizes[:at_once]), engine.root()
    if not root.exists():
        print(f"evaluate: the free disk of {engine.program} cannot be seen from here; {need >> 30} GiB are needed")
    elif need > (free := shutil.disk_usage(root).free):
        raise UserError(
            f"the images need about {need >> 30} GiB and {root} has {free >> 30} GiB: free some, take fewer instances, "
            "or set evaluate.container.prune=true"
        )


def pull(engine: Engine, image: str) -> str | None:
    """Get an image that is not here; returns what went wrong, None if nothing did."""
    if not engine.ask(["image", "inspect", image]).returncode:
        return None
    done = engine.ask(["pull", "--quiet", image], PULL_S)
    return f"{image}: {last_line(done.stderr)}" if done.returncode else None
