// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace parapet::data {

// Plain decimal numbers, "-12", "3.5", eight digits at a time and without a branch that depends on
// the digits. Anything else (exponents, a sign +, more than 16 digits, nothing at all) is left to
// the careful reader.

/// Bytes that must be readable from the start of a number.
constexpr std::size_t kPlainNumberBytes = 16;

namespace plain {

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest one");

constexpr std::int64_t kPowersOfTen[]{1,
                                      10,
                                      100,
                                      1'000,
                                      10'000,
                                      100'000,
                                      1'000'000,
                                      10'000'000,
                                      100'000'000,
                                      1'000'000'000,
                                      10'000'000'000,
                                      100'000'000'000,
                                      1'000'000'000'000,
                                      10'000'000'000'000,
                                      100'000'000'000'000,
                                      1'000'000'000'000'000};

constexpr double kExactPowersOfTen[]{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

inline std::uint64_t loadWord(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

/// The number of the first `count` bytes of a word, 1 to 8, if all are digits; they are moved to
/// the high end, so that zeros stand before them, and are then joined to pairs, fours and eight.
inline bool joinDigits(std::uint64_t word, std::ptrdiff_t count, std::int64_t& value) {
  word = (word ^ 0x3030303030303030u) << (64 - 8 * count);
  // A byte above 9 reaches its highest bit when 0x76 is added, or had it before.
  const bool digits = (((word + 0x7676767676767676u) | word) & 0x8080808080808080u) == 0;
  word = word * 10 + (word >> 8);
  word = ((word & 0x000000FF000000FFu) * 0x000F424000000064u +
          ((word >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
         32;
  value = static_cast<std::int64_t>(word);
  return digits;
}

/// The number of the digits in [at, end), at most 16.
inline bool readDigits(const char* at, const char* end, std::int64_t& value) {
  const std::ptrdiff_t count = end - at;
  if (count <= 0 || count > 16) return false;
  if (count <= 8) return joinDigits(loadWord(at), count, value);
  std::int64_t high = 0, low = 0;
  const bool digits =
      joinDigits(loadWord(at), count - 8, high) & joinDigits(loadWord(end - 8), 8, low);
  value = high * kPowersOfTen[8] + low;
  return digits;
}

}  // namespace plain

/// Reads the integer in [at, end); false if it takes more care.
inline bool readPlainInteger(const char* at, const char* end, std::int64_t& value) {
  const bool negative = *at == '-';
  if (!plain::readDigits(at + negative, end, value)) return false;
  if (negative) value = -value;
  return true;
}

/// Reads the number in [at, end); false if it takes more care. With at most 15 digits, the digits
/// as an integer and the power of ten are both exact, so that their quotient is the double nearest
/// to the decimal number.
inline bool readPlainNumber(const char* at, const char* end, double& value) {
  const bool negative = *at == '-';
  at += negative;
  const std::ptrdiff_t bytes = end - at;
  if (bytes <= 0 || bytes > 16) return false;
  std::int64_t digits = 0;
  std::ptrdiff_t decimals = 0;
  if (bytes <= 8) {
    // The byte of the point becomes zero, and its highest bit is the lowest that is left.
    std::uint64_t word = plain::loadWord(at);
    const std::uint64_t others = word ^ 0x2E2E2E2E2E2E2E2Eu;
    const std::uint64_t points = (others - 0x0101010101010101u) & ~others & 0x8080808080808080u;
    const std::ptrdiff_t before = points == 0 ? 8 : std::countr_zero(points) >> 3;
    const bool hasPoint = before < bytes;
    if (hasPoint) {
      const std::uint64_t low = (std::uint64_t{1} << (8 * before)) - 1;
      word = (word & low) | (word >> 8 & ~low);
      decimals = bytes - 1 - before;
    }
    if (bytes == hasPoint || !plain::joinDigits(word, bytes - hasPoint, digits)) return false;
  } else {
    const void* const found = std::memchr(at, '.', static_cast<std::size_t>(bytes));
    const char* const point = found ? static_cast<const char*>(found) : end;
    if (!plain::readDigits(at, point, digits)) return false;
    if (found) {
      std::int64_t fraction = 0;
      if (!plain::readDigits(point + 1, end, fraction)) return false;
      decimals = end - point - 1;
      digits = digits * plain::kPowersOfTen[decimals] + fraction;
    } else if (bytes > 15) {
      return false;
    }
  }
  value = static_cast<double>(digits) / plain::kExactPowersOfTen[decimals];
  if (negative) value = -value;
  return true;
}

}  // namespace parapet::data
