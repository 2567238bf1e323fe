"""Event files are read back with TensorBoard's own reader."""

import pytest
from matplotlib.figure import Figure

pytest.importorskip("tensorboard", reason="TensorBoard is not installed")

from openswerl.files import write_jsonl
from openswerl.tracking.mirror import Late
from openswerl.tracking.tensorboard import Events

ROWS = [
    {"step": 0, "loss": 1.0, "reasons": {"timeout": 2}, "kl": None},
    {"step": 1, "loss": 0.25, "spread": {"low": -1.0, "high": 1.0, "counts": [1, 0, 2, 1]}},
]


def read(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    return EventAccumulator(str(folder / "tensorboard")).Reload()


def scalars(events):
    return {name: [(e.step, e.value) for e in events.Scalars(name)] for name in events.Tags()["scalars"]}


def test_numbers_are_scalars_with_their_steps(tmp_path):
    events = Events(tmp_path)
    for row in ROWS:
        events.log(row)
    events.close({"steps": 2, "sampler": "local"})
    assert scalars(read(tmp_path)) == {
        "loss": [(0, 1.0), (1, 0.25)],
        "reasons/timeout": [(0, 2.0)],
        "result/steps": [(0, 2.0)],
    }


def test_a_spread_is_a_histogram(tmp_path):
    events = Events(tmp_path)
    events.log(ROWS[1])
    events.close({})
    (event,) = read(tmp_path).Histograms("spread")
    value = event.histogram_value
    assert (event.step, value.min, value.max, value.num) == (1, -1.0, 1.0, 4)
    assert value.sum == -0.75 + 2 * 0.25 + 0.75 and value.sum_squares == 2 * 0.75**2 + 2 * 0.25**2
    assert dict(zip(value.bucket_limit, value.bucket, strict=True)) | {-0.5: 1, 0.0: 0, 0.5: 2, 1.0: 1} == dict(
        zip(value.bucket_limit, value.bucket, strict=True)
    )


def test_tables_pictures_and_alarms_are_kept(tmp_path):
    Figure().savefig(tmp_path / "plot.png")
    events = Events(tmp_path)
    events.table(3, "samples", [{"a": 1, "b": "x|y\nz"}])
    events.picture(3, "rewards", tmp_path / "plot.png")
    events.alert(3, "kl", "far")
    events.close({})
    seen = read(tmp_path)
    (text,) = seen.Tensors("samples/text_summary")
    assert text.tensor_proto.string_val == [b"a | b\n--- | ---\n1 | x\\|y<br>z"] and text.step == 3
    assert seen.Tensors("alarm/kl/text_summary")[0].tensor_proto.string_val == [b"far"]
    (image,) = seen.Images("rewards")
    assert (image.width, image.height) == (640, 480)


def test_a_run_that_goes_on_has_each_step_once(tmp_path):
    write_jsonl(tmp_path / "metrics.jsonl", ROWS)
    for _ in range(2):
        Late("a run", tmp_path, {"TensorBoard": lambda: Events(tmp_path)}).close({})
    assert scalars(read(tmp_path))["loss"] == [(0, 1.0), (1, 0.25)]
