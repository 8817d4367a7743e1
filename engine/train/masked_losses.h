// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"
#include "engine/data/split/split.h"
#include "engine/data/text/masking.h"
#include "engine/experiment/document.h"
#include "engine/nn/step_batch.h"
#include "engine/retrieval/query_sums.h"
#include "engine/train/part_losses.h"
#include "engine/train/session.h"
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

/// Trivial predictions of a masked piece.
enum class PieceBaseline {
  kByFrequency,      ///< the frequency of tokens, equal for every position
  kByLeftNeighbour,  ///< how often pieces follow the one to the left, whatever is masked
};
/// "most_frequent", "left_neighbour".
const char* pieceBaselineName(PieceBaseline baseline);

/// Counts of the pieces of the training lines, and of pairs of neighbours.
///
///   most_frequent    P(w) = (n(w) + 1) / (N + V)
///   left_neighbour   P(w | l) = (n(l, w) + d(l)·P(w)) / (n(l) + d(l)),
///                    d(l) distinct pieces after l
///
/// A hit is the piece with the greatest probability, the first of several. The left neighbour is
/// the true one even where it is masked for the model.
/// Source   Witten and Bell, "The zero-frequency problem" (1991), method C.
/// Memory   about 60 bytes per distinct pair of neighbours.
/// Thread   pure after construction.
class PieceBaselines {
 public:
  PieceBaselines(const data::Dataset& dataset, const data::RowSet& trainingRows,
                 const std::stop_token& stop = {});

  /// Sums over the masked pieces of a batch; `tokens` as they were before they were masked.
  [[nodiscard]] nn::LossSums measure(PieceBaseline baseline, const data::FeatureIds& tokens,
                                     const data::MaskedBatch& masks) const;

 private:
  struct After {
    std::int64_t count = 0, distinct = 0, best = 0;  ///< `best`: count of bestPiece
    std::int32_t bestPiece = -1;
  };
  [[nodiscard]] double frequency(std::int32_t piece) const;
  [[nodiscard]] double frequencyAfter(std::int32_t left, std::int32_t piece) const;

  std::vector<std::int64_t> counts_;  ///< by piece
  std::int64_t total_ = 0;
  std::int32_t mostFrequent_ = 0;
  std::unordered_map<std::uint64_t, std::int64_t> pairs_;  ///< by left piece and its neighbour
  std::vector<After> after_;                               ///< by left piece
};

/// Losses of masked pieces of texts (MaskedSums), beside those of PieceBaselines on the same masks.
class MaskedLosses final : public PartLosses {
 public:
  /// The part has rows.
  MaskedLosses(Session& session, const data::Split& split, experiment::SplitPart part);

  Result<std::optional<Measured>> measure(const std::string& prefix, std::int64_t epoch,
                                          const WorkContext& context) override;
  experiment::Baselines baselines(const WorkContext& context) override;

  /// The sums by which the losses of two models are compared: [cross entropy, hit] of the masked
  /// pieces of each line or group of lines, which is the query of as many "users". Nullopt if it
  /// was stopped.
  ///
  /// Errors   those of Session::evaluate.
  Result<std::optional<retrieval::QuerySums>> sumsOfLines(const WorkContext& context);

 private:
  /// Calls body(lines) after Session::evaluate of each line or group of lines of the part.
  template <class Body>
  Status forLines(std::int64_t epoch, const WorkContext& context, const Body& body);
  const PieceBaselines& fitted(const std::stop_token& stop);
  /// Masks lines as the session does; the first of them has number `firstLine` within the part.
  const data::MaskedBatch& masksOf(const data::FeatureIds& tokens, std::int64_t firstLine);
  [[nodiscard]] std::int64_t linesOfPair() const;

  Session& session_;
  const data::Split& split_;
  std::unique_ptr<data::BatchLoader> loader_;
  data::BatchMasker masker_;
  std::optional<PieceBaselines> baselines_;  ///< once they are needed
};

}  // namespace parapet::train
