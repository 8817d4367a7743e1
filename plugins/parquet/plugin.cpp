// SPDX-License-Identifier: Apache-2.0
// Parquet files by Apache Arrow. This file is the C side; nothing is thrown out of it.
#include <arrow/config.h>
#include <arrow/status.h>
#include <arrow/util/io_util.h>
#include <parquet/exception.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "engine/data/source_abi.h"
#include "plugins/parquet/file.h"
#include "plugins/parquet/output.h"

namespace parapet::plugin {
namespace {

void leave(std::string_view text, PsError* error) {
  const std::size_t size = std::min(text.size(), sizeof error->text - 1);
  std::memcpy(error->text, text.data(), size);
  error->text[size] = 0;
  std::replace(error->text, error->text + size, '\n', ' ');
}

/// Leaves the text of what Arrow says in `error`, in one line, and tells which kind it is.
std::int32_t reported(const arrow::Status& status, PsError* error) {
  leave(status.message(), error);
  if (status.IsOutOfMemory()) return PS_OUT_OF_MEMORY;
  // Arrow calls everything that is wrong with a file an IOError; the system's refusals carry errno.
  if (arrow::internal::ErrnoFromStatus(status) != 0) {
    leave(status.ToStringWithoutContextLines(), error);
    return PS_IO;
  }
  if (status.IsNotImplemented()) return PS_UNSUPPORTED;
  return PS_DATA;
}

/// Leaves the text of an exception in `error`, and tells which kind it is.
std::int32_t reported(const std::exception& exception, PsError* error) {
  if (const auto* inner = dynamic_cast<const parquet::ParquetStatusException*>(&exception))
    return reported(inner->status(), error);
  leave(exception.what(), error);
  if (dynamic_cast<const std::bad_alloc*>(&exception)) return PS_OUT_OF_MEMORY;
  return dynamic_cast<const parquet::ParquetException*>(&exception) ? PS_DATA : PS_FAILED;
}

/// Runs what gives a Status; nothing that it throws comes out.
template <class Work>
std::int32_t guarded(PsError* error, const Work& work) noexcept {
  try {
    const arrow::Status status = work();
    return status.ok() ? PS_OK : reported(status, error);
  } catch (const std::exception& exception) {
    return reported(exception, error);
  }
}

/// Hands out what was made, or says why not.
template <class T, class Make>
std::int32_t make(T** out, PsError* error, const Make& work) noexcept {
  *out = nullptr;
  return guarded(error, [&] {
    ARROW_ASSIGN_OR_RAISE(auto made, work());
    *out = made.release();
    return arrow::Status::OK();
  });
}

const PsBatch::Column& at(const PsBatch* batch, std::int32_t column) {
  return batch->columns[static_cast<std::size_t>(column)];
}

constexpr PsReading kReading{
    .structSize = sizeof(PsReading),
    .open = [](const char* path, PsFile** file, PsError* error) -> std::int32_t {
      return make(file, error, [&] { return PsFile::open(path); });
    },
    .close = [](PsFile* file) { delete file; },
    .describe =
        [](const PsFile* file, PsFileInfo* info) {
          *info = {file->metadata->num_rows(), file->metadata->num_row_groups(),
                   file->described.data(), static_cast<std::int32_t>(file->described.size())};
        },
    .groupRows = [](const PsFile* file, std::int64_t group) -> std::int64_t {
      return file->metadata->RowGroup(static_cast<int>(group))->num_rows();
    },
    .chunk =
        [](const PsFile* file, std::int64_t group, std::int32_t column, PsChunk* chunk) {
          *chunk = {};
          PsError ignored;
          // A chunk whose own description is damaged has no bounds; reading it will tell.
          guarded(&ignored, [&] {
            *chunk = file->chunk(group, column);
            return arrow::Status::OK();
          });
        },
    .start = [](const PsFile* file, std::int64_t group, const std::int32_t* columns,
                std::int32_t columnCount, std::int64_t batchRows, PsCursor** cursor,
                PsError* error) -> std::int32_t {
      return make(cursor, error, [&] {
        return PsCursor::start(*file, group, {columns, static_cast<std::size_t>(columnCount)},
                               batchRows);
      });
    },
    .next = [](PsCursor* cursor, PsBatch** batch, PsError* error) -> std::int32_t {
      return make(batch, error, [&] { return cursor->next(); });
    },
    .finish = [](PsCursor* cursor) { delete cursor; },
    .rows = [](const PsBatch* batch) -> std::int64_t { return batch->rows; },
    .values = [](const PsBatch* batch, std::int32_t column) -> std::int64_t {
      return at(batch, column).values->length();
    },
    .offsets = [](const PsBatch* batch, std::int32_t column, std::int32_t* out,
                  PsError* error) -> std::int32_t {
      return guarded(error, [&] { return at(batch, column).copyOffsets(out); });
    },
    .nullRows = [](const PsBatch* batch, std::int32_t column, std::uint8_t* out) -> std::int64_t {
      return markNulls(*at(batch, column).rows, out);
    },
    .nullValues = [](const PsBatch* batch, std::int32_t column, std::uint8_t* out) -> std::int64_t {
      return markNulls(*at(batch, column).values, out);
    },
    .integers = [](const PsBatch* batch, std::int32_t column, std::int64_t* out,
                   PsError* error) -> std::int32_t {
      return guarded(error, [&] { return at(batch, column).copyIntegers(out); });
    },
    .numbers = [](const PsBatch* batch, std::int32_t column, double* out,
                  PsError* error) -> std::int32_t {
      return guarded(error, [&] { return at(batch, column).copyNumbers(out); });
    },
    .texts = [](const PsBatch* batch, std::int32_t column,
                PsTexts* out) { *out = at(batch, column).texts; },
    .release = [](PsBatch* batch) { delete batch; },
    .nextUnfit = [](const PsBatch* batch, std::int32_t column, std::int64_t from,
                    PsError* value) -> std::int64_t {
      std::int64_t found = at(batch, column).values->length();
      guarded(value, [&] {
        std::string digits;
        found = at(batch, column).nextUnfit(from, digits);
        leave(digits, value);
        return arrow::Status::OK();
      });
      return found;
    },
    .microseconds = [](const PsBatch* batch, std::int32_t column, std::int32_t* out)
        -> std::int32_t { return at(batch, column).copyMicroseconds(out); },
};

constexpr PsWriting kWriting{
    .structSize = sizeof(PsWriting),
    .create = [](const PsField* fields, std::int32_t fieldCount, std::int32_t compression,
                 PsWrite write, void* context, PsOutput** output, PsError* error) -> std::int32_t {
      return make(output, error, [&] {
        return PsOutput::create({fields, static_cast<std::size_t>(fieldCount)}, compression, write,
                                context);
      });
    },
    .append = [](PsOutput* output, std::int64_t rows, const PsValues* columns,
                 PsError* error) -> std::int32_t {
      return guarded(error, [&] { return output->append(rows, {columns, output->fields.size()}); });
    },
    .complete = [](PsOutput* output, PsError* error) -> std::int32_t {
      return guarded(error, [&] { return output->writer->Close(); });
    },
    .discard = [](PsOutput* output) { delete output; },
};

const PsPlugin kPlugin{sizeof(PsPlugin), "parquet", "Apache Arrow " ARROW_VERSION_STRING, &kReading,
                       &kWriting};

}  // namespace

}  // namespace parapet::plugin

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PS_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PsPlugin* parapet_plugin(void) {
  return &parapet::plugin::kPlugin;
}

}  // extern "C"
