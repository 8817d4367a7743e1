/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_PLUGIN_ABI_H
#define PARAPET_ENGINE_TENSOR_PLUGIN_ABI_H

/* The border between the engine and what computes: a C table of function pointers per device kind.
 *
 * The linked-in CPU backend and every plugin fill the same table. A plugin exports three symbols
 * and nothing else: parapet_plugin_abi, parapet_plugin_build_tag (both read before any other call)
 * and parapet_plugin. The build tag is a hash of these headers: a plugin of another one is refused. */

#include "engine/tensor/attention_abi.h"
#include "engine/tensor/call_abi.h"
#include "engine/tensor/dense_abi.h"
#include "engine/tensor/layers_abi.h"
#include "engine/tensor/losses_abi.h"
#include "engine/tensor/optimizers_abi.h"
#include "engine/tensor/rows_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PP_ABI_VERSION 4u

/* Where the memory of a device can be read: by every thread of the process, or by its ops and copies
 * alone. */
enum { PP_MEMORY_HOST = 0, PP_MEMORY_DEVICE = 1 };

/* Classes of shapes, by the columns of the rows that an op goes through: at most 256, or more. */
enum { PP_SHAPE_NARROW = 0, PP_SHAPE_WIDE = 1 };

typedef struct PpOps {
  uint32_t structSize;
#define PP_OP(op, Args) int32_t (*op)(const PpCall*, const Args*);
#include "engine/tensor/ops.def"
} PpOps;

/* What the end of a recording has run: no op; the ops one by one; what was made of them before. */
enum { PP_RAN_NOTHING = 0, PP_RAN_EACH = 1, PP_RAN_REPLAY = 2 };

/* The devices of a backend; `index` counts them from 0.
 *
 * A device has one stream, on which its ops and copies run in the order of the calls; null where
 * every call returns when its work is done. A copy to the device returns when `in` may be changed,
 * one to the host when `out` holds the bytes, hence when all that was asked before has been done: the
 * host calls wait() first, which alone may take long. A device that is lost answers PP_FAILED from
 * then on, and waits for nothing.
 *
 * A recording holds the ops that are called with it until endRecording, which runs them in their
 * order on the device's stream; `run` 0: forgets them. Of one that holds what it held before, with the
 * same arguments, a device may replay what it has made of it. Copies, scanScores and ops without a
 * recording do not wait for it. One thread at a time; released after what it has run. `ran` gets what
 * the end has run: PP_RAN_EACH, too, where ops are no longer recorded because they change every time.
 * makeRecording gives null, and may itself be null, where ops are better run as they come.
 *
 * Every slot of `ops` is filled; one for which supports() says no returns PP_UNSUPPORTED. An op is
 * named by the offset of its slot in PpOps. */
typedef struct PpDevice {
  uint32_t structSize;
  const char* kind; /* "cpu", "cuda" */
  int32_t memoryKind;
  const PpOps* ops;
  void* (*allocate)(int32_t index, uint64_t bytes); /* 64-byte aligned; null: out of memory */
  void (*release)(int32_t index, void* memory);     /* what is still to run on it runs before */
  void* (*stream)(int32_t index);
  int32_t (*copyToDevice)(void* stream, void* out, const void* in, uint64_t bytes);
  int32_t (*copyToHost)(void* stream, void* out, const void* in, uint64_t bytes);
  /* Until all that was asked before has been done: PP_OK, PP_TIMED_OUT after so long, or what went
   * wrong. */
  int32_t (*wait)(void* stream, int64_t timeoutMs);
  void* (*makeRecording)(int32_t index);
  void (*releaseRecording)(void* recording);
  int32_t (*endRecording)(void* recording, int32_t run, int32_t* ran);
  /* 1 if an op works in a precision on rows of a shape, else 0. Asked before a plan is made. */
  int32_t (*supports)(int32_t index, uint64_t op, int32_t precision, int32_t shape);
  uint64_t (*memoryBytes)(int32_t index);
  const char* (*lastError)(void);
} PpDevice;

typedef struct PpPlugin {
  uint32_t structSize;
  const char* name;
  const char* instructionSet;
  int32_t (*probe)(char* reason, size_t reasonBytes); /* PP_OK, or PP_UNSUPPORTED and why */
  int32_t (*deviceCount)(void);
  const PpDevice* device;
} PpPlugin;

/* uint32_t parapet_plugin_abi(void); const char* parapet_plugin_build_tag(void);
 * const PpPlugin* parapet_plugin(void); */

/* The portable kernels, as the engine links them in. A CPU plugin compiles the same sources for its
 * instruction set, and begins with their table. */
const PpDevice* parapet_portable_cpu(void);

#ifdef __cplusplus
}
#endif
#endif
