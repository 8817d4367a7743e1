// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/text/masked_batch.h"
#include "engine/train/step_inputs.h"

namespace parapet::train {

/// The masks of the batches of an experiment.
data::BatchMasker batchMasker(const data::Dataset& dataset,
                              const experiment::Experiment& experiment, std::int64_t batchRows);

/// Masks the sequences of each batch: replaces tokens among its ids, and adds, as features of their
/// own, the positions of masked tokens and the tokens that stood there. Training draws them by
/// epoch and example of the epoch, whatever the batch size; an evaluation by the example of its
/// part.
class MaskedInputs final : public StepInputs {
 public:
  /// `batchRows`: of a global batch. InternalError if the vocabulary lacks a special piece, without
  /// which no text is imported.
  MaskedInputs(const data::Dataset& dataset, const experiment::Experiment& experiment,
               std::int64_t batchRows);

  nn::StepBatch extend(const nn::StepBatch& input, const Key& key) override;

 private:
  /// The current batch, or the next one, whose ids may be sorted ahead.
  struct Masked {
    data::BatchMasker masker;
    std::vector<data::FeatureIds> features;
  };
  std::vector<Masked> masked_;  ///< for even keys, and for odd ones
};

}  // namespace parapet::train
