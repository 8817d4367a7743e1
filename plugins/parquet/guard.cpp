// SPDX-License-Identifier: Apache-2.0
#include "plugins/parquet/guard.h"

#include <arrow/util/io_util.h>
#include <parquet/exception.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

namespace parapet::plugin {
namespace {

void leave(std::string_view text, PsError* error) {
  const std::size_t size = std::min(text.size(), sizeof error->text - 1);
  std::memcpy(error->text, text.data(), size);
  error->text[size] = 0;
  std::replace(error->text, error->text + size, '\n', ' ');
}

}  // namespace

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

std::int32_t reported(const std::exception& exception, PsError* error) {
  if (const auto* inner = dynamic_cast<const parquet::ParquetStatusException*>(&exception))
    return reported(inner->status(), error);
  leave(exception.what(), error);
  if (dynamic_cast<const std::bad_alloc*>(&exception)) return PS_OUT_OF_MEMORY;
  return dynamic_cast<const parquet::ParquetException*>(&exception) ? PS_DATA : PS_FAILED;
}

}  // namespace parapet::plugin
