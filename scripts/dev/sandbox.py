"""Print the sandbox that works on this machine, bubblewrap or process; for evaluate.sandbox."""

import sys

from openswerl.errors import UserError
from openswerl.evaluate.sandbox.isolation import require

if __name__ == "__main__":
    try:
        require("bubblewrap")
        print("bubblewrap")
    except UserError as error:
        print(f"WARNING: NO SANDBOX: {error}", file=sys.stderr)
        print("WARNING: model-written code will run in a plain process; every table will say so", file=sys.stderr)
        print("process")
