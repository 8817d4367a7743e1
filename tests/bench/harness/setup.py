# SPDX-License-Identifier: Apache-2.0
"""What has to be there before anything can be measured: programs, peers, data, machine facts."""

import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEERS = ROOT / "tests" / "bench" / "peers"
BIN = ROOT / "build" / "release" / "bin"
WORK = ROOT / "build" / "bench"
VENV = ROOT / "build" / "bench-venv"

CLI = BIN / "parapet-cli"
ENGINE = BIN / "bench_engine"
LIMITS = BIN / "bench_limits"
PYTHON = VENV / "bin" / "python"

# Peers by the module that they import, and the list that brings it.
MODULES = {
    "torch": "requirements-torch.txt",
    "faiss": "requirements.txt",
    "jax": "requirements.txt",
    "keras": "requirements.txt",
    "keras_rs": "requirements.txt",
    "duckdb": "requirements.txt",
    "tokenizers": "requirements.txt",
    "numpy": "requirements.txt",
    "pyarrow": "requirements.txt",
    "safetensors": "requirements.txt",
    "tensorboard": "requirements.txt",
    "transformers": "requirements.txt",
}


def use_programs(folder):
    """Measures the programs of `folder`, with the plugins in ../lib beside it, and builds nothing."""
    global CLI, ENGINE, LIMITS
    CLI, ENGINE, LIMITS = (folder.resolve() / program.name for program in (CLI, ENGINE, LIMITS))


def build():
    """Configures where that was never done, and builds what is measured."""
    release = ROOT / "build" / "release"
    if not (release / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
    targets = ["parapet-cli", "bench_engine", "bench_limits"]
    subprocess.run(["cmake", "--build", release, "--target", *targets], check=True)


def _install(requirements, *options):
    """Installs a list into the virtual environment unless that list is there already."""
    listed = PEERS / requirements
    stamp = VENV / f"{requirements}.installed"
    digest = hashlib.sha256(listed.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return None
    command = [PYTHON, "-m", "pip", "install", "--quiet", *options, "-r", listed]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()
        return words[-1] if words else f"pip returned {done.returncode}"
    stamp.write_text(digest)
    return None


def install_peers(say):
    """Versions of the peers that can be imported, and for the others why not: two dicts by module.

    PyPI has one Linux wheel of PyTorch, built for CUDA, so its own list is installed without
    dependencies: only the libraries that it loads at import."""
    reasons = {}
    if not PYTHON.exists():
        done = subprocess.run([sys.executable, "-m", "venv", VENV], capture_output=True, text=True)
        if done.returncode != 0:
            return {}, {name: "no virtual environment: python3-venv is missing" for name in MODULES}
    for requirements, options in (
        ("requirements.txt", ()),
        ("requirements-torch.txt", ("--no-deps",)),
    ):
        say(f"peers: {requirements}")
        reason = _install(requirements, *options)
        if reason:
            reasons[requirements] = reason
    versions, missing = {}, {}
    for module, requirements in MODULES.items():
        code = f"import {module}; print({module}.__version__)"
        variables = dict(os.environ) | {"KERAS_BACKEND": "jax"}
        done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, env=variables)
        if done.returncode == 0:
            versions[module] = done.stdout.strip().splitlines()[-1]
        else:
            words = done.stderr.strip().splitlines() or ["cannot be imported"]
            missing[module] = reasons.get(requirements, words[-1])
    return versions, missing


def movielens_folder(say):
    """The folder of ratings and what it is: real where PARAPET_DATA_DIR says so, else generated
    with the same numbers of users, items and ratings."""
    given = os.environ.get("PARAPET_DATA_DIR")
    if given and (pathlib.Path(given) / "ml-100k" / "u.data").exists():
        return pathlib.Path(given) / "ml-100k", "MovieLens-100K"
    folder = generated_folder(say, users=943, items=1682, events=100_000)
    return folder, "generated, in the shape of MovieLens-100K"


def generated_folder(say, users, items, events):
    """A generated folder of ratings in the layout of MovieLens-100K; made once."""
    folder = WORK / f"movies-{users}-{items}-{events}"
    if not (folder / "u.data").exists():
        say(f"data: {events} generated ratings")
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        sizes = ["--users", users, "--items", items, "--events", events]
        command = [CLI, "generate", "movies", "--out", folder, *sizes, "--seed", 1]
        subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return folder


def vectors_file(rows, dim, seed, threads):
    """A file of float32 vectors [rows, dim] that every participant of a study reads; made once."""
    file = WORK / f"vectors-{rows}x{dim}-{seed}.f32"
    if not file.exists() or file.stat().st_size != 4 * rows * dim:
        file.parent.mkdir(parents=True, exist_ok=True)
        command = [ENGINE, "vectors", "--out", file, "--rows", rows, "--dim", dim, "--seed", seed]
        subprocess.run([str(part) for part in [*command, "--threads", threads]], check=True)
    return file


def available_bytes():
    """Memory that a new program may take, by the kernel's own estimate."""
    text = pathlib.Path("/proc/meminfo").read_text()
    return 1024 * int(re.search(r"MemAvailable:\s+(\d+)", text).group(1))


def machine():
    """Processor, cores, memory, kernel and huge pages, as the results name them."""
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    meminfo = pathlib.Path("/proc/meminfo").read_text()
    pages = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    model = re.search(r"model name\s*: (.*)", cpuinfo)
    flags = set(re.search(r"flags\s*: (.*)", cpuinfo).group(1).split())
    return {
        "processor": model.group(1) if model else platform.machine(),
        "family": re.search(r"cpu family\s*: (\d+)", cpuinfo).group(1),
        "model": re.search(r"model\s*: (\d+)", cpuinfo).group(1),
        "cores": len(os.sched_getaffinity(0)),
        "instruction_sets": sorted(flags & {"avx", "avx2", "fma", "avx512f", "avx512_bf16"}),
        "memory_gib": round(int(re.search(r"MemTotal:\s+(\d+)", meminfo).group(1)) / 2**20, 1),
        "kernel": platform.release(),
        "huge_pages": pages.read_text().strip() if pages.exists() else "none",
    }


def commit():
    """The commit that was measured, with a mark if files had changed since."""

    def git(*arguments):
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
        return done.stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+changes" if git("status", "--short") else "")
