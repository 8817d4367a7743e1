// SPDX-License-Identifier: Apache-2.0
#include "engine/train/masked_losses.h"

#include <algorithm>
#include <array>

#include "engine/retrieval/paired_sums.h"
#include "engine/train/loss_tracker.h"
#include "engine/train/masked_inputs.h"
#include "engine/train/masked_metrics.h"

namespace parapet::train {
namespace {

using experiment::BaselineKind;

constexpr std::array kBaselines{PieceBaseline::kByFrequency, PieceBaseline::kByLeftNeighbour};

}  // namespace

MaskedLosses::MaskedLosses(Session& session, const data::Split& split, experiment::SplitPart part)
    : session_(session),
      split_(split),
      loader_(session.loader(split, part)),
      masker_(batchMasker(session.dataset(), session.experiment(), session.batchRows())) {}

const PieceBaselines& MaskedLosses::fitted() {
  if (!baselines_) baselines_.emplace(session_.dataset(), split_.train);
  return *baselines_;
}

const data::MaskedBatch& MaskedLosses::masksOf(const data::Batch& batch) {
  return masker_.mask(batch.features[0], data::SequenceMasker::kHeldOutEpoch,
                      batch.index * session_.batchRows());
}

Result<std::optional<PartLosses::Measured>> MaskedLosses::measure(const std::string& prefix,
                                                                  std::int64_t epoch,
                                                                  std::stop_token stop) {
  const double slots = slotsOf(session_.model());
  LossTracker tracker(session_.model());
  MaskedSums sums;
  std::array<MaskedSums, kBaselines.size()> others;
  std::array<retrieval::PairedSums, kBaselines.size()> pairs;
  loader_->begin(std::max<std::int64_t>(1, epoch));
  while (const data::Batch* batch = loader_->next(stop)) {
    PARAPET_TRY(session_.evaluate(*batch));
    const nn::LossSums& loss = session_.losses()[0];
    const double slotsOfBatch = slots * static_cast<double>(batch->rows);
    tracker.add(session_.losses(), batch->rows);
    sums.add(loss, slotsOfBatch);
    const data::FeatureIds& tokens = batch->features[0];
    const data::MaskedBatch& masks = masksOf(*batch);
    for (std::size_t i = 0; i < kBaselines.size(); ++i) {
      const nn::LossSums other = fitted().measure(kBaselines[i], tokens, masks);
      others[i].add(other, slotsOfBatch);
      pairs[i].add(loss.numerator - other.numerator, loss.rows);
    }
  }
  if (stop.stop_requested()) return std::optional<Measured>{};
  Measured measured;
  measured.metrics.emplace_back(prefix + "loss", tracker.loss());
  appendMetrics(measured.metrics, prefix, sums.metrics());
  for (std::size_t i = 0; i < kBaselines.size() && sums.pieces > 0.0; ++i)
    measured.verdicts.push_back(experiment::judge(
        pieceBaselineName(kBaselines[i]), BaselineKind::kTrained, prefix + "token_loss",
        sums.loss / sums.pieces, others[i].loss / others[i].pieces, pairs[i].result()));
  return std::optional(std::move(measured));
}

experiment::Baselines MaskedLosses::baselines() {
  const double slots = slotsOf(session_.model());
  std::array<MaskedSums, kBaselines.size()> sums;
  loader_->begin(1);
  while (const data::Batch* batch = loader_->next()) {
    const data::FeatureIds& tokens = batch->features[0];
    const data::MaskedBatch& masks = masksOf(*batch);
    for (std::size_t i = 0; i < kBaselines.size(); ++i)
      sums[i].add(fitted().measure(kBaselines[i], tokens, masks),
                  slots * static_cast<double>(batch->rows));
  }
  experiment::Baselines found;
  for (std::size_t i = 0; i < kBaselines.size(); ++i)
    found.emplace_back(pieceBaselineName(kBaselines[i]), sums[i].metrics());
  return found;
}

}  // namespace parapet::train
