// SPDX-License-Identifier: Apache-2.0
// Values of a batch. A dictionary of texts stays one: it is laid out once for all the rows.
#include "plugins/parquet/file.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/type_traits.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace {

using arrow::Type;

template <class List>
std::int64_t lengthAt(const List& list, std::int64_t row) {
  return list.IsValid(row) ? list.value_length(row) : 0;
}

template <class List>
arrow::Status sumLengths(const arrow::Array& rows, std::int32_t* out) {
  const auto& list = static_cast<const List&>(rows);
  std::int64_t end = 0;
  out[0] = 0;
  for (std::int64_t row = 0; row < list.length(); ++row) {
    end += lengthAt(list, row);
    if (end > std::numeric_limits<std::int32_t>::max())
      return arrow::Status::Invalid("the lists of ", list.length(), " rows hold too many values");
    out[row + 1] = static_cast<std::int32_t>(end);
  }
  return arrow::Status::OK();
}

/// out[i] = convert(value i), 0 for a null.
template <class Array, class Out, class Convert>
void copyEach(const arrow::Array& values, Out* out, const Convert& convert) {
  const auto& typed = static_cast<const Array&>(values);
  const std::int64_t count = typed.length();
  if (typed.null_count() == 0)
    for (std::int64_t i = 0; i < count; ++i) out[i] = convert(typed.Value(i));
  else
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = typed.IsValid(i) ? convert(typed.Value(i)) : Out{};
}

template <class Array, class Out>
arrow::Status widen(const arrow::Array& values, Out* out) {
  copyEach<Array>(values, out, [](auto value) { return static_cast<Out>(value); });
  return arrow::Status::OK();
}

constexpr std::int64_t floorDivide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

/// Calls visit(i, decimal) for each decimal that is not null, until it returns false.
template <class Visit>
void visitDecimals(const arrow::Array& values, std::int64_t from, const Visit& visit) {
  const auto visitAll = [&]<class Decimal>(Decimal) {
    const auto& typed = static_cast<const arrow::FixedSizeBinaryArray&>(values);
    for (std::int64_t i = from; i < typed.length(); ++i)
      if (typed.IsValid(i) && !visit(i, Decimal(typed.GetValue(i)))) return;
  };
  switch (values.type_id()) {
    case Type::DECIMAL32:
      return visitAll(arrow::Decimal32());
    case Type::DECIMAL64:
      return visitAll(arrow::Decimal64());
    case Type::DECIMAL128:
      return visitAll(arrow::Decimal128());
    default:
      return visitAll(arrow::Decimal256());
  }
}

/// The digits of a decimal, if int64 holds them.
template <class Decimal>
std::optional<std::int64_t> digitsOf(const Decimal& decimal) {
  if constexpr (std::is_same_v<Decimal, arrow::Decimal256>) {
    const auto words = decimal.little_endian_array();
    const auto least = static_cast<std::int64_t>(words[0]);
    const std::uint64_t sign = least < 0 ? ~std::uint64_t{0} : 0;
    if (words[1] != sign || words[2] != sign || words[3] != sign) return std::nullopt;
    return least;
  } else {
    std::int64_t digits = 0;
    if (!decimal.ToInteger(&digits).ok()) return std::nullopt;
    return digits;
  }
}

/// The number nearest to digits · 10^-scale.
double numberOf(std::int64_t digits, std::int32_t scale) {
  double power = 1.0;
  for (std::int32_t i = 0; i < scale; ++i) power *= 10.0;
  return static_cast<double>(digits) / power;
}

template <class Out>
arrow::Status copyDecimals(const arrow::Array& values, Out* out) {
  // Digits and power are exact doubles, so that the quotient is rounded once.
  constexpr std::int64_t kExactDigits = std::int64_t{1} << 53;
  constexpr std::int32_t kExactPower = 22;
  const std::int32_t scale = static_cast<const arrow::DecimalType&>(*values.type()).scale();
  std::fill_n(out, values.length(), Out{});
  visitDecimals(values, 0, [&](std::int64_t i, const auto& decimal) {
    const auto digits = digitsOf(decimal);
    if constexpr (std::is_same_v<Out, std::int64_t>)
      out[i] = digits.value_or(0);
    else if (digits && std::abs(*digits) <= kExactDigits && scale >= 0 && scale <= kExactPower)
      out[i] = numberOf(*digits, scale);
    else
      out[i] = decimal.ToDouble(scale);
    return true;
  });
  return arrow::Status::OK();
}

