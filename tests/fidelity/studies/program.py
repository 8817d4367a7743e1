# SPDX-License-Identifier: Apache-2.0
"""parapet-cli in a workspace of its own, as the sections call it."""

import json
import pathlib
import subprocess
import sys


class Program:
    def __init__(self, folder, workspace, data, threads):
        self.folder = pathlib.Path(folder)
        self.workspace = pathlib.Path(workspace)
        self.data = pathlib.Path(data) if data else None
        self.threads = threads

    def call(self, *arguments, cwd=None):
        """Standard output of a command, which may end as diverged."""
        command = [self.folder.resolve() / "parapet-cli", "--workspace", self.workspace, *arguments]
        return run(command, accepted=(0, 5), cwd=cwd)

    def answer(self, *arguments):
        return json.loads(self.call(*arguments, "--json", "--quiet"))

    def train(self, document, *arguments, settings=None, data=None, seed=None):
        command = ["train", document, *arguments]
        if data:
            command += ["--data", self.data / data]
        if seed is not None:
            command += ["--seed", seed]
        if self.threads:
            command += ["--threads", self.threads]
        for pointer, value in (settings or {}).items():
            command += ["--set", f"{pointer}={value}"]
        return self.answer(*command)

    def evaluate(self, trained, *arguments, split="test"):
        return self.answer("evaluate", trained["run_id"], "--split", split, *arguments)

    def file(self, name):
        self.workspace.mkdir(parents=True, exist_ok=True)
        return self.workspace.parent / name


def run(command, accepted=(0,), cwd=None):
    command = list(map(str, command))
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
    if ran.returncode not in accepted:
        sys.exit(f"{' '.join(command)}\n{ran.stderr}")
    return ran.stdout
