// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/split.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "engine/base/random.h"
#include "engine/base/record/problem.h"
#include "engine/data/split/split_kinds.h"

namespace parapet::data {
namespace {

using experiment::SplitKind;
using record::documentError;

/// Rows of the parts; for kBatches batches.
struct Amounts {
  std::int64_t train = 0, validation = 0, test = 0;
  [[nodiscard]] std::int64_t sum() const { return train + validation + test; }
};

Status checkAmount(const char* key, const experiment::SplitAmount& amount) {
  const double value = amount.value;
  const bool good =
      amount.isRatio ? value >= 0.0 && value <= 1.0 : value >= 0.0 && value == std::floor(value);
  if (good) return {};
  return documentError(
      fmt::format("/dataset/split/{}", key),
      fmt::format("{} of {}; a share in (0, 1], or a whole number of rows from 0, is "
                  "accepted",
                  key, value));
}

Status checkAmounts(const experiment::Split& spec) {
  PARAPET_TRY(checkAmount("train", spec.train));
  PARAPET_TRY(checkAmount("validation", spec.validation));
  return checkAmount("test", spec.test);
}

// What rounding down has left over goes to the last part, if ratios make up the whole.
Result<Amounts> amountsOf(const experiment::Split& spec, std::int64_t whole,
                          std::string_view unit) {
  Amounts amounts{amountOf(spec.train, whole), amountOf(spec.validation, whole),
                  amountOf(spec.test, whole)};
  double ratios = 0.0;
  for (const auto* amount : {&spec.train, &spec.validation, &spec.test})
    if (amount->isRatio) ratios += amount->value;
  if (std::abs(ratios - 1.0) < 1e-9 && amounts.sum() < whole)
    (spec.test.value > 0.0         ? amounts.test
     : spec.validation.value > 0.0 ? amounts.validation
                                   : amounts.train) += whole - amounts.sum();
  if (amounts.sum() > whole)
    return documentError(
        "/dataset/split",
        fmt::format("train {} + validation {} + test {} is more than the {} {} there are",
                    spec.train.value, spec.validation.value, spec.test.value, whole, unit));
  if (amounts.train == 0)
    return documentError("/dataset/split",
                         fmt::format("train {} of {} {} is empty; at least one row is needed",
                                     spec.train.value, whole, unit));
  return amounts;
}

Split shuffleAndCut(std::int64_t rows, const Amounts& amounts, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(order, Random(seed, RandomPurpose::kSplit));
  auto next = order.cbegin();
  const auto take = [&](std::int64_t count) {
    const auto begin = next;
    next += count;
    return RowSet(std::vector<std::int64_t>(begin, next));
  };
  Split split;
  split.train = take(amounts.train);
  split.validation = take(amounts.validation);
  split.test = take(amounts.test);
  return split;
}

// Selection sampling: a row goes to a part with the probability (rows the part still lacks) / (rows
// still to come). So every partition with these counts is equally likely, and no row waits.
// Source: Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S.
Split drawRows(std::int64_t rows, Amounts lacking, std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kSplit);
  PartBits parts(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto index = static_cast<std::uint64_t>(row);
    auto drawn =
        static_cast<std::int64_t>(random.below(index, static_cast<std::uint64_t>(rows - row)));
    if (drawn < lacking.train) {
      --lacking.train;
      setRow(parts.train, row);
    } else if ((drawn -= lacking.train) < lacking.validation) {
      --lacking.validation;
      setRow(parts.validation, row);
    } else if (drawn - lacking.validation < lacking.test) {
      --lacking.test;
      setRow(parts.test, row);
    }
  }
  return std::move(parts).take();
}

RowSet rowsOfEpoch(const RowSet& all, const Shuffle& draw, const SplitSettings& settings) {
  const RowOrder order(all, {.order = experiment::BatchOrder::kEpoch,
                             .seed = draw.seed,
                             .window = settings.window,
                             .batchRows = settings.batchRows,
                             .rowRange = draw.rowRange});
  RowWindow window(order);
  RowBits words = noRowBits(all.size());
  std::vector<std::int64_t> list;
  for (std::int64_t position = 0; position < order.size(); position = window.end()) {
    window.start(1, position);
    while (!window.advance(order.size())) {
    }
    for (const std::int64_t row : window.rows(position, window.end() - position))
      if (order.isWindowed())
        setRow(words, row);
      else
        list.push_back(row);
  }
  return order.isWindowed() ? RowSet::ofBits(std::move(words)) : RowSet(std::move(list));
}

Result<Split> takeBatches(std::int64_t rows, const SplitSettings& settings, std::uint64_t seed) {
  const std::int64_t size = settings.batchRows;
  const std::int64_t batches = rows / size + (!settings.dropRemainder && rows % size != 0);
  PARAPET_ASSIGN(const Amounts amounts, amountsOf(settings.split, batches, "batches"));
  const Random random(seed, RandomPurpose::kSplit);
  std::int64_t first = 0;
  std::uint64_t part = 0;
  const auto draw = [&](std::int64_t count) {
    Shuffle drawn{random.bits64(part++), {}};
    if (count > 0) drawn.rowRange = {first * size, std::min(rows - first * size, count * size)};
    first += count;
    return drawn;
  };
  Split split;
  Split::Reshuffled drawn;
  drawn.all = RowSet::all(rows);
  drawn.train = draw(amounts.train);
  drawn.validation = draw(amounts.validation);
  drawn.test = draw(amounts.test);
  split.train = rowsOfEpoch(drawn.all, drawn.train, settings);
  split.validation = rowsOfEpoch(drawn.all, drawn.validation, settings);
  split.test = rowsOfEpoch(drawn.all, drawn.test, settings);
  split.reshuffled = std::move(drawn);
  return split;
}

// Leaves out rows of evaluation whose user or item no training row has.
void dropCold(const EventColumns& events, const experiment::Split& spec, PartBits& parts) {
  const auto drop = [&](std::span<const std::int32_t> ids, std::int64_t count) {
    std::vector<bool> known(static_cast<std::size_t>(count));
    events.forEachRow([&](std::int64_t row) {
      if (hasRow(parts.train, row))
        known[static_cast<std::size_t>(ids[static_cast<std::size_t>(row)])] = true;
    });
    known[0] = false;  // out of the vocabulary: no single user
    events.forEachRow([&](std::int64_t row) {
      if (known[static_cast<std::size_t>(ids[static_cast<std::size_t>(row)])]) return;
      clearRow(parts.validation, row);
      clearRow(parts.test, row);
    });
  };
  if (spec.coldUsers == experiment::ColdRows::kDrop)
    drop(events.userEntries, events.userEntryCount);
  if (spec.coldItems == experiment::ColdRows::kDrop)
    drop(events.itemEntries, events.itemEntryCount);
}

}  // namespace

