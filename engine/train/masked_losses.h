// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/data/split/split.h"
#include "engine/data/text/masked_batch.h"
#include "engine/experiment/split_part.h"
#include "engine/retrieval/query_sums.h"
#include "engine/train/part_losses.h"
#include "engine/train/piece_baselines.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Losses of masked pieces of texts (MaskedSums), beside those of PieceBaselines on the same masks.
class MaskedLosses final : public PartLosses {
 public:
  /// The part has rows.
  MaskedLosses(Session& session, const data::Split& split, experiment::SplitPart part);

  Result<std::optional<Measured>> measure(const std::string& prefix, std::int64_t epoch,
                                          const WorkContext& context) override;
  experiment::Baselines baselines(const WorkContext& context) override;

  /// What the losses of two models are compared by: [cross entropy, hit] of the masked pieces of
  /// each line or group of lines, which is the query of as many "users". Nullopt if it was stopped.
  ///
  /// Errors   those of Session::evaluate.
  Result<std::optional<retrieval::QuerySums>> sumsOfLines(const WorkContext& context);

 private:
  /// Calls body(lines) after Session::evaluate of each line or group of lines of the part.
  template <class Body>
  Status forLines(std::int64_t epoch, const WorkContext& context, const Body& body);
  const PieceBaselines& fitted(const std::stop_token& stop = {});
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
