# SPDX-License-Identifier: Apache-2.0
"""What PyTorch reaches on this device, in the shapes of `parapet-cli selftest --large` (engine/selftest/device_report.h).

One JSON object on standard output; 77 and the reason where PyTorch or the device is not there.
"""

import argparse
import json
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda:0")
parser.add_argument("--quick", action="store_true")
arguments = parser.parse_args()

try:
    import torch
except ImportError as missing:
    print(f"PyTorch is not here: {missing}")
    sys.exit(77)
try:
    device = torch.device(arguments.device)
    torch.ones(1, device=device)
except (RuntimeError, AssertionError) as refusal:
    print(f"PyTorch has no {arguments.device}: {str(refusal).splitlines()[0]}")
    sys.exit(77)


def wait():
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def median_seconds(body, rounds=3 if arguments.quick else 20):
    for _ in range(3):
        body()
    wait()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        body()
        wait()
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2]


def products(n, dtype):
    a, b = (torch.randn(n, n, device=device, dtype=dtype) for _ in range(2))
    return 2 * n**3 / median_seconds(lambda: torch.mm(a, b))


def gathered(rows, width, count):
    table = torch.randn(rows, width, device=device)
    ids = torch.randint(rows, (count,), device=device)
    return 2 * 4 * count * width / median_seconds(lambda: table.index_select(0, ids))


def in_batch_softmax(batch, width):
    query, candidate = (torch.randn(batch, width, device=device, requires_grad=True) for _ in range(2))
    target = torch.arange(batch, device=device)

    def step():
        query.grad = candidate.grad = None
        torch.nn.functional.cross_entropy(query @ candidate.T, target).backward()

    return median_seconds(step)


def top_k(queries, candidates, width, k):
    q, c = torch.randn(queries, width, device=device), torch.randn(candidates, width, device=device)
    return median_seconds(lambda: torch.topk(q @ c.T, k))


small = arguments.quick
torch.backends.cuda.matmul.allow_tf32 = False
answer = {
    "torch": torch.__version__,
    "name": torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
    "matmul_flops_per_second": products(256 if small else 4096, torch.float32),
    "bf16_matmul_flops_per_second": products(256 if small else 4096, torch.bfloat16),
    "gather_bytes_per_second": gathered(1000 if small else 4_000_000, 64, 1000 if small else 1_000_000),
    "in_batch_softmax_seconds": in_batch_softmax(128 if small else 8192, 64),
    "top_10_seconds": top_k(10 if small else 100, 1000 if small else 1_000_000, 64, 10),
}
print(json.dumps(answer))
