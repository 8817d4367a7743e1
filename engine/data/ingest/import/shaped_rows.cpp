// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/shaped_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {
namespace {

constexpr std::size_t kMaxIdBytes = 512;

// The elements of `values` whose row is kept; a plain copy if all are.
template <class From, class To, class Map>
void takeKept(const std::vector<From>& values, const std::vector<std::uint8_t>& keep, bool all,
              std::vector<To>& taken, const Map& map) {
  taken.resize(values.size());
  std::size_t count = 0;
  if (all) {
    for (const From& value : values) taken[count++] = map(value);
    return;
  }
  for (std::size_t row = 0; row < values.size(); ++row) {
    taken[count] = map(values[row]);
    count += keep[row];
  }
  taken.resize(count);
}

bool allInside(const std::vector<std::int64_t>& values, std::int64_t first, std::int64_t last) {
  bool inside = true;
  for (const std::int64_t value : values) inside &= value >= first && value <= last;
  return inside;
}

// Rejects rows for one reason, in ascending order. Quarantine shows the first lines of all reasons
// together, which are among the first of each reason, so later ones get no text: an excerpt is
// found by a look at all lines before it.
class Rejection {
 public:
  /// `pointer`: the setting of the column at fault.
  Rejection(const Source& source, ShapedRows& rows, const std::string& pointer)
      : source_(source), rows_(rows), pointer_(pointer) {}

  void add(std::size_t row, std::string reason) {
    const std::int64_t line = rows_.block.lineOf(static_cast<std::int64_t>(row));
    rows_.keep[row] = 0;
    const bool isShown = count_++ < Quarantine::kKept;
    rows_.block.rejected.push_back({line, isShown ? std::move(reason) : std::string(),
                                    isShown ? source_.excerpt(rows_.piece, line) : std::string(),
                                    pointer_});
  }

 private:
  const Source& source_;
  ShapedRows& rows_;
  const std::string& pointer_;
  std::size_t count_ = 0;
};

// Derived columns have whole numbers; those that ask for numbers find both.
void addNumbers(ColumnValues& values) {
  if (values.type == ValueType::kInteger)
    values.numbers.assign(values.integers.begin(), values.integers.end());
}

// Calls visit(row, i) for value i of each row that is kept, as long as it is kept.
template <class Visit>
void forEachKeptId(const ShapedRows& rows, const ColumnValues& values, const Visit& visit) {
  const auto count = static_cast<std::size_t>(rows.block.rows);
  for (std::size_t row = 0; row < count; ++row) {
    const auto [begin, end] = values.isList() ? std::pair<std::size_t, std::size_t>(
                                                    values.offsets[row], values.offsets[row + 1])
                                              : std::pair(row, row + 1);
    for (std::size_t i = begin; i < end && rows.keep[row] && !values.isMissing(row); ++i)
      visit(row, i);
  }
}

constexpr auto kSame = [](const auto& value) { return value; };

using experiment::SplitPart;

// Why no line of a file is a row.
std::string reasonOfNoRow(const experiment::Dataset& spec, const Manifest& manifest,
                          const CorpusFile& file) {
  const auto counted = std::ranges::find(manifest.sources, file.name, &Manifest::Source::file);
  if (counted != manifest.sources.end() && counted->good > 0)
    return fmt::format("has {} lines of text, and {}", formatCount(counted->good),
                       manifest.filteredOut > 0 ? "min_bytes or the filter leaves out all of them"
                                                : "all of them train");
  if (spec.slice) return fmt::format("has no line of text in the slice {}", *spec.slice);
  return "has no line of text";
}

}  // namespace

// Ids of one column: present where they must be, and inside the vocabulary's range.
void RowShaper::checkIds(const PlannedColumn& column, ShapedRows& rows) const {
  const ColumnValues& values = rows.block.columns[column.values];
  const PlannedVocabulary& vocabulary = plan_.vocabularies[column.vocabulary];
  const std::string& name = column.spec.name;
  const bool isRequired = column.isRequired() || vocabulary.spec.oov == experiment::OovKind::kError;
  if (!values.missing.empty() && isRequired) {
    Rejection missing(source_, rows, column.pointer);
    for (std::size_t row = 0; row < values.missing.size(); ++row)
      if (values.missing[row] && rows.keep[row])
        missing.add(row, fmt::format("{} id \"\"; an id is accepted", name));
  }
  if (column.weights) checkBagWeights(column, rows);
  if (values.type == ValueType::kText) return checkTextIds(column, rows);
  const IdRange& range = vocabulary.range;
  if (allInside(values.integers, range.first, range.last)) return;
  Rejection unfit(source_, rows, column.pointer);
  forEachKeptId(rows, values, [&](std::size_t row, std::size_t i) {
    const std::int64_t id = values.integers[i];
    if (range.holds(id)) return;
    if (range.unfit == UnfitIds::kRejectLine) return unfit.add(row, range.reasonAgainst(name, id));
    const std::int64_t line = rows.block.lineOf(static_cast<std::int64_t>(row));
    if (!rows.unfit || line < rows.unfit->line)
      rows.unfit = {line, column.vocabulary, range.reasonAgainst(name, id),
                    source_.excerpt(rows.piece, line)};
  });
}