constexpr std::int64_t kMicro = 1'000'000;
constexpr std::int64_t kPerSecond[] = {1, 1'000, kMicro, 1'000'000'000};

arrow::TimeUnit::type unitOf(const arrow::Array& times) {
  return static_cast<const arrow::TimestampType&>(*times.type()).unit();
}

template <class Out>
arrow::Status secondsOf(const arrow::Array& values, Out* out) {
  const std::int64_t by = kPerSecond[unitOf(values)];
  copyEach<arrow::TimestampArray>(values, out, [by](std::int64_t value) {
    return static_cast<Out>(by == 1 ? value : floorDivide(value, by));
  });
  return arrow::Status::OK();
}

/// Integers, decimals, bools and times, as whatever numbers are wanted.
template <class Out>
arrow::Status copyWhole(const arrow::Array& values, Out* out) {
  switch (values.type_id()) {
    case Type::BOOL:
      return widen<arrow::BooleanArray>(values, out);
    case Type::INT8:
      return widen<arrow::Int8Array>(values, out);
    case Type::INT16:
      return widen<arrow::Int16Array>(values, out);
    case Type::INT32:
      return widen<arrow::Int32Array>(values, out);
    case Type::INT64:
      return widen<arrow::Int64Array>(values, out);
    case Type::UINT8:
      return widen<arrow::UInt8Array>(values, out);
    case Type::UINT16:
      return widen<arrow::UInt16Array>(values, out);
    case Type::UINT32:
      return widen<arrow::UInt32Array>(values, out);
    case Type::UINT64:
      copyEach<arrow::UInt64Array>(values, out, [](std::uint64_t value) {
        constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
        return static_cast<Out>(std::is_integral_v<Out> && value > kMax ? 0 : value);
      });
      return arrow::Status::OK();
    case Type::DATE32:
      copyEach<arrow::Date32Array>(values, out, [](std::int32_t days) {
        return static_cast<Out>(std::int64_t{days} * 86'400);
      });
      return arrow::Status::OK();
    case Type::DATE64:
      copyEach<arrow::Date64Array>(values, out, [](std::int64_t milliseconds) {
        return static_cast<Out>(floorDivide(milliseconds, 1'000));
      });
      return arrow::Status::OK();
    case Type::TIMESTAMP:
      return secondsOf(values, out);
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return copyDecimals(values, out);
    case Type::NA:
      std::fill_n(out, values.length(), Out{});
      return arrow::Status::OK();
    default:
      return arrow::Status::TypeError("values of type ", values.type()->ToString(),
                                      " came where integers were announced");
  }
}

}  // namespace

arrow::Status PsBatch::Column::copyOffsets(std::int32_t* out) const {
  switch (rows->type_id()) {
    case Type::LIST:
      return sumLengths<arrow::ListArray>(*rows, out);
    case Type::LARGE_LIST:
      return sumLengths<arrow::LargeListArray>(*rows, out);
    default:
      return sumLengths<arrow::FixedSizeListArray>(*rows, out);
  }
}

arrow::Status PsBatch::Column::copyIntegers(std::int64_t* out) const {
  return copyWhole(*values, out);
}

arrow::Status PsBatch::Column::copyNumbers(double* out) const {
  switch (values->type_id()) {
    case Type::FLOAT:
      return widen<arrow::FloatArray>(*values, out);
    case Type::DOUBLE:
      return widen<arrow::DoubleArray>(*values, out);
    case Type::HALF_FLOAT:
      copyEach<arrow::HalfFloatArray>(*values, out, [](std::uint16_t bits) {
        return static_cast<double>(arrow::util::Float16::FromBits(bits).ToFloat());
      });
      return arrow::Status::OK();
    default:
      return copyWhole(*values, out);
  }
}

std::int64_t PsBatch::Column::nextUnfit(std::int64_t from, std::string& digits) const {
  std::int64_t found = values->length();
  if (values->type_id() == Type::UINT64) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    const auto& typed = static_cast<const arrow::UInt64Array&>(*values);
    for (std::int64_t i = from; i < found; ++i)
      if (typed.Value(i) > kMax && typed.IsValid(i)) {
        digits = std::to_string(typed.Value(i));
        return i;
      }
  } else if (arrow::is_decimal(values->type_id())) {
    visitDecimals(*values, from, [&](std::int64_t i, const auto& decimal) {
      if (digitsOf(decimal)) return true;
      digits = decimal.ToIntegerString();
      found = i;
      return false;
    });
  }
  return found;
}

bool PsBatch::Column::copyMicroseconds(std::int32_t* out) const {
  if (values->type_id() != Type::TIMESTAMP) return false;
  const std::int64_t by = kPerSecond[unitOf(*values)];
  const auto& times = static_cast<const arrow::TimestampArray&>(*values);
  const auto microsecondsAt = [&](std::int64_t i) {
    if (by == 1 || times.IsNull(i)) return 0;
    const std::int64_t parts = times.Value(i) - floorDivide(times.Value(i), by) * by;
    return static_cast<std::int32_t>(by > kMicro ? parts / (by / kMicro) : parts * (kMicro / by));
  };
  bool any = false;
  for (std::int64_t i = 0; i < times.length() && !any; ++i) any = microsecondsAt(i) != 0;
  if (any && out)
    for (std::int64_t i = 0; i < times.length(); ++i) out[i] = microsecondsAt(i);
  return any;
}

arrow::Status PsBatch::take(std::shared_ptr<arrow::Array> rows, std::int32_t kind, Column& column) {
  column.rows = std::move(rows);
  if (!column.isList) {
    column.values = column.rows;
  } else {
    switch (column.rows->type_id()) {
      case Type::LIST: {
        const auto& list = static_cast<const arrow::ListArray&>(*column.rows);
        ARROW_ASSIGN_OR_RAISE(column.values, list.Flatten());
        break;
      }
      case Type::LARGE_LIST: {
        const auto& list = static_cast<const arrow::LargeListArray&>(*column.rows);
        ARROW_ASSIGN_OR_RAISE(column.values, list.Flatten());
        break;
      }
      case Type::FIXED_SIZE_LIST: {
        const auto& list = static_cast<const arrow::FixedSizeListArray&>(*column.rows);
        ARROW_ASSIGN_OR_RAISE(column.values, list.Flatten());
        break;
      }
      default:
        return arrow::Status::TypeError("values of type ", column.rows->type()->ToString(),
                                        " came where lists were announced");
    }
  }
  if (column.values->type_id() == Type::EXTENSION)
    column.values = static_cast<const arrow::ExtensionArray&>(*column.values).storage();
  return kind == PS_TEXT ? parapet::plugin::layOutTexts(column) : arrow::Status::OK();
}

std::int64_t parapet::plugin::markNulls(const arrow::Array& array, std::uint8_t* out) {
  const std::int64_t nulls = array.null_count();
  if (!out) return nulls;
  for (std::int64_t i = 0; i < array.length(); ++i) out[i] = array.IsNull(i);
  return nulls;
}

namespace parapet::plugin {
namespace {

/// Offsets and bytes of an array that has them contiguously.
template <class Array>
arrow::Status layOutContiguous(const arrow::Array& array, PsBatch::Column& column) {
  const auto& texts = static_cast<const Array&>(array);
  column.offsets.resize(static_cast<std::size_t>(texts.length()) + 1);
  for (std::int64_t i = 0; i <= texts.length(); ++i)
    column.offsets[static_cast<std::size_t>(i)] = texts.value_offset(i);
  column.texts.bytes = texts.value_data() ? reinterpret_cast<const char*>(texts.raw_data()) : "";
  return arrow::Status::OK();
}

/// Offsets and bytes of an array of views, which keeps them in several buffers.
arrow::Status layOutViews(const arrow::Array& array, PsBatch::Column& column) {
  const auto& texts = static_cast<const arrow::BinaryViewArray&>(array);
  column.offsets.assign(1, 0);
  for (std::int64_t i = 0; i < texts.length(); ++i) {
    if (texts.IsValid(i)) column.bytes.append(texts.GetView(i));
    column.offsets.push_back(static_cast<std::int64_t>(column.bytes.size()));
  }
  column.texts.bytes = column.bytes.data();
  return arrow::Status::OK();
}

/// 16 bytes each, as 01234567-89ab-cdef-0123-456789abcdef.
arrow::Status layOutUuids(const arrow::Array& array, PsBatch::Column& column) {
  const auto& ids = static_cast<const arrow::FixedSizeBinaryArray&>(array);
  constexpr char kDigits[] = "0123456789abcdef";
  column.offsets.assign(1, 0);
  for (std::int64_t i = 0; i < ids.length(); ++i) {
    for (int byte = 0; ids.IsValid(i) && byte < ids.byte_width(); ++byte) {
      if (byte == 4 || byte == 6 || byte == 8 || byte == 10) column.bytes += '-';
      column.bytes += kDigits[ids.GetValue(i)[byte] >> 4];
      column.bytes += kDigits[ids.GetValue(i)[byte] & 15];
    }
    column.offsets.push_back(static_cast<std::int64_t>(column.bytes.size()));
  }
  column.texts.bytes = column.bytes.data();
  return arrow::Status::OK();
}

arrow::Status layOutEntries(const arrow::Array& array, PsBatch::Column& column) {
  switch (array.type_id()) {
    case Type::STRING:
    case Type::BINARY:
      return layOutContiguous<arrow::BinaryArray>(array, column);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return layOutContiguous<arrow::LargeBinaryArray>(array, column);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW:
      return layOutViews(array, column);
    case Type::FIXED_SIZE_BINARY:
      return layOutUuids(array, column);
    default:
      return arrow::Status::TypeError("values of type ", array.type()->ToString(),
                                      " came where texts were announced");
  }
}

/// Codes into the dictionary, checked; a null has that of an empty entry behind the others.
arrow::Status layOutCodes(const arrow::DictionaryArray& array, PsBatch::Column& column) {
  if (array.indices()->type_id() != Type::INT32)
    return arrow::Status::NotImplemented("codes of type ", array.indices()->type()->ToString());
  const auto& codes = static_cast<const arrow::Int32Array&>(*array.indices());
  const auto entries = static_cast<std::int32_t>(column.offsets.size()) - 1;
  column.offsets.push_back(column.offsets.back());
  column.codes.resize(static_cast<std::size_t>(codes.length()));
  bool inside = true;
  for (std::int64_t i = 0; i < codes.length(); ++i) {
    const std::int32_t code = codes.IsValid(i) ? codes.Value(i) : entries;
    inside = inside && code >= 0 && code <= entries;
    column.codes[static_cast<std::size_t>(i)] = code;
  }
  column.texts.codes = column.codes.data();
  return inside ? arrow::Status::OK()
                : arrow::Status::Invalid("a code points outside of its dictionary");
}

}  // namespace

arrow::Status layOutTexts(PsBatch::Column& column) {
  const arrow::Array& values = *column.values;
  if (values.type_id() == Type::DICTIONARY) {
    const auto& coded = static_cast<const arrow::DictionaryArray&>(values);
    ARROW_RETURN_NOT_OK(layOutEntries(*coded.dictionary(), column));
    ARROW_RETURN_NOT_OK(layOutCodes(coded, column));
  } else {
    ARROW_RETURN_NOT_OK(layOutEntries(values, column));
  }
  column.texts.offsets = column.offsets.data();
  column.texts.entries = static_cast<std::int64_t>(column.offsets.size()) - 1;
  return arrow::Status::OK();
}

}  // namespace parapet::plugin
