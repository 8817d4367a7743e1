# SPDX-License-Identifier: Apache-2.0
"""What documents say of the programs themselves: the size of a bundle, and rounding on several devices."""

import array
import json
import re

from .documents import ROOT
from .program import run
from .section import Section, figure

# ---- The bundle, of the build that the programs are of


def sizes_seed(program, _):
    printed = run([ROOT / "installer/bundle", "--built", program.folder.resolve().parent, "--out", program.file("bundle")])
    return {"MiB": int(re.search(r"(\d+) MiB", printed).group(1))}


def sizes_figures(rows):
    return [figure("archive", rows[0]["MiB"], 0)]


# ---- The first step on three devices and on one
#
# 1,024 training rows are one batch, and Adam's moment is 0.1 of the gradient after it.

STEP = {"/dataset/split": '{"kind": "random", "train": 1024, "validation": 1024, "test": 97952}', "/training/epochs": 1,
        "/training/checkpoints/best": "null", "/training/validate_every": 0, "/mesh/spaces": "separate"}
RATE, EPSILON = 0.01, 1e-7 / 0.001**0.5
BEYOND = 1e-5  # of the largest weight of a table


def tensors_of(file):
    """The float32 tensors of a safetensors file by name."""
    content = file.read_bytes()
    data = 8 + int.from_bytes(content[:8], "little")
    tensors = {name: each["data_offsets"] for name, each in json.loads(content[8:data]).items() if each.get("dtype") == "F32"}
    return {name: array.array("f", content[data + begin:data + end]) for name, (begin, end) in tensors.items()}


def first_step(program, devices):
    trained = program.train("movielens-retrieval-learned", "--devices", devices, data="ml-100k", settings=STEP)
    file = program.file("step.safetensors")
    file.unlink(missing_ok=True)
    program.call("export", trained["run_id"], "--what", "checkpoint", "--format", "safetensors", "--out", file)
    return tensors_of(file)


def verify_seed(program, _):
    """Of all elements: the largest difference of gradients by the largest of their tensor, the largest gradient of those
    whose weights differ by more than BEYOND, and the element whose weights differ most, beside what Adam makes of its g and δ."""
    one, three = first_step(program, "cpu:0"), first_step(program, "cpu*3")
    row = {"gradients": 0.0, "beyond": 0.0, "weight": 0.0}
    for table in ("user", "item"):
        weights, others = one[f"tables/{table}/weight"], three[f"tables/{table}/weight"]
        gradients, changed = ([10.0 * each for each in of[f"tables/{table}/moment"]] for of in (one, three))
        largest, scale = max(map(abs, gradients)), max(map(abs, weights))
        for weight, other, g, other_g in zip(weights, others, gradients, changed):
            apart, error = abs(weight - other), abs(g - other_g)
            row["gradients"] = max(row["gradients"], error / largest)
            if apart > BEYOND * scale:
                row["beyond"] = max(row["beyond"], abs(g))
            if apart > row["weight"]:
                row |= {"weight": apart, "g": abs(g), "error": error,
                        "formula": RATE * EPSILON * error / (abs(g) + EPSILON)**2}
    return row


def verify_figures(rows):
    return [{"name": name, "value": rows[0][name], "printed": f"{rows[0][name]:.1e}".replace("e-0", "e-")}
            for name in ("gradients", "beyond", "g", "error", "weight", "formula")]


SECTIONS = [
    Section("sizes", "the archive of installer/bundle", sizes_seed, sizes_figures,
            programs=["parapet-cli", "../cmake_install.cmake"], constants="55"),
    Section("verify", "the first step on three devices and on one", verify_seed, verify_figures, data=["ml-100k"],
            constants="1 0.01 1e-5 1e-7 1,024 3,000"),
]
