// SPDX-License-Identifier: Apache-2.0
#include "engine/train/masked_losses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"
#include "engine/retrieval/query_sums.h"
#include "engine/train/epoch_metrics.h"
#include "engine/train/loss_tracker.h"
#include "engine/train/task.h"

namespace parapet::train {
namespace {

std::uint64_t pairOf(std::int32_t left, std::int32_t piece) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(piece);
}

using experiment::BaselineKind;

constexpr std::array kBaselines{PieceBaseline::kByFrequency, PieceBaseline::kByLeftNeighbour};

// The noise of a mean over so many pairs is known well; more of them would cost steps.
constexpr std::int64_t kMaxPairs = 64;

/// Lines [first, first + rows) of a batch.
data::FeatureIds linesOf(const data::FeatureIds& tokens, std::int64_t first, std::int64_t rows,
                         std::vector<std::int32_t>& offsets) {
  const auto from =
      tokens.offsets.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows) + 1);
  offsets.clear();
  for (const std::int32_t offset : from) offsets.push_back(offset - from.front());
  return {.ids = tokens.ids.subspan(static_cast<std::size_t>(from.front()),
                                    static_cast<std::size_t>(offsets.back())),
          .offsets = offsets};
}

}  // namespace

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

const char* pieceBaselineName(PieceBaseline baseline) {
  return baseline == PieceBaseline::kByFrequency ? "most_frequent" : "left_neighbour";
}

PieceBaselines::PieceBaselines(const data::Dataset& dataset, const data::RowSet& trainingRows,
                               const std::stop_token& stop) {
  const auto pieces =
      static_cast<std::size_t>(dataset.vocabularyOf(experiment::kTokensColumn).size());
  const std::span<const std::int32_t> ids = dataset.ids(experiment::kTokensColumn);
  const std::span<const std::int64_t> offsets = dataset.bagOffsets(experiment::kTokensColumn);
  counts_.resize(pieces);
  after_.resize(pieces);
  const auto count = [&](std::int64_t line) {
    if (stop.stop_requested()) return;
    const auto [begin, end] = data::BagRange(offsets, line);
    // Neither the piece that begins a line nor the one that ends it is ever masked.
    for (auto position = static_cast<std::size_t>(begin) + 1;
         position + 1 < static_cast<std::size_t>(end); ++position) {
      const std::int32_t piece = ids[position], left = ids[position - 1];
      ++counts_[at(piece)];
      ++total_;
      const std::int64_t together = ++pairs_[pairOf(left, piece)];
      After& after = after_[at(left)];
      ++after.count;
      if (together == 1) ++after.distinct;
      if (together > after.best || (together == after.best && piece < after.bestPiece)) {
        after.best = together;
        after.bestPiece = piece;
      }
    }
  };
  trainingRows.forEach(count);
  mostFrequent_ = static_cast<std::int32_t>(std::ranges::max_element(counts_) - counts_.begin());
}

double PieceBaselines::frequency(std::int32_t piece) const {
  return static_cast<double>(counts_[at(piece)] + 1) /
         static_cast<double>(total_ + std::ssize(counts_));
}

double PieceBaselines::frequencyAfter(std::int32_t left, std::int32_t piece) const {
  const After& after = after_[at(left)];
  if (after.count == 0) return frequency(piece);
  const auto found = pairs_.find(pairOf(left, piece));
  const auto together = static_cast<double>(found == pairs_.end() ? 0 : found->second);
  const auto distinct = static_cast<double>(after.distinct);
  return (together + distinct * frequency(piece)) / (static_cast<double>(after.count) + distinct);
}

nn::LossSums PieceBaselines::measure(PieceBaseline baseline, const data::FeatureIds& tokens,
                                     const data::MaskedBatch& masks) const {
  nn::LossSums sums;
  sums.rows = static_cast<double>(masks.labels.size());
  for (std::size_t i = 0; i < masks.labels.size(); ++i) {
    const std::int32_t label = masks.labels[i];
    if (baseline == PieceBaseline::kByFrequency) {
      sums.numerator -= std::log(frequency(label));
      sums.hits += label == mostFrequent_ ? 1.0 : 0.0;
      continue;
    }
    // A masked piece is never the first of its line.
    const std::int32_t left = tokens.ids[at(masks.positions[i]) - 1];
    const std::int32_t best =
        after_[at(left)].count > 0 ? after_[at(left)].bestPiece : mostFrequent_;
    sums.numerator -= std::log(frequencyAfter(left, label));
    sums.hits += label == best ? 1.0 : 0.0;
  }
  return sums;
}

MaskedLosses::MaskedLosses(Session& session, const data::Split& split, experiment::SplitPart part)
    : session_(session),
      split_(split),
      loader_(session.loader(split, part)),
      masker_(batchMasker(session.dataset(), session.experiment(), session.batchRows())) {}

const PieceBaselines& MaskedLosses::fitted(const std::stop_token& stop) {
  if (!baselines_) baselines_.emplace(session_.dataset(), split_.train, stop);
  return *baselines_;
}

