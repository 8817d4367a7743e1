// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/launch/messages.h"

// The bytes of a message: its number (u8), then its fields in order, as engine/base/byte_fields.h
// writes them. There is one spelling of a message: what is read is what was written.
namespace parapet::launch {

/// The longest message, its length apart. A plan is the largest field.
constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 20;

/// Errors   InvalidArgument: longer than kMaxMessageBytes.
std::string encode(const Message& message);

/// Errors   kPeer: no such message, a length beyond the bytes that are there, a value that is not
///          of its enumeration, or bytes behind the end.
Result<Message> decode(std::string_view bytes);

}  // namespace parapet::launch
