// SPDX-License-Identifier: Apache-2.0
// How a batch of a Parquet file becomes rows of a block.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/data/ingest/sources/parquet_projection.h"

namespace parapet::data {
namespace {

std::size_t countOf(const ColumnValues& values) {
  switch (values.type) {
    case ValueType::kInteger:
      return values.integers.size();
    case ValueType::kNumber:
      return values.numbers.size();
    case ValueType::kText:
      break;
  }
  return values.texts.size();
}

/// Lengthens `missing`, if it is in use or `marks` has any, to `before` + the marks.
void appendMarks(std::vector<std::uint8_t>& missing, std::size_t before, std::size_t count,
                 const std::vector<std::uint8_t>& marks) {
  if (missing.empty() && marks.empty()) return;
  missing.resize(before);
  if (marks.empty())
    missing.resize(before + count);
  else
    missing.insert(missing.end(), marks.begin(), marks.end());
}

/// Appends the values of `from` at `source`.
template <class T>
void gather(const std::vector<T>& from, std::span<const std::int32_t> source, std::vector<T>& to) {
  const std::size_t before = to.size();
  to.resize(before + source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    to[before + i] = from[static_cast<std::size_t>(source[i])];
}

void gather(const ColumnValues& from, std::span<const std::int32_t> source, ColumnValues& to) {
  gather(from.integers, from.type == ValueType::kInteger ? source : source.first(0), to.integers);
  gather(from.numbers, from.type == ValueType::kNumber ? source : source.first(0), to.numbers);
  gather(from.texts, from.type == ValueType::kText ? source : source.first(0), to.texts);
}

template <class T>
bool pushIfAny(const std::optional<T>& value, std::vector<T>& to) {
  if (value) to.push_back(*value);
  return value.has_value();
}

/// Whether bytes that are valid as a whole are so between all the offsets too.
bool cutsNoCharacter(const PsTexts& texts) {
  constexpr unsigned kMask = 0xC0, kContinuation = 0x80;
  const std::int64_t end = texts.offsets[texts.entries];
  return std::all_of(texts.offsets, texts.offsets + texts.entries, [&](std::int64_t offset) {
    return offset == end ||
           (static_cast<unsigned char>(texts.bytes[offset]) & kMask) != kContinuation;
  });
}

}  // namespace

/// Appends one batch to one block.
class ParquetProjection::Appender {
 public:
  Appender(const ParquetProjection& projection, std::shared_ptr<const ParquetBatch> batch,
           const std::string& path, ParquetTexts& texts)
      : projection_(projection),
        batch_(std::move(batch)),
        reading_(batch_->reading()),
        path_(path),
        texts_(texts) {}

  Status run(RowBlock& block) {
    const auto before = static_cast<std::size_t>(block.rows);
    std::size_t rows = batch_->rows();
    if (projection_.lengths_) {
      PARAPET_TRY(readOffsets(*projection_.lengths_, "", unrolled_));
      rows = static_cast<std::size_t>(unrolled_.back());
      for (std::size_t row = 0; row + 1 < unrolled_.size(); ++row)
        sourceRows_.insert(sourceRows_.end(),
                           static_cast<std::size_t>(unrolled_[row + 1] - unrolled_[row]),
                           static_cast<std::int32_t>(row));
    }
    auto column = block.columns.begin();
    for (const Output& output : projection_.outputs_) {
      if (!output.separator.empty()) {
        ColumnValues* const weights = output.weightSeparator.empty() ? nullptr : &*(column + 1);
        PARAPET_TRY(appendCut(output, *column, weights, before));
        column += weights ? 2 : 1;
        continue;
      }
      PARAPET_TRY(output.key             ? appendKey(output, *column, before, rows)
                  : projection_.lengths_ ? appendUnrolled(output, *column, before)
                  : output.isList        ? appendLists(output, *column, before)
                                         : appendValues(output, *column, before));
      ++column;
    }
    for (RejectedRow& row : rejected_) {
      row.line += block.rows;
      block.rejected.push_back(std::move(row));
    }
    block.rows += static_cast<std::int64_t>(rows);
    block.lines = block.rows;
    return {};
  }

 private:
  [[nodiscard]] Error failed(std::int32_t kind, const PsError& error,
                             const std::string& column) const {
    return parquetError(kind, error, path_, fmt::format("column {}", printable(column)));
  }
  [[nodiscard]] Error damaged(const Output& output, std::string_view what) const {
    return {ErrorCode::kData, fmt::format("{}, column {}: {}", path_, output.name, what), "",
            path_};
  }
  [[nodiscard]] std::size_t valuesOf(std::int32_t columnIndex) const {
    return static_cast<std::size_t>(reading_.values(batch_->get(), columnIndex));
  }

