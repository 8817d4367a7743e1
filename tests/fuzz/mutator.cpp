// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

namespace parapet::fuzz {
namespace {

/// Numbers at which readers err: ends of types, powers of two and what is next to them.
constexpr std::array<std::uint64_t, 16> kNumbers{0,
                                                 1,
                                                 2,
                                                 7,
                                                 8,
                                                 127,
                                                 255,
                                                 256,
                                                 65535,
                                                 0x7FFFFFFF,
                                                 0x80000000,
                                                 0xFFFFFFFF,
                                                 0x100000000,
                                                 0x7FFFFFFFFFFFFFFF,
                                                 0x8000000000000000,
                                                 0xFFFFFFFFFFFFFFFF};

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Mutator::Mutator(std::uint64_t seed, std::vector<std::string> corpus,
                 std::vector<std::string> words, std::size_t mostBytes)
    : random_(seed, RandomPurpose::kSampling),
      corpus_(std::move(corpus)),
      words_(std::move(words)),
      seeds_(corpus_.size()),
      mostBytes_(mostBytes) {}

std::size_t Mutator::below(std::size_t bound) {
  return static_cast<std::size_t>(random_.below(drawn_++, bound));
}

std::string Mutator::next() {
  std::string input = anyInput();
  std::size_t changes = 1;
  while (changes < 16 && below(2) == 0) ++changes;
  for (; changes > 0; --changes) mutate(input);
  if (input.size() > mostBytes_) input.resize(mostBytes_);
  return input;
}

void Mutator::keep(std::string input) {
  if (corpus_.size() < kMaxInputs) {
    corpus_.push_back(std::move(input));
  } else {
    corpus_[seeds_ + below(kMaxInputs - seeds_)] = std::move(input);
  }
}

void Mutator::mutate(std::string& input) {
  switch (below(9)) {
    case 0:
      if (!input.empty()) {
        char& byte = input[below(input.size())];
        byte = static_cast<char>(byte ^ (1 << below(8)));
      }
      break;
    case 1:
      changeBytes(input);
      break;
    case 2:
      setInteger(input);
      break;
    case 3:
      setDecimal(input);
      break;
    case 4:
      repeat(input);
      break;
    case 5:
      cut(input);
      break;
    case 6:
      splice(input);
      break;
    default:
      if (!words_.empty()) {
        const std::string& word = words_[below(words_.size())];
        if (below(2) == 0) {
          insert(input, word);
        } else {
          overwrite(input, word);
        }
      }
  }
}

void Mutator::insert(std::string& input, std::string_view bytes) {
  input.insert(below(input.size() + 1), bytes);
}

void Mutator::overwrite(std::string& input, std::string_view bytes) {
  const std::size_t at = below(input.size() + 1);
  input.replace(at, std::min(bytes.size(), input.size() - at), bytes);
}

void Mutator::changeBytes(std::string& input) {
  std::string bytes(1 + below(8), '\0');
  const bool isOne = below(2) == 0;  // the same byte again and again
  for (char& byte : bytes) byte = static_cast<char>(below(256));
  if (isOne) std::fill(bytes.begin(), bytes.end(), bytes[0]);
  if (below(2) == 0) {
    insert(input, bytes);
  } else {
    overwrite(input, bytes);
  }
}

/// A little-endian number of 1, 2, 4 or 8 bytes.
void Mutator::setInteger(std::string& input) {
  const std::uint64_t number = kNumbers[below(kNumbers.size())] + (below(4) == 0 ? 1 : 0);
  std::string bytes(std::size_t{1} << below(4), '\0');
  std::memcpy(bytes.data(), &number, bytes.size());
  overwrite(input, bytes);
}

/// A number that is written in digits.
void Mutator::setDecimal(std::string& input) {
  const std::size_t from = below(input.size() + 1);
  const auto first =
      std::find_if(input.begin() + static_cast<std::ptrdiff_t>(from), input.end(), isDigit);
  if (first == input.end()) return;
  const auto last = std::find_if_not(first, input.end(), isDigit);
  std::string digits = std::to_string(kNumbers[below(kNumbers.size())]);
  if (below(4) == 0) digits.insert(0, "-");
  if (below(8) == 0) digits += "e999";
  input.replace(first, last, digits);
}

void Mutator::repeat(std::string& input) {
  if (input.empty()) return;
  const std::size_t at = below(input.size());
  const std::string part =
      input.substr(at, 1 + below(std::min<std::size_t>(64, input.size() - at)));
  std::size_t times = 1 + below(4);
  if (below(16) == 0) times = 1 + below(1000);  // depth, and long runs
  std::string run;
  for (; times > 0 && run.size() < mostBytes_; --times) run += part;
  input.insert(at, run);
}

void Mutator::cut(std::string& input) {
  if (input.empty()) return;
  const std::size_t at = below(input.size());
  if (below(4) == 0) {
    input.resize(at);
  } else {
    input.erase(at, 1 + below(below(2) == 0 ? 8 : 256));
  }
}

void Mutator::splice(std::string& input) {
  const std::string& other = anyInput();
  if (other.empty()) return;
  const std::size_t at = below(other.size());
  const std::string part = other.substr(at, 1 + below(other.size() - at));
  if (below(2) == 0) {
    overwrite(input, part);
  } else {
    input = input.substr(0, below(input.size() + 1)) + part;
  }
}

}  // namespace parapet::fuzz
