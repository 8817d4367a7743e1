// SPDX-License-Identifier: Apache-2.0
// Texts of a batch. A dictionary stays one: what it holds is laid out once for all the rows.
#include <arrow/array.h>

#include <algorithm>

#include "plugins/parquet/batch.h"

namespace parapet::plugin {
namespace {

using arrow::Type;

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