const data::MaskedBatch& MaskedLosses::masksOf(const data::FeatureIds& tokens,
                                               std::int64_t firstLine) {
  return masker_.mask(tokens, data::SequenceMasker::kHeldOutEpoch, firstLine);
}

// Lines are pairs, and in a large part groups of them: the loss of a line does not depend on those
// beside it, while a small part has too few batches to tell the noise from.
std::int64_t MaskedLosses::linesOfPair() const {
  const std::int64_t most =
      Task::of(session_.model().kind).evaluationRows(session_.model(), session_.batchRows());
  return std::clamp<std::int64_t>(loader_->rows() / kMaxPairs, 1, most);
}

template <class Body>
Status MaskedLosses::forLines(std::int64_t epoch, const WorkContext& context, const Body& body) {
  const std::int64_t most = linesOfPair();
  std::vector<std::int32_t> offsets;
  const std::int64_t pass = std::max<std::int64_t>(1, epoch);
  loader_->begin(pass);
  while (const data::Batch* batch = loader_->next(context.stop)) {
    context.report("measuring losses", batch->index, loader_->batchesPerEpoch(pass));
    for (std::int64_t first = 0; first < batch->rows; first += most) {
      data::Batch lines = *batch;
      lines.rows = std::min(most, batch->rows - first);
      lines.serial = 0;                          // no batch of the loader
      lines.firstRow = batch->firstRow + first;  // what masks are drawn by
      lines.features[0] = linesOf(batch->features[0], first, lines.rows, offsets);
      PARAPET_TRY(session_.evaluate(lines));
      body(lines);
    }
  }
  return {};
}

Result<std::optional<PartLosses::Measured>> MaskedLosses::measure(const std::string& prefix,
                                                                  std::int64_t epoch,
                                                                  const WorkContext& context) try {
  const double slots = slotsOf(session_.model());
  LossTracker tracker(session_.model());
  MaskedSums sums;
  std::array<MaskedSums, kBaselines.size()> others;
  std::array<retrieval::PairedSums, kBaselines.size()> pairs;
  PARAPET_TRY(forLines(epoch, context, [&](const data::Batch& lines) {
    const nn::LossSums& loss = session_.losses()[0];
    const double slotsOfLines = slots * static_cast<double>(lines.rows);
    tracker.add(session_.losses(), lines.rows);
    sums.add(loss, slotsOfLines);
    const data::MaskedBatch& masks = masksOf(lines.features[0], lines.firstRow);
    for (std::size_t i = 0; i < kBaselines.size(); ++i) {
      const nn::LossSums other =
          fitted(context.stop).measure(kBaselines[i], lines.features[0], masks);
      others[i].add(other, slotsOfLines);
      pairs[i].add(loss.numerator - other.numerator, loss.rows);
    }
  }));
  if (context.cancelled()) return std::optional<Measured>{};
  Measured measured;
  if (tracker.hasCounted()) measured.metrics.emplace_back(prefix + "loss", tracker.loss());
  appendMetrics(measured.metrics, prefix, sums.metrics());
  for (std::size_t i = 0; i < kBaselines.size() && sums.pieces > 0.0; ++i)
    measured.verdicts.push_back(experiment::judge(
        pieceBaselineName(kBaselines[i]), BaselineKind::kTrained, prefix + "token_loss",
        sums.loss / sums.pieces, others[i].loss / others[i].pieces, pairs[i].result()));
  return std::optional(std::move(measured));
} catch (const data::PassStopped&) {
  return std::optional<Measured>{};
}

Result<std::optional<retrieval::QuerySums>> MaskedLosses::sumsOfLines(const WorkContext& context) {
  retrieval::QuerySums sums(2, loader_->rows());
  PARAPET_TRY(forLines(1, context, [&](const data::Batch& lines) {
    const nn::LossSums& loss = session_.losses()[0];
    sums.add(static_cast<std::int32_t>(lines.firstRow), std::array{loss.numerator, loss.hits},
             std::llround(loss.rows));
  }));
  if (context.cancelled()) return std::optional<retrieval::QuerySums>{};
  return std::optional(std::move(sums));
}

experiment::Baselines MaskedLosses::baselines(const WorkContext& context) {
  const double slots = slotsOf(session_.model());
  std::array<MaskedSums, kBaselines.size()> sums;
  loader_->begin(1);
  const PieceBaselines& fitted = this->fitted(context.stop);
  while (const data::Batch* batch = loader_->next(context.stop)) {
    context.report("measuring baselines", batch->index, loader_->batchesPerEpoch(1));
    const data::FeatureIds& tokens = batch->features[0];
    const data::MaskedBatch& masks = masksOf(tokens, batch->firstRow);
    for (std::size_t i = 0; i < kBaselines.size(); ++i)
      sums[i].add(fitted.measure(kBaselines[i], tokens, masks),
                  slots * static_cast<double>(batch->rows));
  }
  experiment::Baselines found;
  for (std::size_t i = 0; i < kBaselines.size(); ++i)
    found.emplace_back(pieceBaselineName(kBaselines[i]), sums[i].metrics());
  return found;
}

}  // namespace parapet::train