void RowShaper::checkTextIds(const PlannedColumn& column, ShapedRows& rows) const {
  const ColumnValues& values = rows.block.columns[column.values];
  Rejection tooLong(source_, rows, column.pointer);
  forEachKeptId(rows, values, [&](std::size_t row, std::size_t i) {
    if (values.texts[i].size() > kMaxIdBytes)
      tooLong.add(row, fmt::format("{} id of {} bytes; at most {} are accepted", column.spec.name,
                                   values.texts[i].size(), kMaxIdBytes));
  });
}

// The weights of a bag's ids.
void RowShaper::checkBagWeights(const PlannedColumn& column, ShapedRows& rows) const {
  const ColumnValues& weights = rows.block.columns[*column.weights];
  const auto isGood = [](double weight) {
    return weight >= 0.0 && weight <= std::numeric_limits<float>::max();
  };
  if (std::ranges::all_of(weights.numbers, isGood)) return;
  const std::string pointer = column.pointer + "/weights";
  Rejection wrong(source_, rows, pointer);
  for (std::size_t row = 0; row + 1 < weights.offsets.size(); ++row)
    for (auto i = static_cast<std::size_t>(weights.offsets[row]);
         i < static_cast<std::size_t>(weights.offsets[row + 1]) && rows.keep[row]; ++i)
      if (!isGood(weights.numbers[i]))
        wrong.add(row, fmt::format("weight {} of {}; finite numbers from 0 are accepted",
                                   weights.numbers[i], column.spec.name));
}

// A label, a weight or a number.
void RowShaper::checkNumbers(const PlannedNumber& column, const NumberRules& rules,
                             ShapedRows& rows) const {
  const ColumnValues& values = rows.block.columns[column.values];
  const bool needsAll = column.missing == experiment::MissingNumbers::kReject;
  bool good = values.missing.empty();
  for (const double value : values.numbers) good &= rules.accept(value);
  if (good) return;
  Rejection wrong(source_, rows, column.pointer);
  for (std::size_t row = 0; row < values.numbers.size(); ++row) {
    if (!rows.keep[row]) continue;
    // Writers without empty cells store NaN instead; a text that is no number is infinite.
    const bool isEmpty = values.isMissing(row) && !std::isinf(values.numbers[row]);
    if ((isEmpty || std::isnan(values.numbers[row])) && !needsAll) continue;
    if (values.isMissing(row))
      wrong.add(row, fmt::format("{} is missing or no number; a number is accepted", column.name));
    else if (!rules.accept(values.numbers[row]))
      wrong.add(row, rules.reasonAgainst(column.name, values.numbers[row]));
  }
}

void RowShaper::checkRows(ShapedRows& rows) const {
  for (const PlannedColumn& column : plan_.ids) checkIds(column, rows);
  for (const PlannedNumber& number : plan_.denseColumns) checkNumbers(number, {}, rows);
  if (plan_.label)
    checkNumbers({plan_.labelName, "/dataset/label/column", *plan_.label},
                 {.scale = plan_.scale, .isWeight = false}, rows);
  if (plan_.weight)
    checkNumbers({plan_.weightName, "/dataset/weight", *plan_.weight},
                 {.scale = {}, .isWeight = true}, rows);
  if (plan_.time) checkTimes(rows);
}

void RowShaper::checkTimes(ShapedRows& rows) const {
  constexpr std::int64_t kMaxSeconds = std::int64_t{1} << 53;  // sums of times stay in range
  const ColumnValues& times = rows.block.columns[*plan_.time];
  Rejection missing(source_, rows, plan_.timePointer);
  for (std::size_t row = 0; row < times.missing.size(); ++row)
    if (times.missing[row] && rows.keep[row])
      missing.add(row, plan_.timeIsRead ? "time is missing or cannot be read as dataset.times says"
                                        : "time is missing; whole seconds since 1970 are accepted");
  if (allInside(times.integers, -kMaxSeconds, kMaxSeconds)) return;
  Rejection outside(source_, rows, plan_.timePointer);
  for (std::size_t row = 0; row < times.integers.size(); ++row)
    if (rows.keep[row] && (times.integers[row] < -kMaxSeconds || times.integers[row] > kMaxSeconds))
      outside.add(row, fmt::format("time {}; seconds since 1970 up to 2^53 are accepted",
                                   times.integers[row]));
}

