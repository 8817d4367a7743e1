#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the placement of tables costs a step of `movielens-retrieval`, batches of 1,000 on eight devices.

  tests/bench/placements.py --data ml-100k [--cli build/release/bin/parapet-cli] [--rounds 5]

Replicated tables and such that are split by rows and by columns, by turns, where the devices share one
memory and where each has its own. Prints the processor time of a step on one thread, the shortest of
the rounds, as the difference between runs of 2 and of 42 epochs, and its ratio to that of replicated
tables in the same kind of memory. Other programs lengthen all alike.
"""

import argparse
import resource
import subprocess
import sys
import tempfile

STEPS_OF_EPOCH = 80
FEW, MANY = 2, 42


def processor_seconds(command):
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return spent() - before


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cli", default="build/release/bin/parapet-cli")
    parser.add_argument("--data", required=True, help="a MovieLens folder")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    cases = [
        (spaces, placement)
        for spaces in ("shared", "separate")
        for placement in ("replicated", "row", "column")
    ]
    shortest = {case: float("inf") for case in cases}
    with tempfile.TemporaryDirectory() as workspace:
        for _ in range(arguments.rounds):
            for case in cases:
                command = [arguments.cli, "--workspace", workspace, "train", "movielens-retrieval"]
                command += ["--data", arguments.data, "--threads", "1", "--quiet"]
                settings = ['/mesh/devices=["cpu*8"]', f"/mesh/spaces={case[0]}"]
                settings += [f"/tables/{table}/placement={case[1]}" for table in (0, 1)]
                for setting in settings:
                    command += ["--set", setting]
                seconds = [
                    processor_seconds([*command, "--epochs", str(epochs)]) for epochs in (FEW, MANY)
                ]
                step = (seconds[1] - seconds[0]) / ((MANY - FEW) * STEPS_OF_EPOCH)
                shortest[case] = min(shortest[case], step)
    for spaces, placement in cases:
        step, whole = shortest[spaces, placement], shortest[spaces, "replicated"]
        print(f"{spaces:9} {placement:11} {1e6 * step:7.1f} µs  {step / whole:5.2f}")


if __name__ == "__main__":
    main()
