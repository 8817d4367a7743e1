// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/keep_rows.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/file_ranges.h"
#include "engine/data/dataset/row_bits.h"

namespace parapet::data {

Status keepRowsOfFile(const std::filesystem::path& path, std::span<const std::uint64_t> bits,
                      std::int64_t rows, std::size_t elementBytes) {
  constexpr std::int64_t kRowsPerBlock = 1 << 18;
  PARAPET_ASSIGN(const FileUpdater file, FileUpdater::open(path));
  std::vector<std::byte> block;
  std::uint64_t written = 0;
  for (std::int64_t first = 0; first < rows; first += kRowsPerBlock) {
    const std::int64_t count = std::min(kRowsPerBlock, rows - first);
    block.resize(static_cast<std::size_t>(count) * elementBytes);
    PARAPET_TRY(file.read(static_cast<std::uint64_t>(first) * elementBytes, block));
    std::byte* end = block.data();
    for (std::int64_t row = 0; row < count; ++row) {
      if (!hasRow(bits, first + row)) continue;
      std::memmove(end, block.data() + static_cast<std::size_t>(row) * elementBytes, elementBytes);
      end += elementBytes;
    }
    const auto kept = static_cast<std::size_t>(end - block.data());
    PARAPET_TRY(file.write(written, std::span(block).first(kept)));
    written += kept;
  }
  PARAPET_TRY(file.truncate(written));
  return file.sync();
}

}  // namespace parapet::data
