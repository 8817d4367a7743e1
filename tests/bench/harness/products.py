# SPDX-License-Identifier: Apache-2.0
"""Matrix products: tensor::matmul against oneDNN and PyTorch."""

from . import setup
from .launches import Participant
from .study import Study

# m x n x k, then N or T (stored transposed) for each factor: what it is for.
SHAPES = {
    "8192x8192x64:NT": "scores",
    "8192x64x8192:NN": "gradient of queries",
    "8192x64x8192:TN": "gradient of candidates",
    "64x8192x8192:NN": "wide",
    "1024x1024x1024:NN": "square",
    "2048x2048x2048:NN": "square",
    "4096x512x128:NT": "feed-forward",
    "640x30522x128:NT": "vocabulary head",
    "256x256x64:NN": "small dense layer",
    "1024x256x64:NN": "dense layer",
}
QUICK_SHAPES = ["8192x64x8192:TN", "1024x1024x1024:NN", "256x256x64:NN"]


def study_products(context):
    study = Study(context, "products", "Matrix products", "GFLOP/s", higher_is_better=True)
    shapes = QUICK_SHAPES if context.quick else list(SHAPES)
    for threads in sorted({1, context.threads}):

        def taking_part(name, role, command, threads=threads):
            def measure(launcher):
                budget = context.budget(0.3)
                command_line = [*command, *shapes, "--threads", threads, *budget]
                lines, _ = launcher.run(command_line, threads=threads)
                return {
                    f"{line['shape']} {SHAPES[line['shape']]}, {threads} thread(s)": line["gflops"]
                    for line in lines
                }

            return Participant(name, role, measure)

        participants = [
            taking_part("oneDNN", "limit", [setup.LIMITS, "sgemm"]),
            taking_part("parapet", "ours", [setup.ENGINE, "matmul"]),
        ]
        if context.has("products", "PyTorch", "torch"):
            script = [setup.PYTHON, setup.PEERS / "torch_matmul.py"]
            participants.append(taking_part("torch.mm", "peer", script))
        study.compare(participants)
    return study
