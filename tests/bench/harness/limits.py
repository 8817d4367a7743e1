# SPDX-License-Identifier: Apache-2.0
"""The limits of the machine, at the beginning and at the end: do they differ, the machine did."""

from . import setup
from .launches import LaunchError

SCORES = "8192x8192x64:NT"  # the product behind a top-10 of many queries


def _one(context, threads, *arguments):
    command = [setup.LIMITS, *arguments, "--threads", threads, *context.budget(0.5)]
    return context.launcher.run(command, threads=threads)[0][-1]


def measure_limits(context):
    """{"1": {...}, "<cores>": {...}}: peaks by number of threads."""
    found = {}
    for threads in sorted({1, context.threads}):
        context.launcher.say(f"limits: {threads} thread(s)")
        size = 2**26 if context.quick else 2**30
        of_threads = {
            "fma_gflops": _one(context, threads, "fma")["gflops"],
            "read_gb_per_s": _one(context, threads, "read", "--bytes", size)[
                "gigabytes_per_second"
            ],
            "read_l2_gb_per_s": _one(context, threads, "read", "--bytes", 2**19 * threads)[
                "gigabytes_per_second"
            ],
            "triad_gb_per_s": _one(context, threads, "triad", "--bytes", size)[
                "gigabytes_per_second"
            ],
        }
        try:
            of_threads["sgemm_gflops"] = _one(context, threads, "sgemm", SCORES)["gflops"]
        except LaunchError as error:
            context.skip("limits", "sgemm", str(error))
        found[str(threads)] = of_threads
    return found