  Status readOffsets(std::int32_t columnIndex, const std::string& name,
                     std::vector<std::int32_t>& out) {
    out.resize(batch_->rows() + 1);
    PsError error{};
    const auto kind = reading_.offsets(batch_->get(), columnIndex, out.data(), &error);
    if (kind != PS_OK) return failed(kind, error, name);
    return {};
  }

  /// The values of a column, those of lists one after the other, and which of them are null.
  Status readValues(const Output& output, ColumnValues& to) {
    const std::size_t before = countOf(to), count = valuesOf(output.columnIndex);
    if (reading_.nullValues(batch_->get(), output.columnIndex, nullptr) > 0) {
      marks_.resize(count);
      reading_.nullValues(batch_->get(), output.columnIndex, marks_.data());
    } else {
      marks_.clear();
    }
    appendMarks(to.missing, before, count, marks_);
    unfit_.clear();
    if (to.type == ValueType::kText)
      return output.kind == PS_TEXT ? readTexts(output, to) : writeIntegers(output, to);
    if (output.kind == PS_TEXT) return parseNumbers(output, to);
    PsError error{};
    std::int32_t kind = PS_OK;
    if (to.type == ValueType::kInteger) {
      to.integers.resize(before + count);
      kind =
          reading_.integers(batch_->get(), output.columnIndex, to.integers.data() + before, &error);
    } else {
      to.numbers.resize(before + count);
      kind =
          reading_.numbers(batch_->get(), output.columnIndex, to.numbers.data() + before, &error);
    }
    if (kind != PS_OK) return failed(kind, error, output.name);
    if (to.type != ValueType::kInteger) return {};
    unfit_ = unfitValues(output);
    const bool isBetween = reading_.microseconds(batch_->get(), output.columnIndex, nullptr) != 0;
    if (!isBetween && to.microseconds.empty()) return {};
    to.microseconds.resize(before + count);
    if (isBetween)
      reading_.microseconds(batch_->get(), output.columnIndex, to.microseconds.data() + before);
    return {};
  }

  /// A value that int64 cannot hold.
  struct UnfitValue {
    std::size_t index;  // of the values of the column
    std::string digits;
  };

  [[nodiscard]] std::vector<UnfitValue> unfitValues(const Output& output) const {
    std::vector<UnfitValue> found;
    PsError digits{};
    const auto end = static_cast<std::int64_t>(valuesOf(output.columnIndex));
    for (std::int64_t value = 0;; ++value) {
      value = reading_.nextUnfit(batch_->get(), output.columnIndex, value, &digits);
      if (value >= end) return found;
      found.push_back({static_cast<std::size_t>(value), digits.text});
    }
  }

  /// rowsOf(i): the rows [first, last) of the batch that value i is of.
  template <class RowsOf>
  void rejectUnfit(const Output& output, const RowsOf& rowsOf) {
    for (const UnfitValue& unfit : unfit_) {
      const auto [first, last] = rowsOf(static_cast<std::int32_t>(unfit.index));
      for (std::int64_t row = first; row < last; ++row)
        rejected_.push_back(
            {row,
             fmt::format("{} {}; integers from -2^63 to 2^63 - 1 are accepted, or text",
                         printable(output.name), unfit.digits),
             unfit.digits, output.pointer});
    }
  }

  Status readTexts(const Output& output, ColumnValues& to) {
    PsTexts found{};
    reading_.texts(batch_->get(), output.columnIndex, &found);
    const auto at = [&](std::int64_t entry) {
      return std::string_view(
          found.bytes + found.offsets[entry],
          static_cast<std::size_t>(found.offsets[entry + 1] - found.offsets[entry]));
    };
    const std::string_view all(
        found.bytes + found.offsets[0],
        static_cast<std::size_t>(found.offsets[found.entries] - found.offsets[0]));
    if (!isValidUtf8(all) || !cutsNoCharacter(found))
      return damaged(output, "it holds text that is no UTF-8");
    const auto count = static_cast<std::int64_t>(valuesOf(output.columnIndex));
    if (found.codes) {
      std::vector<std::string_view> entries(static_cast<std::size_t>(found.entries));
      for (std::size_t entry = 0; entry < entries.size(); ++entry)
        entries[entry] = at(static_cast<std::int64_t>(entry));
      std::transform(found.codes, found.codes + count, std::back_inserter(to.texts),
                     [&](std::int32_t code) { return entries[static_cast<std::size_t>(code)]; });
    } else {
      for (std::int64_t value = 0; value < count; ++value) to.texts.push_back(at(value));
    }
    if (texts_.batches.empty() || texts_.batches.back() != batch_) texts_.batches.push_back(batch_);
    return {};
  }

