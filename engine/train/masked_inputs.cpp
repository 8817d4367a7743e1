// SPDX-License-Identifier: Apache-2.0
#include "engine/train/masked_inputs.h"

namespace parapet::train {

static_assert(StepInputs::kHeldOut == data::SequenceMasker::kHeldOutEpoch);

data::BatchMasker batchMasker(const data::Dataset& dataset,
                              const experiment::Experiment& experiment, std::int64_t batchRows) {
  auto pieces = data::MaskingPieces::of(dataset.vocabularyOf(experiment::kTokensColumn));
  if (!pieces) throw InternalError(pieces.error().text());
  const std::int64_t longest = dataset.idColumn(experiment::kTokensColumn)->longestBag;
  return {experiment.model.masking.value_or(experiment::Masking{}),
          *pieces,
          experiment.training.seed,
          {batchRows, batchRows * longest, longest}};
}

MaskedInputs::MaskedInputs(const data::Dataset& dataset, const experiment::Experiment& experiment,
                           std::int64_t batchRows)
    : masked_(2, Masked{batchMasker(dataset, experiment, batchRows), {}}) {}

nn::StepBatch MaskedInputs::extend(const nn::StepBatch& input, const Key& key) {
  Masked& to = masked_[key.draw % 2];
  const data::MaskedBatch& masks = to.masker.mask(input.features[0], key.epoch, key.firstExample);
  to.features.assign(input.features.begin(), input.features.end());
  to.features[0].ids = masks.ids;
  to.features.push_back({.ids = masks.positions, .offsets = masks.offsets});
  to.features.push_back({.ids = masks.labels, .offsets = masks.offsets});
  nn::StepBatch masked = input;
  masked.features = to.features;
  return masked;
}

}  // namespace parapet::train
