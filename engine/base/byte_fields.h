// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Values as bytes, for what processes of one build say to each other. Integers are little-endian, a
// text or list is its length (u32) and its elements, an optional or an enumeration one byte, a struct
// its fields in the order in which its fields() names them.
namespace parapet {

/// A struct that names its members once, for writing and reading:
/// template <class Self> static auto fields(Self& self) { return std::tie(self.a, self.b); }
template <class T>
concept HasFields = requires(T& value) {
  T::fields(value);
};

inline void appendNumber(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
}
/// Needs at least `size` bytes.
inline std::uint64_t numberAt(std::string_view bytes, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])}
             << (8 * i);
  return value;
}

/// Writes values behind each other. `Derived` may add put() of more types, with using Base::put.
template <class Derived>
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : bytes(out) {}

  void put(std::integral auto value) {
    appendNumber(bytes, static_cast<std::uint64_t>(value), sizeof(value));
  }
  template <class E>
  requires std::is_enum_v<E>
  void put(E value) { put(static_cast<std::uint8_t>(value)); }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes += text;
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const T& each : list) self().put(each);
  }
  /// Numbers as they lie in memory, their count (u64) before them.
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(std::span<const T> numbers) {
    put(static_cast<std::uint64_t>(numbers.size()));
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  }
  void put(const HasFields auto& value) {
    std::apply([&](const auto&... each) { (self().put(each), ...); }, value.fields(value));
  }

  std::string& bytes;

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

/// Reads what a ByteWriter wrote, until something does not fit; `problem` says what, and nothing
/// more is read then. `Derived` may add get() of more types, with using Base::get.
template <class Derived>
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <std::integral T>
  void get(T& value) {
    if (!has(sizeof(T))) return;
    value = static_cast<T>(numberAt(bytes_, sizeof(T)));
    bytes_.remove_prefix(sizeof(T));
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    getBelow(byte, 2, "a truth value");
    value = byte == 1;
  }
  void get(std::string& text) {
    std::uint32_t size = 0;
    get(size);
    if (!has(size)) return;
    text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  template <class T>
  void get(std::vector<T>& list) {
    std::uint32_t size = 0;
    get(size);
    // Elements are read one by one, so that a length that is a lie takes no memory.
    for (std::uint32_t i = 0; i < size && problem.empty(); ++i) self().get(list.emplace_back());
  }
  /// Numbers that were put as a span.
  template <class T>
  requires std::is_arithmetic_v<T>
  void getNumbers(std::vector<T>& numbers) {
    std::uint64_t count = 0;
    get(count);
    if (count > bytes_.size() / sizeof(T) && problem.empty())
      problem = fmt::format("{} numbers in {} bytes", count, bytes_.size());
    if (!problem.empty()) return;
    numbers.resize(static_cast<std::size_t>(count));
    const std::size_t size = numbers.size() * sizeof(T);
    if (size > 0) std::memcpy(numbers.data(), bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  void get(HasFields auto& value) {
    std::apply([&](auto&... each) { (self().get(each), ...); }, value.fields(value));
  }
  template <class E>
  requires std::is_enum_v<E>
  void getEnum(E& value, std::uint8_t bound, const char* what) {
    std::uint8_t byte = 0;
    getBelow(byte, bound, what);
    if (problem.empty()) value = static_cast<E>(byte);
  }

  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  std::string problem;

 private:
  bool has(std::size_t size) {
    if (!problem.empty()) return false;
    if (bytes_.size() >= size) return true;
    problem = fmt::format("{} bytes are missing", size - bytes_.size());
    return false;
  }
  void getBelow(std::uint8_t& byte, std::uint8_t bound, const char* what) {
    get(byte);
    if (problem.empty() && byte >= bound) problem = fmt::format("{} is not {}", byte, what);
  }
  Derived& self() { return static_cast<Derived&>(*this); }

  std::string_view bytes_;
};

/// Makes the variant hold the alternative of a number; false if there is none.
template <class... Each>
bool holdAlternative(std::size_t number, std::variant<Each...>& variant) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((number == I && (variant.template emplace<I>(), true)) || ...);
  }
  (std::index_sequence_for<Each...>());
}

}  // namespace parapet