  /// Texts as numbers. One that is empty is missing; one that is no number is, too, and infinite, so
  /// that nothing is filled in for it.
  Status parseNumbers(const Output& output, ColumnValues& to) {
    ColumnValues read;
    PARAPET_TRY(readTexts(output, read));
    to.missing.resize(to.numbers.size() + read.texts.size());
    for (const std::string_view text : read.texts) {
      const auto number = parseDouble(text);
      if (!number) to.missing[to.numbers.size()] = 1;
      constexpr double kNone = std::numeric_limits<double>::infinity();
      to.numbers.push_back(number.value_or(text.empty() ? 0.0 : kNone));
    }
    return {};
  }

  /// Integers as text.
  Status writeIntegers(const Output& output, ColumnValues& to) {
    std::vector<std::int64_t> integers(valuesOf(output.columnIndex));
    PsError error{};
    const auto kind = reading_.integers(batch_->get(), output.columnIndex, integers.data(), &error);
    if (kind != PS_OK) return failed(kind, error, output.name);
    constexpr std::size_t kMaxDigits = 20;
    std::string& bytes = texts_.made.emplace_back();
    bytes.reserve(integers.size() * kMaxDigits);  // so that what points into it stays right
    for (std::size_t value = 0; value < integers.size(); ++value) {
      const std::size_t start = bytes.size();
      const bool isNull = !marks_.empty() && marks_[value];
      if (!isNull) fmt::format_to(std::back_inserter(bytes), "{}", integers[value]);
      to.texts.emplace_back(bytes.data() + start, bytes.size() - start);
    }
    for (UnfitValue& unfit : unfitValues(output))
      to.texts[to.texts.size() - integers.size() + unfit.index] =
          texts_.made.emplace_back(std::move(unfit.digits));
    return {};
  }

  Status appendValues(const Output& output, ColumnValues& to, std::size_t) {
    PARAPET_TRY(readValues(output, to));
    rejectUnfit(output, [](std::int32_t value) { return std::pair(value, value + 1); });
    return {};
  }

  /// The value that folders give to all rows of the file.
  Status appendKey(const Output& output, ColumnValues& to, std::size_t before, std::size_t rows) {
    const std::string_view value = output.key->value ? *output.key->value : std::string_view();
    bool isMissing = !output.key->value;
    if (to.type == ValueType::kInteger) {
      to.integers.insert(to.integers.end(), rows, parseInt(value).value_or(0));
    } else if (to.type == ValueType::kNumber) {
      constexpr double kNone = std::numeric_limits<double>::infinity();  // as parseNumbers has it
      const auto number = parseDouble(value);
      to.numbers.insert(to.numbers.end(), rows, number.value_or(isMissing ? 0.0 : kNone));
      isMissing = !number;
    } else {
      to.texts.insert(to.texts.end(), rows, value);
    }
    marks_.assign(isMissing ? rows : 0, 1);
    appendMarks(to.missing, before, rows, marks_);
    return {};
  }

  /// A column of lists whose rows stay together: nulls in them are left out.
  Status appendLists(const Output& output, ColumnValues& to, std::size_t before) {
    std::vector<std::int32_t> offsets;
    PARAPET_TRY(readOffsets(output.columnIndex, output.name, offsets));
    ColumnValues read;
    read.type = to.type;
    PARAPET_TRY(readValues(output, read));
    std::vector<std::int32_t> kept;
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      for (std::int32_t value = offsets[row]; value < offsets[row + 1]; ++value)
        if (!read.isMissing(static_cast<std::size_t>(value))) kept.push_back(value);
      to.offsets.push_back(static_cast<std::int32_t>(countOf(to) + kept.size()));
    }
    gather(read, kept, to);
    rejectUnfit(output, [&](std::int32_t value) {
      const auto row = std::ranges::upper_bound(offsets, value) - offsets.begin() - 1;
      return std::pair(row, row + 1);
    });
    return markRows(output, to, before);
  }

  Status markRows(const Output& output, ColumnValues& to, std::size_t before) {
    marks_.clear();
    if (reading_.nullRows(batch_->get(), output.columnIndex, nullptr) > 0) {
      marks_.resize(batch_->rows());
      reading_.nullRows(batch_->get(), output.columnIndex, marks_.data());
    }
    appendMarks(to.missing, before, batch_->rows(), marks_);
    return {};
  }

  /// A column beside lists that belong together: a list gives its values, another its value again
  /// for each of them.
  Status appendUnrolled(const Output& output, ColumnValues& to, std::size_t before) {
    if (output.isList) {
      std::vector<std::int32_t> offsets;
      PARAPET_TRY(readOffsets(output.columnIndex, output.name, offsets));
      if (offsets != unrolled_)
        return damaged(output, "its lists differ in length from those that they belong to");
      return appendValues(output, to, before);
    }
    ColumnValues read;
    read.type = to.type;
    PARAPET_TRY(readValues(output, read));
    gather(read, sourceRows_, to);
    std::vector<std::uint8_t> marks;
    if (!read.missing.empty()) gather(read.missing, sourceRows_, marks);
    appendMarks(to.missing, before, sourceRows_.size(), marks);
    rejectUnfit(output, [&](std::int32_t value) {
      const auto row = static_cast<std::size_t>(value);
      return std::pair(unrolled_[row], unrolled_[row + 1]);
    });
    return {};
  }

