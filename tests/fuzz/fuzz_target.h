// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// A fuzz target is one file that defines these three. The first is the entry point of libFuzzer;
// the others serve fuzz_main.cpp, our own driver. A target fails by a crash, a sanitizer's report,
// an exception, too much time or memory, or by breakInvariant().

/// Reads the bytes as what the target is for. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace parapet::fuzz {

/// Valid inputs, or almost, that mutations start from. None: the target cannot run here, and has
/// printed why.
std::vector<std::string> seeds();
/// Words of the format that chance would take long to find.
std::vector<std::string> words();

// Functions that targets may use.

/// Tells what became of an input, an error's message for example. Without one that was not heard
/// before (digits and what is in quotes aside) an input is not worth keeping. Does nothing unless
/// our own driver runs the target.
[[gnu::weak]] void heard(std::string_view outcome);
inline void tell(std::string_view outcome) {
  if (heard != nullptr) heard(outcome);
}

/// Ends the program as a crash does, saying which claim does not hold.
[[noreturn]] void breakInvariant(const char* claim);

/// A folder of this process that is removed at its end.
const std::filesystem::path& scratchFolder();
/// Writes a file for a reader that takes no bytes.
void writeInput(const std::filesystem::path& path, std::string_view bytes);

inline std::string_view asText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The bytes of a value as they lie in a file.
template <class Value>
std::string bytesOf(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

}  // namespace parapet::fuzz
