// SPDX-License-Identifier: Apache-2.0
#include "engine/data/import/id_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace parapet::data {
namespace {

constexpr std::size_t kRowsPerWrite = 1 << 14;
constexpr std::size_t kPairsPerPass = 1 << 24;  // 128 MiB of keys

}  // namespace

IdColumn::IdColumn(std::filesystem::path folder, std::string name, FileWriter writer)
    : folder_(std::move(folder)), name_(std::move(name)), writer_(std::move(writer)) {}

Result<IdColumn> IdColumn::create(const std::filesystem::path& folder, std::string name) {
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(folder / (name + ".spill")));
  return IdColumn(folder, std::move(name), std::move(writer));
}

Status IdColumn::add(std::span<const std::int64_t> rawIds) {
  buffer_.clear();
  for (const std::int64_t rawId : rawIds) {
    const auto next = static_cast<std::int32_t>(rawIds_.size());
    const auto [found, isNew] = numbers_.try_emplace(rawId, next);
    if (isNew) {
      if (next == std::numeric_limits<std::int32_t>::max() - 1)
        return Error{ErrorCode::kData,
                     fmt::format("column \"{}\" has more than 2^31 − 2 distinct ids", name_)};
      rawIds_.push_back(rawId);
      counts_.push_back(0);
    }
    ++counts_[static_cast<std::size_t>(found->second)];
    buffer_.push_back(found->second);
  }
  return writer_.write(std::as_bytes(std::span(buffer_)));
}

Status IdColumn::finishSpill() {
  PARAPET_TRY(writer_.finish());
  PARAPET_ASSIGN(spill_, MappedFile::open(spillPath()));
  numbers_.clear();
  return {};
}

Status IdColumn::writeRows(std::span<const std::int32_t> rowOf) {
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(folder_ / (name_ + ".i32")));
  const std::span<const std::int32_t> numbers = spilled();
  for (std::size_t begin = 0; begin < numbers.size(); begin += kRowsPerWrite) {
    buffer_.clear();
    for (const std::int32_t n :
         numbers.subspan(begin, std::min(kRowsPerWrite, numbers.size() - begin)))
      buffer_.push_back(rowOf[static_cast<std::size_t>(n)]);
    PARAPET_TRY(writer.write(std::as_bytes(std::span(buffer_))));
  }
  PARAPET_TRY(writer.finish());
  spill_ = MappedFile();
  std::error_code error;
  std::filesystem::remove(spillPath(), error);
  if (error) return ioError("remove", spillPath(), error.value());
  return {};
}

std::int64_t countRepeatedPairs(std::span<const std::int32_t> users,
                                std::span<const std::int32_t> items) {
  const std::uint64_t passes = users.size() / kPairsPerPass + 1;
  std::vector<std::uint64_t> keys;
  keys.reserve(std::min(users.size(), kPairsPerPass + kPairsPerPass / 8));
  std::int64_t repeated = 0;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    keys.clear();
    for (std::size_t row = 0; row < users.size(); ++row) {
      const std::uint64_t key =
          (static_cast<std::uint64_t>(users[row]) << 32) | static_cast<std::uint32_t>(items[row]);
      // Multiplication by the golden ratio mixes the key into its high bits.
      if ((key * 0x9E3779B97F4A7C15ull >> 40) % passes == pass) keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i) repeated += keys[i] == keys[i - 1];
  }
  return repeated;
}

}  // namespace parapet::data
