// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "engine/base/random.h"
#include "engine/base/record/problem.h"
#include "engine/data/dataset/row_set.h"
#include "engine/experiment/document.h"

namespace parapet::data {
namespace {

using record::documentError;

/// The parts while they are cut: one bit per row each. No row is in two.
class PartBits {
 public:
  explicit PartBits(std::int64_t rows)
      : train(noRowBits(rows)), validation(noRowBits(rows)), test(noRowBits(rows)) {}
  [[nodiscard]] Split take() && {
    Split split;
    split.train = RowSet::ofBits(std::move(train));
    split.validation = RowSet::ofBits(std::move(validation));
    split.test = RowSet::ofBits(std::move(test));
    return split;
  }

  RowBits train, validation, test;
};

/// Rows (or batches) that an amount stands for, of `whole`.
std::int64_t amountOf(const experiment::SplitAmount& amount, std::int64_t whole) {
  const auto of = static_cast<double>(whole);
  // Clamped so that the conversion is defined.
  if (!amount.isRatio) return static_cast<std::int64_t>(std::min(amount.value, of + 1.0));
  // 0.29 · 100 is a hair below 29 in binary; the nudge rounds it down to 29 and not to 28.
  return static_cast<std::int64_t>(std::floor(amount.value * of * (1.0 + 1e-12)));
}

bool hasRows(const RowBits& bits) {
  return std::ranges::any_of(bits, [](std::uint64_t word) { return word != 0; });
}

using Moment = std::int64_t;  // as EventColumns::tickOf

/// Borders of the parts; all intervals are half open.
struct Borders {
  Moment trainEnd, validationBegin, validationEnd, testBegin, testEnd;
};

struct Range {
  Moment first, last;  ///< of all rows
};

Range rangeOf(const EventColumns& events) {
  Range range{std::numeric_limits<Moment>::max(), std::numeric_limits<Moment>::min()};
  events.forEachRow([&](std::int64_t row) {
    const Moment time = events.tickOf(row);
    range.first = std::min(range.first, time);
    range.last = std::max(range.last, time);
  });
  return range;
}

// The latest moment m such that at least `wanted` rows have m ≤ time < end: the interval that holds
// it is cut into buckets, whose rows are counted, and narrowed to one bucket until that is a
// second. If there are too few rows, the first moment.
Moment beginOf(const EventColumns& events, Moment first, Moment end, std::int64_t wanted) {
  constexpr std::uint64_t kBuckets = 1 << 16;
  std::vector<std::int64_t> counts(kBuckets);
  Moment low = first, high = end;
  while (high > low) {
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t width = (span - 1) / kBuckets + 1;
    std::fill(counts.begin(), counts.end(), 0);
    events.forEachRow([&](std::int64_t row) {
      const Moment time = events.tickOf(row);
      if (time >= low && time < high)
        ++counts[(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(low)) / width];
    });
    auto bucket = static_cast<std::int64_t>((span - 1) / width);
    while (bucket >= 0 && counts[static_cast<std::size_t>(bucket)] < wanted)
      wanted -= counts[static_cast<std::size_t>(bucket--)];
    if (bucket < 0) return low;
    low += bucket * static_cast<Moment>(width);
    if (width == 1) return low;
    high = std::min(high, low + static_cast<Moment>(width));
  }
  return low;
}

std::int64_t rowsBefore(const EventColumns& events, Moment end) {
  std::int64_t count = 0;
  events.forEachRow([&](std::int64_t row) { count += events.tickOf(row) < end; });
  return count;
}

/// The unit of the lengths of parts.
enum class Length { kSeconds, kRows };

// A part that ends at `end`: its begin, by seconds or by the rows it should have. A part without
// length begins where it ends.
Moment partBegin(const EventColumns& events, const Range& range, Moment end,
                 const std::optional<std::int64_t>& seconds, std::int64_t rows, Length length) {
  if (length == Length::kSeconds) return end - events.ticks(seconds.value_or(0));
  return rows > 0 ? beginOf(events, std::min(range.first, end), end, rows) : end;
}

Borders bordersOf(const EventColumns& events, const experiment::Split& spec) {
  const Range range = rangeOf(events);
  const Length length =
      spec.validationSeconds || spec.testSeconds ? Length::kSeconds : Length::kRows;
  Borders borders{};
  borders.testEnd = spec.end ? events.ticks(*spec.end) : range.last + 1;
  const Moment gap = events.ticks(spec.gapSeconds);
  const std::int64_t whole = length == Length::kSeconds ? 0 : rowsBefore(events, borders.testEnd);
  borders.testBegin = partBegin(events, range, borders.testEnd, spec.testSeconds,
                                amountOf(spec.test, whole), length);
  const bool hasTest = borders.testBegin < borders.testEnd;
  borders.validationEnd = borders.testBegin - (hasTest ? gap : 0);
  borders.validationBegin = partBegin(events, range, borders.validationEnd, spec.validationSeconds,
                                      amountOf(spec.validation, whole), length);
  const bool hasValidation = borders.validationBegin < borders.validationEnd;
  borders.trainEnd = borders.validationBegin - (hasValidation ? gap : 0);
  return borders;
}

/// A row with what its user's rows are ordered by.
template <class Key>
struct Keyed {
  Key key;
  std::int64_t row;
  bool operator<(const Keyed& other) const {
    return key != other.key ? key < other.key : row < other.row;
  }
};

// The rows of every user with the largest keys are test, those before them validation.
template <class Key, class KeyOf>
PartBits leave(const EventColumns& events, const experiment::Split& spec, const KeyOf& keyOf) {
  PartBits parts(events.rows);
  for (std::int64_t row = 0; row < events.rows; ++row) setRow(parts.train, row);
  const auto move = [&](RowBits& part, const Keyed<Key>& of) {
    clearRow(parts.train, of.row);
    setRow(part, of.row);
  };
  const UserGroups users(events.userEntries, events.userEntryCount, events.onConsumed);
  users.forEach<Keyed<Key>>(
      [&](std::int64_t row) {
        return Keyed<Key>{keyOf(row), row};
      },
      [&](std::int32_t user, std::span<Keyed<Key>> rows) {
        if (user == 0) return;  // out of the vocabulary: no single user
        const auto count = static_cast<std::int64_t>(rows.size());
        const std::int64_t tests = std::min(amountOf(spec.test, count), count - 1);
        const std::int64_t held = std::min(tests + amountOf(spec.validation, count), count - 1);
        std::nth_element(rows.begin(), rows.end() - held, rows.end());
        std::nth_element(rows.end() - held, rows.end() - tests, rows.end());
        for (auto at = rows.end() - held; at != rows.end() - tests; ++at)
          move(parts.validation, *at);
        for (auto at = rows.end() - tests; at != rows.end(); ++at) move(parts.test, *at);
      });
  return parts;
}

PartBits partsAsGiven(const EventColumns& events) {
  PartBits parts(events.rows);
  events.forEachRow([&](std::int64_t row) {
    switch (static_cast<experiment::SplitPart>(events.parts[static_cast<std::size_t>(row)])) {
      case experiment::SplitPart::kTrain:
        return setRow(parts.train, row);
      case experiment::SplitPart::kValidation:
        return setRow(parts.validation, row);
      case experiment::SplitPart::kTest:
        return setRow(parts.test, row);
      case experiment::SplitPart::kUnused:
        return;
    }
  });
  return parts;
}

/// A part that the document counts on and that has no row.
///
/// Errors   InvalidDocument at the setting that names it.
Status requireGivenParts(const PartBits& parts, const experiment::Split& spec) {
  if (spec.kind == experiment::SplitKind::kFiles) {
    if (!hasRows(parts.train))
      return documentError("/dataset/split/train",
                           "no row of the file of training rows is left; at least one is needed");
    if (spec.validationFile && !hasRows(parts.validation))
      return documentError("/dataset/split/validation",
                           "no row of the file of validation rows is left; at least one, or null, "
                           "is accepted");
    if (spec.testFile && !hasRows(parts.test))
      return documentError(
          "/dataset/split/test",
          "no row of the file of test rows is left; at least one, or null, is accepted");
    return {};
  }
  if (!hasRows(parts.train))
    return documentError("/dataset/split/column",
                         fmt::format("the part \"train\" is empty: no row has it in the column "
                                     "\"{}\"; at least one is needed",
                                     spec.column));
  if (!hasRows(parts.validation) && !hasRows(parts.test) && spec.validation.value <= 0.0)
    return documentError("/dataset/split/column",
                         fmt::format("the parts \"validation\" and \"test\" are empty: no row has "
                                     "one of them in the column \"{}\"; rows of one are needed",
                                     spec.column));
  return {};
}

// Draws validation rows from those of training, any of which is as likely, if there are none.
// Source: Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S.
void drawValidation(PartBits& parts, std::int64_t rows, const experiment::SplitAmount& amount,
                    std::uint64_t seed) {
  if (amount.value <= 0.0 || hasRows(parts.validation)) return;
  std::int64_t left = 0;
  for (const std::uint64_t word : parts.train) left += std::popcount(word);
  const Random random(seed, RandomPurpose::kSplit);
  std::int64_t lacking = amountOf(amount, left);
  for (std::int64_t row = 0; row < rows && lacking > 0; ++row) {
    if (!hasRow(parts.train, row)) continue;
    const auto drawn = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(left--)));
    if (drawn >= lacking) continue;
    --lacking;
    clearRow(parts.train, row);
    setRow(parts.validation, row);
  }
}

