// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/separator_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/base/result.h"

namespace parapet::data {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kWrittenAtOnce = 8;
using Flags = std::array<unsigned char, kBlockBytes>;

// 1 for every byte that separates; a block has one more byte behind it. Simple enough for the
// compiler to make vector code of it.
void flagSeparators(const char* block, char delimiter, Flags& flags) {
  for (std::size_t i = 0; i < kBlockBytes; ++i)
    flags[i] = static_cast<unsigned char>((block[i] == delimiter) | (block[i] == '\n'));
}

void flagSeparators(const char* block, char first, char second, Flags& flags) {
  for (std::size_t i = 0; i < kBlockBytes; ++i)
    flags[i] = static_cast<unsigned char>(((block[i] == first) & (block[i + 1] == second)) |
                                          (block[i] == '\n'));
}

}  // namespace

SeparatorIndex::SeparatorIndex(std::string_view text, std::string_view delimiter)
    : text_(text), delimiter_(delimiter) {
  if (delimiter.empty() || delimiter.size() > 2)
    throw InvalidArgument("a delimiter has one or two bytes");
}

bool SeparatorIndex::next(std::size_t used) {
  std::copy(positions_.begin() + std::ptrdiff_t(used), positions_.begin() + std::ptrdiff_t(count_),
            positions_.begin());
  count_ -= used;
  if (end_ == text_.size()) return false;
  const std::size_t begin = end_;
  end_ = std::min(begin + kWindowBytes, text_.size());
  if (positions_.size() < count_ + kWindowBytes + kBlockBytes)
    positions_.resize(count_ + kWindowBytes + kBlockBytes);
  std::size_t at = begin;
  for (; at + kBlockBytes < end_; at += kBlockBytes)
    addBlock(text_.data() + at, static_cast<std::uint32_t>(at));
  std::array<char, kBlockBytes + 1> tail;
  tail.fill(' ');
  std::memcpy(tail.data(), text_.data() + at, end_ - at);
  if (end_ < text_.size()) tail[end_ - at] = text_[end_];
  const std::size_t before = count_;
  addBlock(tail.data(), static_cast<std::uint32_t>(at));
  // The byte behind the window belongs to the next one.
  if (count_ > before && positions_[count_ - 1] == end_) --count_;
  return true;
}

void SeparatorIndex::addBlock(const char* block, std::uint32_t offset) {
  Flags flags;
  if (delimiter_.size() == 1)
    flagSeparators(block, delimiter_[0], flags);
  else
    flagSeparators(block, delimiter_[0], delimiter_[1], flags);
  // One bit for every flag: the product moves the flag of byte j to bit 56 + j.
  std::uint64_t bits = 0;
  std::uint64_t sums = 0;
  for (std::size_t i = 0; i < kBlockBytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, flags.data() + i, sizeof(word));
    bits |= ((word * 0x0102040810204080u) >> 56) << i;
    sums += word;
  }
  const auto found = static_cast<std::size_t>((sums * 0x0101010101010101u) >> 56);
  // A few too many are written, so that the loop ends where the processor expects it.
  std::uint32_t* out = positions_.data() + count_;
  for (std::size_t k = 0; k < found; k += kWrittenAtOnce)
    for (std::size_t j = 0; j < kWrittenAtOnce; ++j) {
      out[k + j] = offset + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
  count_ += found;
}

}  // namespace parapet::data