std::int64_t amountOf(const experiment::SplitAmount& amount, std::int64_t whole) {
  const auto of = static_cast<double>(whole);
  // Clamped so that the conversion is defined.
  if (!amount.isRatio) return static_cast<std::int64_t>(std::min(amount.value, of + 1.0));
  // 0.29 · 100 is a hair below 29 in binary; the nudge rounds it down to 29 and not to 28.
  return static_cast<std::int64_t>(std::floor(amount.value * of * (1.0 + 1e-12)));
}

PartBits::PartBits(std::int64_t rows)
    : train(noRowBits(rows)), validation(noRowBits(rows)), test(noRowBits(rows)) {}

Split PartBits::take() && {
  Split split;
  split.train = RowSet::ofBits(std::move(train));
  split.validation = RowSet::ofBits(std::move(validation));
  split.test = RowSet::ofBits(std::move(test));
  return split;
}

Result<Split> makeSplit(const EventColumns& events, const SplitSettings& settings) {
  const experiment::Split& spec = settings.split;
  const std::uint64_t seed = spec.seed.value_or(settings.seed);
  PARAPET_TRY(checkAmounts(spec));
  if (spec.kind == SplitKind::kBatches) return takeBatches(events.rows, settings, seed);
  if (spec.kind == SplitKind::kRandom) {
    PARAPET_ASSIGN(const Amounts amounts, amountsOf(spec, events.rows, "rows"));
    return events.rows <= settings.window ? shuffleAndCut(events.rows, amounts, seed)
                                          : drawRows(events.rows, amounts, seed);
  }
  if (!events.hasPairs() && (spec.kind != SplitKind::kFiles && spec.kind != SplitKind::kColumn))
    return documentError(
        "/dataset/split/kind",
        "the data set has neither users nor times to split by; \"files\", \"random\" "
        "or \"batches\" is accepted");
  const bool asGiven = spec.kind == SplitKind::kColumn || spec.kind == SplitKind::kFiles;
  if (asGiven && events.parts.empty())
    return documentError("/dataset/split/kind",
                         "the data set was imported without the parts of its rows; an import with "
                         "this split has them");
  if (!asGiven && spec.kind != SplitKind::kLeaveRandom && events.times.empty())
    return documentError("/dataset/split/kind",
                         "the data set has no times; give a column the role \"time\", or use "
                         "\"random\", \"leave_random\" or \"batches\"");
  PartBits parts = asGiven                                ? partsAsGiven(events)
                   : spec.kind == SplitKind::kLeaveLast   ? leaveLast(events, spec)
                   : spec.kind == SplitKind::kLeaveRandom ? leaveRandom(events, spec, seed)
                                                          : cutByTime(events, spec);
  if (asGiven) PARAPET_TRY(requireGivenParts(parts, spec));
  if (events.hasPairs()) dropCold(events, spec, parts);
  Split split = std::move(parts).take();
  if (split.train.empty())
    return documentError("/dataset/split",
                         fmt::format("no training row is left of {} rows; make validation, test or "
                                     "the gaps smaller",
                                     events.rows));
  return split;
}

Result<Split> makeSplit(const Dataset& dataset, const experiment::Experiment& experiment,
                        std::int64_t batchRows, std::stop_token stop) {
  const experiment::Dataset& document = experiment.dataset;
  return makeSplit(EventColumns(dataset, std::move(stop)),
                   {.split = document.split,
                    .seed = experiment.training.seed,
                    .window = document.batch.window,
                    .batchRows = batchRows,
                    .dropRemainder = document.batch.dropRemainder});
}

}  // namespace parapet::data
