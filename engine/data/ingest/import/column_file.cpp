// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/column_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <system_error>
#include <vector>

#include "engine/base/file_ranges.h"
#include "engine/base/files.h"

namespace parapet::data {
namespace {

constexpr std::uint64_t kBlock = 1 << 18;  // numbers

/// Calls visit(first, numbers) for the blocks of a file; those that it changes are written again.
template <class Visit>
Status visitBlocks(const FileUpdater& file, std::uint64_t count, const Visit& visit) {
  std::vector<float> block;
  for (std::uint64_t first = 0; first < count; first += kBlock) {
    block.resize(std::min(kBlock, count - first));
    const auto bytes = std::as_writable_bytes(std::span(block));
    PARAPET_TRY(file.read(first * sizeof(float), bytes));
    if (visit(std::span(block))) PARAPET_TRY(file.write(first * sizeof(float), bytes));
  }
  return {};
}

}  // namespace

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

Result<KeptBags> keepBagsOfFile(const std::filesystem::path& path,
                                std::span<const std::uint64_t> bits) {
  KeptBags kept;
  std::vector<std::int64_t> left{0};
  {
    PARAPET_ASSIGN(const MappedFile file, MappedFile::open(path));
    const auto offsets = file.as<std::int64_t>();
    kept.ids = offsets.back();
    kept.idBits = noRowBits(kept.ids);
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      if (!hasRow(bits, static_cast<std::int64_t>(row))) continue;
      for (std::int64_t i = offsets[row]; i < offsets[row + 1]; ++i) setRow(kept.idBits, i);
      left.push_back(left.back() + offsets[row + 1] - offsets[row]);
      kept.longestBag = std::max(kept.longestBag, offsets[row + 1] - offsets[row]);
    }
    PARAPET_TRY(file.intact());
  }
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(path));
  PARAPET_TRY(writer.write(std::as_bytes(std::span(left))));
  PARAPET_TRY(writer.finish());
  return kept;
}

Result<FilledNumbers> fillMissing(const std::filesystem::path& path,
                                  experiment::MissingNumbers policy) {
  std::error_code error;
  const std::uint64_t count = std::filesystem::file_size(path, error) / sizeof(float);
  PARAPET_ASSIGN(const FileUpdater file, FileUpdater::open(path));
  FilledNumbers filled;
  double sum = 0.0;
  PARAPET_TRY(visitBlocks(file, count, [&](std::span<float> block) {
    for (const float number : block) {
      filled.count += std::isnan(number);
      if (!std::isnan(number)) sum += number;
    }
    return false;
  }));
  if (filled.count == 0) return filled;
  const double others = static_cast<double>(count) - static_cast<double>(filled.count);
  if (policy == experiment::MissingNumbers::kMean && others > 0.0)
    filled.value = static_cast<float>(sum / others);
  PARAPET_TRY(visitBlocks(file, count, [&](std::span<float> block) {
    bool changed = false;
    for (float& number : block) {
      if (!std::isnan(number)) continue;
      number = filled.value;
      changed = true;
    }
    return changed;
  }));
  PARAPET_TRY(file.sync());
  return filled;
}

}  // namespace parapet::data
