"""Compose conf/ with Hydra, checked against the schema; every mistake becomes one line."""

import functools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from openswerl.errors import UserError
from openswerl.limits import faults
from openswerl.schema import Config

ROOT = Path(__file__).resolve().parents[2]
CONF = Path(os.environ.get("OPENSWERL_CONF", ROOT / "conf")).resolve()
PLAIN = ("policy", "seed", "span", "part")

ConfigStore.instance().store(name="schema", node=Config)


@functools.cache
def load(*overrides: str) -> DictConfig:
    """Compose the config under Hydra overrides, the last one of a key winning. Raises UserError, one line."""
    last = {key_of(item): item for item in overrides}
    # Composing takes 0.2 s and the grid has many cells, so the plain axes, which no other value refers to, come later.
    plain = [last.pop(axis) for axis in PLAIN if axis in last]
    try:
        cfg = _compose(*last.values())
        return cast(DictConfig, OmegaConf.merge(cfg, OmegaConf.from_dotlist(plain))) if plain else cfg
    except (HydraException, OmegaConfBaseException, YAMLError, ValueError) as error:  # the last: a number too long
        raise UserError(f"config: {_one_line(error)}") from None
    except AssertionError:  # OmegaConf's own, without a word on the key
        raise UserError(
            "config: a key below one that is null is set: choose the option that has it first, such as relate=llm"
        ) from None


@functools.cache
def _compose(*overrides: str) -> DictConfig:
    """Return a config without interpolations, missing values, and values that make no sense."""
    cfg = _hydra(overrides)
    OmegaConf.resolve(cfg)
    if missing := ", ".join(sorted(OmegaConf.missing_keys(cfg))):
        raise UserError(f"config: no value for {missing}; give each as key=value")
    if found := "; ".join(faults(cfg)):
        raise UserError(f"config: {found}")
    return cfg


def choices(*overrides: str) -> dict[str, str | None]:
    """Return the option that is chosen of each group of conf/ under Hydra overrides; None for an empty one."""
    return _choices(*{key_of(item): item for item in overrides if key_of(item) not in PLAIN}.values())


@functools.cache
def _choices(*overrides: str) -> dict[str, str | None]:
    return dict(_hydra(overrides, return_hydra_config=True).hydra.runtime.choices)


def _hydra(overrides: Iterable[str], **settings: bool) -> DictConfig:
    GlobalHydra.instance().clear()  # hydra.main holds it while a stage runs
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose("config", list(overrides), **settings)


def key_of(override: str) -> str:
    """Return the key that a Hydra override sets."""
    return override.partition("=")[0]


def _one_line(error: Exception) -> str:
    """Hydra's message without its search paths, internals, and the advice to add a key that the schema refuses."""
    text = f"{error}\n{error.__cause__ or ''}".split("full_key")[0].split("Config search path")[0]
    lines = (line.strip().removesuffix(".") for line in text.splitlines() if not line.startswith("To append"))
    return "; ".join(dict.fromkeys(filter(None, lines))).replace(":; ", ": ")