// Removes rows outside [first, last), and rejected lines that do not lie between the rows that
// stay.
void RowShaper::keepInside(ShapedRows& rows, std::int64_t first, std::int64_t last) {
  RowBlock& block = rows.block;
  first = std::clamp<std::int64_t>(first, 0, block.rows);
  last = std::clamp<std::int64_t>(last, first, block.rows);
  for (std::int64_t row = 0; row < block.rows; ++row)
    if (row < first || row >= last) rows.keep[static_cast<std::size_t>(row)] = 0;
  if (first == last) return block.rejected.clear();
  const std::int64_t from = first == 0 ? 0 : block.lineOf(first - 1);
  const std::int64_t to = last == block.rows ? block.lines : block.lineOf(last - 1);
  std::erase_if(block.rejected,
                [&](const RejectedRow& bad) { return bad.line < from || bad.line > to; });
}

void RowShaper::takeIds(const PlannedColumn& column, ShapedRows& rows, ShapedRows::Ids& ids) const {
  const ColumnValues& values = rows.block.columns[column.values];
  const auto count = static_cast<std::size_t>(rows.block.rows);
  const bool all = rows.rows == rows.block.rows;
  if (!column.isBag) {
    takeKept(values.integers, rows.keep, all, ids.integers, kSame);
    takeKept(values.texts, rows.keep, all, ids.texts, kSame);
    takeKept(values.missing, rows.keep, all, ids.missing, kSame);
  } else {
    ids.integers.clear();
    ids.texts.clear();
    ids.weights.clear();
    ids.offsets.assign(1, 0);
    const ColumnValues* weights = column.weights ? &rows.block.columns[*column.weights] : nullptr;
    for (std::size_t row = 0; row < count; ++row) {
      if (!rows.keep[row]) continue;
      const auto begin = static_cast<std::size_t>(values.offsets[row]);
      const auto end = static_cast<std::size_t>(values.offsets[row + 1]);
      for (std::size_t i = begin; i < end; ++i) {
        if (values.type == ValueType::kText)
          ids.texts.push_back(values.texts[i]);
        else
          ids.integers.push_back(values.integers[i]);
        if (weights) ids.weights.push_back(static_cast<float>(weights->numbers[i]));
      }
      ids.offsets.push_back(static_cast<std::int32_t>(
          values.type == ValueType::kText ? ids.texts.size() : ids.integers.size()));
    }
  }
  ids.hashes.resize(ids.texts.size());
  std::ranges::transform(ids.texts, ids.hashes.begin(), hash64);
}

void RowShaper::takeNumbers(ShapedRows& rows) const {
  const bool all = rows.rows == rows.block.rows;
  constexpr auto kSingle = [](double value) { return static_cast<float>(value); };
  rows.dense.resize(plan_.denseColumns.size());
  for (std::size_t i = 0; i < plan_.denseColumns.size(); ++i) {
    ColumnValues& values = rows.block.columns[plan_.denseColumns[i].values];
    // The writer fills them in when it knows the others.
    for (std::size_t row = 0; row < values.missing.size(); ++row)
      if (values.missing[row]) values.numbers[row] = std::numeric_limits<double>::quiet_NaN();
    takeKept(values.numbers, rows.keep, all, rows.dense[i], kSingle);
  }
  if (plan_.label) {
    const double lo = plan_.scale ? (*plan_.scale)[0] : 0.0;
    const double width = plan_.scale ? (*plan_.scale)[1] - lo : 1.0;
    takeKept(rows.block.columns[*plan_.label].numbers, rows.keep, all, rows.labels,
             [&](double raw) { return static_cast<float>((raw - lo) / width); });
  } else {
    rows.labels.assign(static_cast<std::size_t>(rows.rows), 1.0f);
  }
  if (plan_.weight)
    takeKept(rows.block.columns[*plan_.weight].numbers, rows.keep, all, rows.weights, kSingle);
  if (plan_.time) {
    const ColumnValues& times = rows.block.columns[*plan_.time];
    takeKept(times.integers, rows.keep, all, rows.times, kSame);
    takeKept(times.microseconds, rows.keep, all, rows.microseconds, kSame);
    if (std::ranges::all_of(rows.microseconds, [](std::int32_t part) { return part == 0; }))
      rows.microseconds.clear();
  }
}

