// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::launch {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMacBytes = 32;
using Secret = std::array<unsigned char, kSecretBytes>;

/// 64 hex digits, of which white space around them is no part. `where`: what holds them.
///
/// Errors   kInvalidDocument with `where` and what is accepted, without the text.
Result<Secret> parseSecret(std::string_view text, const std::string& where);

/// Reads the secret that all processes of a run know and nobody else: 64 hex digits from the file,
/// or, where the path is empty, from the environment variable PARAPET_SECRET; never from an
/// argument, which every user of the machine can read.
///
/// Errors   kIo, kNotFound: the file cannot be read; kInvalidDocument: it belongs to another user,
///          others may read it, or it does not hold 64 hex digits.
Result<Secret> readSecret(const std::filesystem::path& file);

/// 64 hex digits that nobody can guess, for a new file.
Result<std::string> newSecret();

/// Bytes that nobody can guess.
Result<std::string> randomBytes(std::size_t count);

/// HMAC-SHA256 of the parts, one behind the other; the caller sees to it that they cannot be cut
/// otherwise. 32 bytes.
std::string hmac(std::string_view key, std::initializer_list<std::string_view> parts);

/// In a time that does not depend on where they differ.
bool isSame(std::string_view one, std::string_view other);

inline std::string_view asKey(const Secret& secret) {
  return {reinterpret_cast<const char*>(secret.data()), secret.size()};
}

}  // namespace parapet::launch
