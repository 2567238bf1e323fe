import subprocess
import sys

import pytest

CODE = """
import ctypes, sys
from openswerl.rollout.vllm.deadline import deadline
with deadline(float(sys.argv[1]), "no answer within a while"):
    ctypes.CDLL(None).usleep(int(sys.argv[2]))
print("past")
"""


@pytest.mark.parametrize(
    ("seconds", "code", "out", "error"),
    [("0.1", 1, "", "publish: error: no answer within a while\n"), ("60", 0, "past\n", "")],
)
def test_a_process_that_hangs_in_c_ends_in_one_line(seconds, code, out, error):
    command = [sys.executable, "-c", CODE, seconds, "900000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (code, out, error)