  /// A text that holds several values.
  Status appendCut(const Output& output, ColumnValues& to, ColumnValues* weights,
                   std::size_t before) {
    ColumnValues read;
    read.type = ValueType::kText;
    PARAPET_TRY(readValues(output, read));
    for (std::string_view cell : read.texts) {
      const std::string_view whole = cell;
      std::size_t ids = 0, given = 0;
      while (!cell.empty()) {
        const std::size_t end = cell.find(output.separator);
        const std::string_view value = cell.substr(0, end);
        cell.remove_prefix(end == std::string_view::npos ? cell.size()
                                                         : end + output.separator.size());
        if (value.empty()) continue;
        if (!appendPart(output, value, to, weights))
          return damaged(output, fmt::format("\"{}\" where {} are wanted", printable(value),
                                             valuesName(to.type)));
        ++ids;
        if (weights) given += value.find(output.weightSeparator) != std::string_view::npos ? 1 : 0;
      }
      if (given > 0 && given < ids)
        return damaged(output, unevenWeights("the cell", whole, given, ids));
      to.offsets.push_back(static_cast<std::int32_t>(countOf(to)));
      if (weights) weights->offsets.push_back(to.offsets.back());
    }
    appendMarks(to.missing, before, read.texts.size(), marks_);
    return {};
  }

  static bool appendPart(const Output& output, std::string_view value, ColumnValues& to,
                         ColumnValues* weights) {
    if (weights) {
      const std::size_t colon = value.rfind(output.weightSeparator);
      const auto weight = colon == std::string_view::npos
                              ? std::optional(1.0)
                              : parseDouble(value.substr(colon + output.weightSeparator.size()));
      if (!weight) return false;
      weights->numbers.push_back(*weight);
      value = value.substr(0, colon);
    }
    switch (to.type) {
      case ValueType::kInteger:
        return pushIfAny(parseInt(value), to.integers);
      case ValueType::kNumber:
        return pushIfAny(parseDouble(value), to.numbers);
      case ValueType::kText:
        break;
    }
    to.texts.push_back(value);
    return true;
  }

  const ParquetProjection& projection_;
  std::shared_ptr<const ParquetBatch> batch_;
  const PsReading& reading_;
  const std::string& path_;
  ParquetTexts& texts_;
  std::vector<std::uint8_t> marks_;       // of the column at hand; empty: nothing is null
  std::vector<UnfitValue> unfit_;         // of the column at hand
  std::vector<RejectedRow> rejected_;     // lines are rows of the batch
  std::vector<std::int32_t> unrolled_;    // offsets of the lists that tell how many rows there are
  std::vector<std::int32_t> sourceRows_;  // row of the file of each row
};

void removeRejected(RowBlock& block) {
  if (block.rejected.empty()) return;
  std::ranges::stable_sort(block.rejected, {}, &RejectedRow::line);
  const auto repeated = std::ranges::unique(block.rejected, {}, &RejectedRow::line);
  block.rejected.erase(repeated.begin(), repeated.end());
  auto bad = block.rejected.begin();
  for (std::int32_t row = 0; row < block.rows; ++row) {
    if (bad != block.rejected.end() && bad->line == row)
      ++bad;
    else
      block.lineOfRow.push_back(row);
  }
  const std::vector<std::int32_t>& kept = block.lineOfRow;
  for (ColumnValues& column : block.columns) {
    const ColumnValues all = std::exchange(column, {});
    column.type = all.type;
    if (all.isList()) {
      std::vector<std::int32_t> values;
      column.offsets.assign(1, 0);
      for (const std::int32_t row : kept) {
        const auto at = static_cast<std::size_t>(row);
        for (std::int32_t value = all.offsets[at]; value < all.offsets[at + 1]; ++value)
          values.push_back(value);
        column.offsets.push_back(static_cast<std::int32_t>(values.size()));
      }
      gather(all, values, column);
    } else {
      gather(all, kept, column);
    }
    if (!all.missing.empty()) gather(all.missing, kept, column.missing);
    if (!all.microseconds.empty()) gather(all.microseconds, kept, column.microseconds);
  }
  block.rows = std::ssize(kept);
}

Status ParquetProjection::append(const std::shared_ptr<const ParquetBatch>& batch,
                                 const std::string& path, ParquetTexts& texts,
                                 RowBlock& block) const {
  return Appender(*this, batch, path, texts).run(block);
}

}  // namespace parapet::data
