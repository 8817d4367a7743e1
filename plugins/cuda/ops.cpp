// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/ops.h"

#include <mutex>
#include <type_traits>

#include "plugins/cuda/recording.h"

namespace parapet::cuda {
namespace {

/// An op whose kernels no other op of the stream comes between.
template <auto Op>
struct Alone;
template <class Args, std::int32_t (*Op)(const PpCall*, const Args*)>
struct Alone<Op> {
  static std::int32_t run(const PpCall* call, const Args* args) {
    Recording* const recording = recordingOf(call);
    if (recording && !std::is_same_v<Args, PpScanScores>) {
      recording->ops.add(Op, *call, *args);
      return PP_OK;
    }
    Stream& stream = streamOf(call);
    const std::lock_guard lock(stream.mutex);
    if (stream.send)
      if (const std::int32_t code = stream.send(stream)) return code;
    return Op(call, args);
  }
};

// A line a slot, in the order of the table.
constexpr PpOps makeOps() {
  PpOps made{};
  made.structSize = sizeof(PpOps);
  made.fill = Alone<fill>::run;
  made.gatherRows = Alone<gatherRows>::run;
  made.groupRows = Alone<groupRows>::run;
  made.sgd = Alone<sgd>::run;
  made.adagrad = Alone<adagrad>::run;
  made.rowwiseAdagrad = Alone<rowwiseAdagrad>::run;
  made.adam = Alone<adam>::run;
  made.matmul = Alone<matmul>::run;
  made.biasActivation = Alone<biasActivation>::run;
  made.biasActivationGradient = Alone<biasActivationGradient>::run;
  made.dotRows = Alone<dotRows>::run;
  made.dotRowsGradient = Alone<dotRowsGradient>::run;
  made.squaredError = Alone<squaredError>::run;
  made.copyColumns = Alone<copyColumns>::run;
  made.sumParts = Alone<sumParts>::run;
  made.scanScores = Alone<scanScores>::run;
  made.ftrl = Alone<ftrl>::run;
  made.decayRows = Alone<decayRows>::run;
  made.mergeRows = Alone<mergeRows>::run;
  made.sumSquares = Alone<sumSquares>::run;
  made.scaleClamp = Alone<scaleClamp>::run;
  made.innerProduct = Alone<innerProduct>::run;
  made.logisticLoss = Alone<logisticLoss>::run;
  made.pairLoss = Alone<pairLoss>::run;
  made.listMle = Alone<listMle>::run;
  made.negativesLoss = Alone<negativesLoss>::run;
  made.bagRows = Alone<bagRows>::run;
  made.bagScales = Alone<bagScales>::run;
  made.cross = Alone<cross>::run;
  made.crossGradient = Alone<crossGradient>::run;
  made.dotInteraction = Alone<dotInteraction>::run;
  made.dotInteractionGradient = Alone<dotInteractionGradient>::run;
  made.dropout = Alone<dropout>::run;
  made.layerNorm = Alone<layerNorm>::run;
  made.layerNormGradient = Alone<layerNormGradient>::run;
  made.batchNorm = Alone<batchNorm>::run;
  made.batchNormGradient = Alone<batchNormGradient>::run;
  made.signedLog = Alone<signedLog>::run;
  made.quantile = Alone<quantile>::run;
  made.meanSquares = Alone<meanSquares>::run;
  made.l2Normalize = Alone<l2Normalize>::run;
  made.l2NormalizeGradient = Alone<l2NormalizeGradient>::run;
  made.batchMoments = Alone<batchMoments>::run;
  made.batchNormOfMoments = Alone<batchNormOfMoments>::run;
  made.batchNormGradientSums = Alone<batchNormGradientSums>::run;
  made.batchNormGradientOfSums = Alone<batchNormGradientOfSums>::run;
  made.attention = Alone<attention>::run;
  made.attentionGradient = Alone<attentionGradient>::run;
  made.addPositions = Alone<addPositions>::run;
  made.addPositionsGradient = Alone<addPositionsGradient>::run;
  made.pool = Alone<pool>::run;
  made.poolGradient = Alone<poolGradient>::run;
  made.softmaxBySequence = Alone<softmaxBySequence>::run;
  made.softmaxBySequenceGradient = Alone<softmaxBySequenceGradient>::run;
  made.scatterRows = Alone<scatterRows>::run;
  made.tableSoftmax = Alone<tableSoftmax>::run;
  made.topK = Alone<topK>::run;
  made.replaceRows = Alone<replaceRows>::run;
  return made;
}

}  // namespace

const PpOps& ops() {
  static constexpr PpOps kOps = makeOps();
  return kOps;
}

}  // namespace parapet::cuda
