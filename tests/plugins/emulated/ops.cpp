// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/emulated/ops.h"

#include <cstddef>
#include <span>
#include <utility>

#include "tests/plugins/emulated/stream.h"

namespace parapet::emulated {
namespace {

const PpOps& kernels() {
  return *parapet_portable_cpu()->ops;
}

// Whatever word of the arguments is an address of the device; no number is one, see Arena.
void translate(const Arena& arena, std::span<std::uintptr_t> words) {
  for (std::uintptr_t& word : words) word = arena.translate(word);
}

// The host's workers belong to the caller, who goes on.
void oneAfterTheOther(void*, std::int64_t blocks, void (*body)(void*, std::int64_t),
                      void* argument) {
  for (std::int64_t block = 0; block < blocks; ++block) body(argument, block);
}

PpCall callOf(std::int32_t precision) {
  PpCall call{};
  call.structSize = sizeof call;
  call.precision = precision;
  call.parallelFor = oneAfterTheOther;
  return call;
}

template <auto Slot>
struct Late;
template <class Args, std::int32_t (*PpOps::*Slot)(const PpCall*, const Args*)>
struct Late<Slot> {
  static std::int32_t run(const PpCall* call, const Args* args) {
    auto* const recording = static_cast<Recording*>(call->recording);
    if (recording && !recording->ops.hasGivenUp()) {
      recording->ops.add(post, *call, *args);
      return PP_OK;
    }
    return post(call, args);
  }

 private:
  static std::int32_t post(const PpCall* call, const Args* args) {
    Stream& stream = *static_cast<Stream*>(call->stream);
    if (const std::int32_t code = stream.beginOp(); code != PP_OK) return code;
    tensor::KeptWords words;
    tensor::keepArguments(*args, words);
    translate(stream.arena(), words);
    stream.post([kept = std::move(words), precision = call->precision] {
      const PpCall inner = callOf(precision);
      return tensor::withArguments<Args>(
          kept, [&](const Args* here) { return (kernels().*Slot)(&inner, here); });
    });
    return PP_OK;
  }
};

// Offers go to the host: they are made on the calling thread.
std::int32_t scanScores(const PpCall* call, const PpScanScores* args) {
  Stream& stream = *static_cast<Stream*>(call->stream);
  if (const std::int32_t code = stream.wait(kWaitLimit); code != PP_OK) return code;
  tensor::KeptWords words;
  tensor::keepArguments(*args, words);
  translate(stream.arena(), words);
  const PpCall inner = callOf(call->precision);
  return tensor::withArguments<PpScanScores>(
      words, [&](const PpScanScores* here) { return kernels().scanScores(&inner, here); });
}

PpOps makeOps() {
  PpOps made{};
  made.structSize = sizeof(PpOps);
  made.fill = Late<&PpOps::fill>::run;
  made.gatherRows = Late<&PpOps::gatherRows>::run;
  made.groupRows = Late<&PpOps::groupRows>::run;
  made.sgd = Late<&PpOps::sgd>::run;
  made.adagrad = Late<&PpOps::adagrad>::run;
  made.rowwiseAdagrad = Late<&PpOps::rowwiseAdagrad>::run;
  made.adam = Late<&PpOps::adam>::run;
  made.matmul = Late<&PpOps::matmul>::run;
  made.biasActivation = Late<&PpOps::biasActivation>::run;
  made.biasActivationGradient = Late<&PpOps::biasActivationGradient>::run;
  made.dotRows = Late<&PpOps::dotRows>::run;
  made.dotRowsGradient = Late<&PpOps::dotRowsGradient>::run;
  made.squaredError = Late<&PpOps::squaredError>::run;
  made.copyColumns = Late<&PpOps::copyColumns>::run;
  made.sumParts = Late<&PpOps::sumParts>::run;
  made.ftrl = Late<&PpOps::ftrl>::run;
  made.decayRows = Late<&PpOps::decayRows>::run;
  made.mergeRows = Late<&PpOps::mergeRows>::run;
  made.sumSquares = Late<&PpOps::sumSquares>::run;
  made.scaleClamp = Late<&PpOps::scaleClamp>::run;
  made.innerProduct = Late<&PpOps::innerProduct>::run;
  made.logisticLoss = Late<&PpOps::logisticLoss>::run;
  made.pairLoss = Late<&PpOps::pairLoss>::run;
  made.listMle = Late<&PpOps::listMle>::run;
  made.negativesLoss = Late<&PpOps::negativesLoss>::run;
  made.bagRows = Late<&PpOps::bagRows>::run;
  made.bagScales = Late<&PpOps::bagScales>::run;
  made.cross = Late<&PpOps::cross>::run;
  made.crossGradient = Late<&PpOps::crossGradient>::run;
  made.dotInteraction = Late<&PpOps::dotInteraction>::run;
  made.dotInteractionGradient = Late<&PpOps::dotInteractionGradient>::run;
  made.dropout = Late<&PpOps::dropout>::run;
  made.layerNorm = Late<&PpOps::layerNorm>::run;
  made.layerNormGradient = Late<&PpOps::layerNormGradient>::run;
  made.batchNorm = Late<&PpOps::batchNorm>::run;
  made.batchNormGradient = Late<&PpOps::batchNormGradient>::run;
  made.signedLog = Late<&PpOps::signedLog>::run;
  made.quantile = Late<&PpOps::quantile>::run;
  made.meanSquares = Late<&PpOps::meanSquares>::run;
  made.l2Normalize = Late<&PpOps::l2Normalize>::run;
  made.l2NormalizeGradient = Late<&PpOps::l2NormalizeGradient>::run;
  made.batchMoments = Late<&PpOps::batchMoments>::run;
  made.batchNormOfMoments = Late<&PpOps::batchNormOfMoments>::run;
  made.batchNormGradientSums = Late<&PpOps::batchNormGradientSums>::run;
  made.batchNormGradientOfSums = Late<&PpOps::batchNormGradientOfSums>::run;
  made.attention = Late<&PpOps::attention>::run;
  made.attentionGradient = Late<&PpOps::attentionGradient>::run;
  made.addPositions = Late<&PpOps::addPositions>::run;
  made.addPositionsGradient = Late<&PpOps::addPositionsGradient>::run;
  made.pool = Late<&PpOps::pool>::run;
  made.poolGradient = Late<&PpOps::poolGradient>::run;
  made.softmaxBySequence = Late<&PpOps::softmaxBySequence>::run;
  made.softmaxBySequenceGradient = Late<&PpOps::softmaxBySequenceGradient>::run;
  made.scatterRows = Late<&PpOps::scatterRows>::run;
  made.tableSoftmax = Late<&PpOps::tableSoftmax>::run;
  made.topK = Late<&PpOps::topK>::run;
  made.replaceRows = Late<&PpOps::replaceRows>::run;
  made.scanScores = scanScores;
#ifdef PARAPET_EMULATED_WITHOUT
  made.PARAPET_EMULATED_WITHOUT = [](const PpCall*, const auto*) -> std::int32_t {
    return PP_UNSUPPORTED;
  };
#endif
  return made;
}

}  // namespace

std::int32_t supports(std::int32_t, std::uint64_t op, std::int32_t precision, std::int32_t) {
  if (precision == PP_PRECISION_TF32) return 0;
#ifdef PARAPET_EMULATED_WITHOUT
  return op != offsetof(PpOps, PARAPET_EMULATED_WITHOUT);
#else
  return op < sizeof(PpOps);
#endif
}

const PpOps& ops() {
  static const PpOps made = makeOps();
  return made;
}

}  // namespace parapet::emulated
