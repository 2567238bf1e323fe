"""vLLM as a process of its own on this machine, with its OpenAI-compatible address for the processes of the run."""

import atexit
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import httpx
from omegaconf import DictConfig

import openswerl
from openswerl.errors import UserError
from openswerl.models.distributed import world
from openswerl.rollout.endpoint.channel import Channel
from openswerl.rollout.vllm import gate, keeper
from openswerl.rollout.vllm.settings import options

MODEL = "policy"
OURS = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # of the trainer's group
SHOWN_LINES = 5


class Server:
    """A running server; it ends with `close`, and with this process however that ends.

    Raises UserError, with the last lines of its log, if it does not answer within `serving.start_timeout_s`.
    """

    def __init__(self, settings: Mapping[str, Any], engine: DictConfig, serving: DictConfig) -> None:
        self.serving, self.key, self.host = serving, secrets.token_hex(16), host()
        self.port = _free_port(self.host)
        self.log = Path(serving.folder, f"vllm-{os.getpid()}-{self.port}.log")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self.process = self._start(settings, engine, log)
        atexit.register(self.close)
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    @property
    def channel(self) -> Channel:
        """How its model is asked."""
        return Channel(f"{self.address}/v1", self.key, MODEL)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://{self.host}:{self.port}"

    def post(self, path: str, body: Mapping[str, Any], timeout_s: float) -> Any:
        """Send a request and return the JSON answer. Raises UserError if there is none within the time."""
        try:
            headers = {"Authorization": f"Bearer {self.key}"}
            reply = httpx.post(f"{self.address}{path}", json=body, headers=headers, timeout=timeout_s, trust_env=False)
        except httpx.TimeoutException:
            raise UserError(f"the vLLM server did not answer {path} within {timeout_s:g} s; see {self.log}") from None
        except httpx.HTTPError:
            raise UserError(f"the vLLM server does not answer {path}: {self._said()}") from None
        if reply.status_code != 200:
            raise UserError(f"the vLLM server refused {path} ({reply.status_code}): {_message(reply)}; see {self.log}")
        return reply.json() if reply.headers.get("content-type", "").startswith("application/json") else None

    def check(self) -> None:
        """Raise UserError, with the last lines of its log, if it has ended."""
        if self.process.poll() is not None:
            raise UserError(f"the vLLM server has ended: {self._said()}")

    def close(self) -> None:
        """End it and all that it started; safe to call again."""
        atexit.unregister(self.close)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdin
        self.process.stdin.close()

    def _start(self, settings: Mapping[str, Any], engine: DictConfig, log: IO[bytes]) -> "subprocess.Popen[bytes]":
        served = dict(settings, tensor_parallel_size=engine.tensor_parallel, served_model_name=MODEL, port=self.port)
        served |= {"host": self.host, "uvicorn_log_level": "warning", "middleware": gate.NAME}
        command = [sys.executable, "-P", "-m", "vllm.entrypoints.openai.api_server", *options(served)]
        environment = {name: value for name, value in os.environ.items() if name not in OURS}
        environment |= {
            gate.KEY_VARIABLE: self.key,
            "PYTHONPATH": os.pathsep.join(filter(None, [_source(), os.environ.get("PYTHONPATH")])),
            "VLLM_SERVER_DEV_MODE": "1",  # the addresses for weights
            "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1",
            "VLLM_NO_USAGE_STATS": "1",
        }
        if engine.devices is not None:
            environment["CUDA_VISIBLE_DEVICES"] = engine.devices
        return subprocess.Popen(
            [sys.executable, "-P", keeper.__file__, *command],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )

    def _wait(self) -> None:
        end = time.monotonic() + self.serving.start_timeout_s
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise UserError(f"the vLLM server ended while it started: {self._said()}")
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.address}/health", timeout=5, trust_env=False).status_code == 200:
                    return
            time.sleep(0.5)
        raise UserError(
            f"the vLLM server did not answer within serving.start_timeout_s={self.serving.start_timeout_s:g}: "
            f"{self._said()}"
        )

    def _said(self) -> str:
        lines = [line.strip() for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return f"{' | '.join(lines[-SHOWN_LINES:])} (its log is {self.log})"


def host() -> str:
    """Return where all processes reach this machine, which is the main one's; on several machines torchrun knows."""
    return os.environ["MASTER_ADDR"] if world() > int(os.environ.get("LOCAL_WORLD_SIZE", world())) else "127.0.0.1"


def reach_directly(address: str) -> None:
    """Keep requests to this address away from a proxy that the environment names."""
    for variable in ("NO_PROXY", "no_proxy"):
        hosts = os.environ.get(variable, "").split(",")
        if address not in hosts:
            os.environ[variable] = ",".join(filter(None, [*hosts, address]))


def _source() -> str:
    return str(Path(openswerl.__file__).parents[1])


def _free_port(host: str) -> int:
    with socket.socket() as free:
        free.bind((host, 0))
        return int(free.getsockname()[1])


def _message(reply: httpx.Response) -> str:
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return " ".join(str(reply.json()["error"]["message"]).split())
    return " ".join(reply.text.split())[:200]
