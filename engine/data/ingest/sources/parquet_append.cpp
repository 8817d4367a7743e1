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
      PARAPET_TRY(projection_.lengths_ ? appendUnrolled(output, *column, before)
                  : output.isList      ? appendLists(output, *column, before)
                                       : appendValues(output, *column, before));
      ++column;
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
    return {};
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
    return {};
  }

  Status appendValues(const Output& output, ColumnValues& to, std::size_t) {
    return readValues(output, to);
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
      return readValues(output, to);
    }
    ColumnValues read;
    read.type = to.type;
    PARAPET_TRY(readValues(output, read));
    gather(read, sourceRows_, to);
    std::vector<std::uint8_t> marks;
    if (!read.missing.empty()) gather(read.missing, sourceRows_, marks);
    appendMarks(to.missing, before, sourceRows_.size(), marks);
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
  std::vector<std::int32_t> unrolled_;    // offsets of the lists that tell how many rows there are
  std::vector<std::int32_t> sourceRows_;  // row of the file of each row
};

Status ParquetProjection::append(const std::shared_ptr<const ParquetBatch>& batch,
                                 const std::string& path, ParquetTexts& texts,
                                 RowBlock& block) const {
  return Appender(*this, batch, path, texts).run(block);
}

}  // namespace parapet::data
