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

#define PP_ABI_VERSION 3u

/* Where the memory of a device can be read: by every thread of the process, or by its ops and copies
 * alone. */
enum { PP_MEMORY_HOST = 0, PP_MEMORY_DEVICE = 1 };

/* Classes of shapes, by the columns of the rows that an op goes through: at most 256, or more. */
enum { PP_SHAPE_NARROW = 0, PP_SHAPE_WIDE = 1 };

typedef struct PpOps {
  uint32_t structSize;
  int32_t (*fill)(const PpCall*, const PpFill*);
  int32_t (*gatherRows)(const PpCall*, const PpGatherRows*);
  int32_t (*groupRows)(const PpCall*, const PpGroupRows*);
  int32_t (*sgd)(const PpCall*, const PpSgd*);
  int32_t (*adagrad)(const PpCall*, const PpAdagrad*);
  int32_t (*rowwiseAdagrad)(const PpCall*, const PpRowwiseAdagrad*);
  int32_t (*adam)(const PpCall*, const PpAdam*);
  int32_t (*matmul)(const PpCall*, const PpMatmul*);
  int32_t (*biasActivation)(const PpCall*, const PpBiasActivation*);
  int32_t (*biasActivationGradient)(const PpCall*, const PpBiasActivationGradient*);
  int32_t (*dotRows)(const PpCall*, const PpDotRows*);
  int32_t (*dotRowsGradient)(const PpCall*, const PpDotRowsGradient*);
  int32_t (*squaredError)(const PpCall*, const PpSquaredError*);
  int32_t (*copyColumns)(const PpCall*, const PpCopyColumns*);
  int32_t (*sumParts)(const PpCall*, const PpSumParts*);
  int32_t (*scanScores)(const PpCall*, const PpScanScores*);
  int32_t (*ftrl)(const PpCall*, const PpFtrl*);
  int32_t (*decayRows)(const PpCall*, const PpDecayRows*);
  int32_t (*mergeRows)(const PpCall*, const PpMergeRows*);
  int32_t (*sumSquares)(const PpCall*, const PpSumSquares*);
  int32_t (*scaleClamp)(const PpCall*, const PpScaleClamp*);
  int32_t (*innerProduct)(const PpCall*, const PpInnerProduct*);
  int32_t (*logisticLoss)(const PpCall*, const PpLogisticLoss*);
  int32_t (*pairLoss)(const PpCall*, const PpPairLoss*);
  int32_t (*listMle)(const PpCall*, const PpListMle*);
  int32_t (*negativesLoss)(const PpCall*, const PpNegativesLoss*);
  int32_t (*bagRows)(const PpCall*, const PpBagRows*);
  int32_t (*bagScales)(const PpCall*, const PpBagScales*);
  int32_t (*cross)(const PpCall*, const PpCross*);
  int32_t (*crossGradient)(const PpCall*, const PpCrossGradient*);
  int32_t (*dotInteraction)(const PpCall*, const PpDotInteraction*);
  int32_t (*dotInteractionGradient)(const PpCall*, const PpDotInteractionGradient*);
  int32_t (*dropout)(const PpCall*, const PpDropout*);
  int32_t (*layerNorm)(const PpCall*, const PpLayerNorm*);
  int32_t (*layerNormGradient)(const PpCall*, const PpLayerNormGradient*);
  int32_t (*batchNorm)(const PpCall*, const PpBatchNorm*);
  int32_t (*batchNormGradient)(const PpCall*, const PpBatchNormGradient*);
  int32_t (*signedLog)(const PpCall*, const PpSignedLog*);
  int32_t (*quantile)(const PpCall*, const PpQuantile*);
  int32_t (*meanSquares)(const PpCall*, const PpMeanSquares*);
  int32_t (*l2Normalize)(const PpCall*, const PpL2Normalize*);
  int32_t (*l2NormalizeGradient)(const PpCall*, const PpL2NormalizeGradient*);
  int32_t (*batchMoments)(const PpCall*, const PpBatchMoments*);
  int32_t (*batchNormOfMoments)(const PpCall*, const PpBatchNormOfMoments*);
  int32_t (*batchNormGradientSums)(const PpCall*, const PpBatchNormGradientSums*);
  int32_t (*batchNormGradientOfSums)(const PpCall*, const PpBatchNormGradientOfSums*);
  int32_t (*attention)(const PpCall*, const PpAttention*);
  int32_t (*attentionGradient)(const PpCall*, const PpAttentionGradient*);
  int32_t (*addPositions)(const PpCall*, const PpAddPositions*);
  int32_t (*addPositionsGradient)(const PpCall*, const PpAddPositionsGradient*);
  int32_t (*pool)(const PpCall*, const PpPool*);
  int32_t (*poolGradient)(const PpCall*, const PpPoolGradient*);
  int32_t (*softmaxBySequence)(const PpCall*, const PpSoftmaxBySequence*);
  int32_t (*softmaxBySequenceGradient)(const PpCall*, const PpSoftmaxBySequenceGradient*);
  int32_t (*scatterRows)(const PpCall*, const PpScatterRows*);
  int32_t (*tableSoftmax)(const PpCall*, const PpTableSoftmax*);
  int32_t (*topK)(const PpCall*, const PpTopK*);
  int32_t (*replaceRows)(const PpCall*, const PpReplaceRows*);
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
