"""What a scale takes, before it is started: python scripts/plan.py scale=paper; plan.format=json for programs.

Takes overrides as any stage does. Ends with 1 and one line if a layout cannot run; runs nothing and needs no model.
"""

import json
import sys

from openswerl.compose import load
from openswerl.plan.layout import GIB
from openswerl.plan.run import plan, refuse
from openswerl.plan.table import table
from openswerl.stage import one_line


def main() -> None:
    with one_line("plan"):
        cfg = load(*sys.argv[1:])
        planned = plan(cfg)
        print(json.dumps(planned.data(), indent=1) if cfg.plan.format == "json" else table(planned, cfg), flush=True)
        refuse(planned, cfg.plan.device.taken_gib * GIB)


if __name__ == "__main__":
    main()
