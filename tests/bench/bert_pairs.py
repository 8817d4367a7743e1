# SPDX-License-Identifier: Apache-2.0
"""A training step of BERT-tiny, ours and PyTorch's in turn: texts of equal lengths, equally many masked
positions, two threads. Prints every pair, and the median of the ratios.

  python tests/bench/bert_pairs.py --vocabulary vocab.txt --python build/bench-venv/bin/python"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
SHAPES = {"64x128x20": (64, 128, 20), "64x512x77": (64, 512, 77)}


def corpus(folder, vocabulary, batch, length, steps):
    """Lines of `length` pieces with [CLS] and [SEP]: every word is one piece."""
    words = [line for line in vocabulary if line.isascii() and line.isalpha() and len(line) > 2]
    draw = random.Random(1)
    lines = [" ".join(draw.choices(words, k=length - 2)) for _ in range(batch * steps)]
    (folder / "train.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "valid.txt").write_text(lines[0] + "\n", encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")


def our_command(cli, folder, workspace, shape, precision):
    batch, length, masked = shape
    settings = {
        "/dataset/text/max_length": length,
        "/dataset/batch/size": batch,
        "/features/0/max_length": length,
        "/model/masking": json.dumps(
            {"rate": masked / (length - 2), "max_selections": masked, "method": "exact"}
        ),
        "/training/validate_every": 0,
        "/training/precision": precision,
        "/training/checkpoints/best": "null",
    }
    command = [cli, "--workspace", workspace, "train", "bert-tiny-mlm", "--data", folder, "--json"]
    command += ["--epochs", "2", "--threads", "2", "--quiet"]
    for pointer, value in settings.items():
        command += ["--set", f"{pointer}={value}"]
    return command


def ours(cli, folder, workspace, shape, precision):
    command = our_command(cli, folder, workspace, shape, precision)
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer["epochs"][-1]["ms_per_step"] / 1e3, answer["peak_rss_bytes"] >> 20


def torch_command(python, shape, precision):
    batch, length, masked = shape
    command = [python, HERE / "peers" / "torch_bert.py", "--batch", batch, "--length", length]
    command += ["--masked", masked, "--threads", 2, "--runs", 6, "--seconds", 0]
    command += ["--bf16"] if precision == "bf16" else []
    return command


def torch(python, shape, precision):
    command = torch_command(python, shape, precision)
    found = subprocess.run(list(map(str, command)), check=True, capture_output=True)
    line = json.loads(found.stdout)
    return line["seconds"], line["peak_mib"], line["torch"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--python", default="build/bench-venv/bin/python")
    parser.add_argument("--cli", default="build/release/bin/parapet-cli")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    arguments = parser.parse_args()
    text = pathlib.Path(arguments.vocabulary).read_text(encoding="utf-8")
    vocabulary = text.rstrip("\n").split("\n")
    for name in arguments.shapes:
        shape, ratios = SHAPES[name], []
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place) / "corpus"
            folder.mkdir()
            corpus(folder, vocabulary, shape[0], shape[1], 6 if shape[1] < 200 else 3)
            for _ in range(arguments.pairs):
                seconds, peak = ours(
                    arguments.cli, folder, f"{place}/workspace", shape, arguments.precision
                )
                other, other_peak, version = torch(arguments.python, shape, arguments.precision)
                ratios.append(other / seconds)
                print(
                    f"{name} {arguments.precision}: ours {seconds * 1e3:.0f} ms, {peak} MiB; "
                    f"PyTorch {version} {other * 1e3:.0f} ms, {other_peak} MiB; "
                    f"ratio {ratios[-1]:.2f}",
                    flush=True,
                )
        print(f"{name} {arguments.precision}: median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
