/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_CALL_ABI_H
#define PARAPET_ENGINE_TENSOR_CALL_ABI_H

/* What every op of a device is called with. The ops stand in a header per family.
 *
 * An op gets raw 64-byte-aligned pointers into its device's memory, counts, the stream to run on and
 * the host's parallelFor. What it finds (sums, flags) it leaves in the device's memory, too. It
 * starts no thread, allocates nothing and returns PP_OK or an error code whose text lastError gives;
 * where the device has streams it may return before it has run, and what it reads and writes is
 * then used by later calls on the same stream alone. What changes from step to step may lie in the
 * device's memory (`counted`, `rates`, `keyAt`): null, and the argument beside it counts. An array of pointers is the host's, and read
 * before the op returns. Arguments have been checked by the caller (engine/tensor/ops): sizes that are
 * negative, widths below 1, rows outside of their table and what the op names besides. Counts may be 0.
 *
 * Letters: B batch, V vocabulary, D width, N ids, U distinct rows. All matrices are row-major. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A member that an initializer of C++ may leave out. */
#ifdef __cplusplus
#define PP_DEFAULT(value) = value
#else
#define PP_DEFAULT(value)
#endif

enum { PP_OK = 0, PP_FAILED = 1, PP_OUT_OF_MEMORY = 2, PP_UNSUPPORTED = 3, PP_TIMED_OUT = 4 };
/* Of the operands of products; sums are in single precision. FP32 is never rounded. */
enum { PP_PRECISION_FP32 = 0, PP_PRECISION_BF16 = 1, PP_PRECISION_TF32 = 2 };

/* Calls body(argument, block) for block = 0 … blocks-1, on whatever workers the host has. Not to be
 * called after the op has returned. */
typedef void (*PpParallelFor)(void* context, int64_t blocks,
                              void (*body)(void* argument, int64_t block), void* argument);

typedef struct PpCall {
  uint32_t structSize;
  int32_t precision; /* of matrix products */
  void* stream;      /* of the device, see PpDevice */
  void* recording;   /* that the op is added to, see PpDevice; null: it runs */
  PpParallelFor parallelFor;
  void* parallelContext;
} PpCall;

#ifdef __cplusplus
}
#endif
#endif