// Assigns each row its part of the split: that of its file, or as a column says.
void RowShaper::takeParts(ShapedRows& rows) const {
  rows.parts.clear();
  rows.wrongPart.reset();
  if (!plan_.hasParts) return;
  if (!plan_.part) {
    if (!rows.piece.part) throw InternalError("[RowShaper] a file without a part of the split");
    rows.parts.assign(static_cast<std::size_t>(rows.rows),
                      static_cast<std::uint8_t>(*rows.piece.part));
    return;
  }
  const ColumnValues& cells = rows.block.columns[*plan_.part];
  for (std::size_t row = 0; row < rows.keep.size(); ++row) {
    if (!rows.keep[row]) continue;
    const std::string_view text = cells.isMissing(row) ? std::string_view() : cells.texts[row];
    const auto part = experiment::splitPartFromName(trim(text));
    if (part && *part != experiment::SplitPart::kUnused) {
      rows.parts.push_back(static_cast<std::uint8_t>(*part));
      continue;
    }
    const std::int64_t line = rows.block.lineOf(static_cast<std::int64_t>(row));
    rows.wrongPart = {line, printable(text), source_.excerpt(rows.piece, line)};
    return;
  }
}

Status RowShaper::shape(ShapedRows& rows, std::int64_t first, std::int64_t last) const {
  PARAPET_TRY(source_.parse(rows.piece, rows.block));
  plan_.derived.append(rows.block);
  for (const auto& columnIndex : {plan_.label, plan_.weight})
    if (columnIndex) addNumbers(rows.block.columns[*columnIndex]);
  for (const PlannedNumber& number : plan_.denseColumns)
    addNumbers(rows.block.columns[number.values]);
  const std::int64_t count = rows.block.rows;
  if (plan_.filter)
    plan_.filter->select(rows.block, rows.keep);
  else
    rows.keep.assign(static_cast<std::size_t>(count), 1);
  if (first > 0 || last < count) keepInside(rows, first, last);
  const auto kept = [&] { return std::ranges::count(rows.keep, std::uint8_t{1}); };
  const std::int64_t inside =
      std::max<std::int64_t>(std::min(last, count) - std::max<std::int64_t>(first, 0), 0);
  rows.filteredOut = plan_.filter ? inside - kept() : 0;
  rows.unfit.reset();
  checkRows(rows);
  std::ranges::stable_sort(rows.block.rejected, {}, &RejectedRow::line);
  rows.rows = kept();
  rows.ids.resize(plan_.ids.size());
  for (std::size_t i = 0; i < plan_.ids.size(); ++i) takeIds(plan_.ids[i], rows, rows.ids[i]);
  takeNumbers(rows);
  takeParts(rows);
  return {};
}

std::string truncationWarning(std::int64_t sequences, const experiment::Dataset& spec) {
  return fmt::format("{} sequences were truncated to {} tokens", formatCount(sequences),
                     spec.text->maxLength);
}

void TextRows::add(const ShapedRows& rows) {
  for (const std::uint8_t part : rows.parts) ++rowsOf_[part];
  for (std::size_t row = 0; row < rows.block.truncated.size(); ++row)
    truncated_ += rows.keep[row] & rows.block.truncated[row];
}

Status TextRows::check(const experiment::Dataset& spec, Manifest& manifest) const {
  if (!spec.isText()) return {};
  if (truncated_ > 0) manifest.warnings.push_back(truncationWarning(truncated_, spec));
  if (spec.split.kind != experiment::SplitKind::kFiles) return {};
  const auto rowsOf = [this](SplitPart part) { return rowsOf_[static_cast<std::size_t>(part)]; };
  if (rowsOf(SplitPart::kTrain) > 0 && rowsOf(SplitPart::kValidation) > 0) return {};
  PARAPET_ASSIGN(const CorpusFiles corpus, findCorpus(spec));
  for (const CorpusFile& file : corpus.files) {
    const bool trains = file.part == SplitPart::kTrain || file.trainingLines > 0;
    if (trains && rowsOf(SplitPart::kTrain) == 0)
      return Error{ErrorCode::kData,
                   fmt::format("{} {}; at least one row is needed for training", file.path,
                               reasonOfNoRow(spec, manifest, file)),
                   spec.slice             ? "/dataset/slice"
                   : spec.split.trainFile ? "/dataset/split/train"
                                          : "/dataset/path",
                   file.path};
    if (file.part == SplitPart::kValidation && rowsOf(SplitPart::kValidation) == 0)
      manifest.warnings.push_back(
          fmt::format("there is no validation row, so no loss of validation is measured: {} {}",
                      file.name, reasonOfNoRow(spec, manifest, file)));
  }
  return {};
}

}  // namespace parapet::data
