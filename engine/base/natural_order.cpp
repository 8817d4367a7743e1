// SPDX-License-Identifier: Apache-2.0
#include "engine/base/natural_order.h"

#include <algorithm>
#include <cstddef>

namespace parapet {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// The digits that `text` begins with.
std::string_view leadingDigits(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), isDigit);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view withoutZeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

bool naturalLess(std::string_view a, std::string_view b) {
  const std::string_view wholeA = a, wholeB = b;
  while (!a.empty() && !b.empty()) {
    if (isDigit(a.front()) && isDigit(b.front())) {
      const std::string_view digitsA = leadingDigits(a), digitsB = leadingDigits(b);
      // Numbers of any length: the longer one is larger, equally long ones compare as text.
      const std::string_view numberA = withoutZeros(digitsA), numberB = withoutZeros(digitsB);
      if (numberA.size() != numberB.size()) return numberA.size() < numberB.size();
      if (numberA != numberB) return numberA < numberB;
      a.remove_prefix(digitsA.size());
      b.remove_prefix(digitsB.size());
      continue;
    }
    if (a.front() != b.front())
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return wholeA.size() != wholeB.size() ? wholeA.size() < wholeB.size() : wholeA < wholeB;
}

}  // namespace parapet
