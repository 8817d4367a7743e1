// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/random.h"

namespace parapet::fuzz {

/// Inputs made from others by a few random changes: flipped bits, other bytes and numbers, bytes
/// that are inserted, repeated or left out, cut ends, words of the format, parts of another input.
///
/// The n-th input is a function of the seed and of the inputs that were kept.
class Mutator {
 public:
  /// `corpus` has at least one input; longer inputs than `mostBytes` are cut.
  Mutator(std::uint64_t seed, std::vector<std::string> corpus, std::vector<std::string> words,
          std::size_t mostBytes);

  std::string next();
  /// Makes later inputs from this one, too. A full corpus gives up one that was kept before.
  void keep(std::string input);
  [[nodiscard]] std::size_t corpusSize() const { return corpus_.size(); }

 private:
  static constexpr std::size_t kMaxInputs = 2000;

  std::size_t below(std::size_t bound);
  const std::string& anyInput() { return corpus_[below(corpus_.size())]; }
  void mutate(std::string& input);
  void insert(std::string& input, std::string_view bytes);
  void overwrite(std::string& input, std::string_view bytes);
  void changeBytes(std::string& input);
  void setInteger(std::string& input);
  void setDecimal(std::string& input);
  void repeat(std::string& input);
  void cut(std::string& input);
  void splice(std::string& input);

  Random random_;
  std::uint64_t drawn_ = 0;
  std::vector<std::string> corpus_, words_;
  std::size_t seeds_ = 0;
  std::size_t mostBytes_ = 0;
};

}  // namespace parapet::fuzz
