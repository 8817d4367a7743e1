# SPDX-License-Identifier: Apache-2.0
# Sources that the GPU compiler takes, and that tests/plugins/grid compiles as C++ for the host.
set(PARAPET_CUDA_KERNELS attention.cu dense.cu losses.cu matmul.cu negatives.cu norms.cu rows.cu scan_scores.cu sequences.cu
  sorted_rows.cu table_softmax.cu top_k.cu updates.cu)
