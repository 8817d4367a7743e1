// SPDX-License-Identifier: Apache-2.0
#include "plugins/parquet/output.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <parquet/properties.h>

#include <utility>

namespace {

/// Hands bytes on to the host.
class HostStream final : public arrow::io::OutputStream {
 public:
  HostStream(PsWrite write, void* context) : write_(write), context_(context) {}
  arrow::Status Write(const void* bytes, std::int64_t count) override {
    if (!write_(context_, bytes, static_cast<std::uint64_t>(count)))
      return arrow::Status::IOError("the file cannot be written");
    written_ += count;
    return arrow::Status::OK();
  }
  using arrow::io::OutputStream::Write;
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  [[nodiscard]] bool closed() const override { return closed_; }
  [[nodiscard]] arrow::Result<std::int64_t> Tell() const override { return written_; }

 private:
  PsWrite write_;
  void* context_;
  std::int64_t written_ = 0;
  bool closed_ = false;
};

std::shared_ptr<arrow::DataType> typeOf(const PsField& field) {
  switch (field.type) {
    case PS_UINT8:
      return arrow::uint8();
    case PS_UINT16:
      return arrow::uint16();
    case PS_UINT32:
      return arrow::uint32();
    case PS_INT64:
      return arrow::int64();
    case PS_BOOL:
      return arrow::boolean();
    case PS_FLOAT:
      return arrow::float32();
    case PS_DOUBLE:
      return arrow::float64();
    default:
      // Lists of dictionaries are more than many readers know.
      return field.isList ? arrow::utf8() : arrow::dictionary(arrow::int32(), arrow::utf8());
  }
}

using Built = arrow::Result<std::shared_ptr<arrow::Array>>;

/// Values as they come; `missing` null where none is.
template <class Builder, class Value>
Built build(Builder&& builder, const Value* values, std::int64_t count,
            const std::uint8_t* missing) {
  ARROW_RETURN_NOT_OK(builder.Reserve(count));
  for (std::int64_t i = 0; i < count; ++i)
    if (missing && missing[i])
      ARROW_RETURN_NOT_OK(builder.AppendNull());
    else if constexpr (std::is_same_v<Value, PsText>)
      ARROW_RETURN_NOT_OK(builder.Append(std::string_view(values[i].bytes, values[i].size)));
    else
      ARROW_RETURN_NOT_OK(
          builder.Append(static_cast<typename std::decay_t<Builder>::value_type>(values[i])));
  return builder.Finish();
}

Built valuesOf(const PsField& field, const PsValues& from, std::int64_t count,
               const std::uint8_t* missing) {
  switch (field.type) {
    case PS_UINT8:
      return build(arrow::UInt8Builder(), from.integers, count, missing);
    case PS_UINT16:
      return build(arrow::UInt16Builder(), from.integers, count, missing);
    case PS_UINT32:
      return build(arrow::UInt32Builder(), from.integers, count, missing);
    case PS_INT64:
      return build(arrow::Int64Builder(), from.integers, count, missing);
    case PS_BOOL:
      return build(arrow::BooleanBuilder(), from.integers, count, missing);
    case PS_FLOAT:
      return build(arrow::FloatBuilder(), from.numbers, count, missing);
    case PS_DOUBLE:
      return build(arrow::DoubleBuilder(), from.numbers, count, missing);
    default:
      return field.isList ? build(arrow::StringBuilder(), from.texts, count, missing)
                          : build(arrow::StringDictionary32Builder(), from.texts, count, missing);
  }
}

Built arrayOf(const PsField& field, const PsValues& from, std::int64_t rows,
              const std::shared_ptr<arrow::DataType>& type) {
  if (!field.isList) return valuesOf(field, from, rows, from.missing);
  ARROW_ASSIGN_OR_RAISE(auto values, valuesOf(field, from, from.offsets[rows], nullptr));
  std::shared_ptr<arrow::Buffer> valid;
  std::int64_t nulls = 0;
  if (from.missing) {
    arrow::TypedBufferBuilder<bool> bits;
    for (std::int64_t row = 0; row < rows; ++row) {
      ARROW_RETURN_NOT_OK(bits.Append(!from.missing[row]));
      nulls += from.missing[row] != 0;
    }
    ARROW_ASSIGN_OR_RAISE(valid, bits.Finish());
  }
  const auto offsets = arrow::Buffer::Wrap(from.offsets, static_cast<std::size_t>(rows) + 1);
  return std::make_shared<arrow::ListArray>(type, rows, offsets, values, valid, nulls);
}

}  // namespace

arrow::Result<std::unique_ptr<PsOutput>> PsOutput::create(std::span<const PsField> fields,
                                                          std::int32_t compression, PsWrite write,
                                                          void* context) {
  auto output = std::make_unique<PsOutput>();
  output->fields.assign(fields.begin(), fields.end());
  arrow::FieldVector columns;
  for (const PsField& field : fields) {
    auto type = typeOf(field);
    if (field.isList) type = arrow::list(arrow::field("element", type, false));
    columns.push_back(arrow::field(field.name, type, field.isNullable != 0));
  }
  output->schema = arrow::schema(std::move(columns));
  constexpr arrow::Compression::type kCodecs[] = {
      arrow::Compression::UNCOMPRESSED, arrow::Compression::SNAPPY, arrow::Compression::ZSTD};
  const auto properties = parquet::WriterProperties::Builder()
                              .compression(kCodecs[compression])
                              ->enable_page_checksum()
                              ->build();
  // The Arrow schema says that a text is a dictionary.
  const auto shape = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ARROW_ASSIGN_OR_RAISE(output->writer,
                        parquet::arrow::FileWriter::Open(
                            *output->schema, arrow::default_memory_pool(),
                            std::make_shared<HostStream>(write, context), properties, shape));
  return output;
}

arrow::Status PsOutput::append(std::int64_t rows, std::span<const PsValues> columns) {
  ARROW_RETURN_NOT_OK(writer->NewRowGroup());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const auto& type = schema->field(static_cast<int>(column))->type();
    ARROW_ASSIGN_OR_RAISE(auto array, arrayOf(fields[column], columns[column], rows, type));
    ARROW_RETURN_NOT_OK(writer->WriteColumnChunk(*array));
  }
  return arrow::Status::OK();
}