PartBits cutByTime(const EventColumns& events, const experiment::Split& spec) {
  const Borders borders = bordersOf(events, spec);
  PartBits parts(events.rows);
  events.forEachRow([&](std::int64_t row) {
    const Moment time = events.tickOf(row);
    if (time < borders.trainEnd)
      setRow(parts.train, row);
    else if (time >= borders.validationBegin && time < borders.validationEnd)
      setRow(parts.validation, row);
    else if (time >= borders.testBegin && time < borders.testEnd)
      setRow(parts.test, row);
  });
  return parts;
}

PartBits leaveLast(const EventColumns& events, const experiment::Split& spec) {
  const bool byTime = spec.order == experiment::EventOrder::kTime;
  return leave<std::int64_t>(events, spec,
                             [&](std::int64_t row) { return byTime ? events.tickOf(row) : row; });
}

PartBits leaveRandom(const EventColumns& events, const experiment::Split& spec,
                     std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kSplit);
  return leave<std::uint64_t>(events, spec, [&](std::int64_t row) {
    return random.bits64(static_cast<std::uint64_t>(row));
  });
}

using experiment::EventOrder;
using experiment::SplitKind;

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

// Rows that rounding down has left over go to the last part, if ratios make up the whole.
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
  const bool byData = spec.kind == SplitKind::kLeaveRandom ||
                      (spec.kind == SplitKind::kLeaveLast && spec.order == EventOrder::kData);
  if (!asGiven && !byData && events.times.empty())
    return documentError("/dataset/split/kind",
                         "the data set has no times; give a column the role \"time\", or use "
                         "leave_last with \"order\": \"data\", \"random\", \"leave_random\" or "
                         "\"batches\"");
  PartBits parts = asGiven                                ? partsAsGiven(events)
                   : spec.kind == SplitKind::kLeaveLast   ? leaveLast(events, spec)
                   : spec.kind == SplitKind::kLeaveRandom ? leaveRandom(events, spec, seed)
                                                          : cutByTime(events, spec);
  if (asGiven) PARAPET_TRY(requireGivenParts(parts, spec));
  // Files of a corpus are found by their names, and have validation lines.
  if (spec.kind == SplitKind::kColumn || (spec.kind == SplitKind::kFiles && spec.trainFile))
    drawValidation(parts, events.rows, spec.validation, seed);
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
  experiment::Split spec = document.split;
  // Rows without times whose histories go by the order of the data have no other order.
  if (dataset.times().empty() &&
      std::ranges::any_of(experiment.features, [](const experiment::Feature& feature) {
        return feature.history && feature.history->order == EventOrder::kData;
      }))
    spec.order = EventOrder::kData;
  return makeSplit(EventColumns(dataset, std::move(stop)),
                   {.split = spec,
                    .seed = experiment.training.seed,
                    .window = document.batch.window,
                    .batchRows = batchRows,
                    .dropRemainder = document.batch.dropRemainder});
}

}  // namespace parapet::data
