// SPDX-License-Identifier: Apache-2.0
// Matrix products: oneDNN on one thread a tile, beneath the host's workers. Small ones, and all
// where oneDNN is not there, go to the portable kernel (Eigen) compiled for this instruction set.
#include <atomic>

#include "plugins/cpu/kernels.h"

#ifdef PARAPET_HAS_ONEDNN
#include <dnnl.h>
#include <omp.h>
#endif

namespace parapet::plugin {

#ifdef PARAPET_HAS_ONEDNN
namespace {

// A call of oneDNN costs a few microseconds before it multiplies; Eigen starts at once.
constexpr std::int64_t kSmallProduct = 32 * 32 * 32;
constexpr std::int64_t kTileRows = 256;

}  // namespace

std::int32_t matmul(const PpCall* call, const PpMatmul* args) {
  if (call->precision == PP_PRECISION_BF16) return bf16Matmul(call, args);
  if (args->m * args->n * args->k < kSmallProduct)
    return parapet_portable_cpu()->ops->matmul(call, args);
  // Its kernels for wider registers would give other bits under the same name of an instruction
  // set.
  static const dnnl_status_t limited = dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
  if (limited != dnnl_success) return parapet_portable_cpu()->ops->matmul(call, args);
  std::atomic<bool> failed = false;
  forBlocks(call, args->m, kTileRows, [&](std::int64_t begin, std::int64_t end) {
    // Of this thread alone: the host's workers are the only pool.
    omp_set_num_threads(1);
    const float* a = args->a + (args->transposeA ? begin : begin * args->strideA);
    const dnnl_status_t status =
        dnnl_sgemm(args->transposeA ? 'T' : 'N', args->transposeB ? 'T' : 'N', end - begin, args->n,
                   args->k, 1.0f, a, args->strideA, args->b, args->strideB, args->beta,
                   args->c + begin * args->strideC, args->strideC);
    if (status != dnnl_success) failed = true;
  });
  return failed ? PP_FAILED : PP_OK;
}
#else
std::int32_t matmul(const PpCall* call, const PpMatmul* args) {
  if (call->precision == PP_PRECISION_BF16) return bf16Matmul(call, args);
  return parapet_portable_cpu()->ops->matmul(call, args);
}
#endif

}  // namespace parapet::plugin
