// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/launch/secret.h"
#include "engine/launch/wire.h"

namespace parapet::launch {

/// One connection as bytes, without a socket: greeting, frames, and the proof that each was written
/// by somebody who knows the secret.
///
///   greeting   each side says "parapet" (8 bytes), version (u16), a nonce of 16 bytes; then
///              HMAC(secret, side, nonce of the server, nonce of the client). 26 + 32 bytes each way.
///   frame      length of the message (u32), the message, HMAC(key, length, message), where
///              key = HMAC(secret, "key", direction, nonces), direction and number of the frame.
///
/// A nonce makes a greeting that was recorded worthless, the number a frame that is repeated, left
/// out or sent back. Before the greeting is over nothing of a length that the peer chooses is read.
class Channel {
 public:
  enum class Side { kServer, kClient };
  Channel(Side side, const Secret& secret, std::string nonce);

  /// Bytes from the socket.
  ///
  /// Errors   kPeer: another program, version or secret; a frame that is too long or not authentic;
  ///          a message that cannot be read. The connection is of no use any more.
  Status receive(std::string_view bytes);
  /// The messages that are complete, in their order.
  std::vector<Message> take() { return std::exchange(received_, {}); }
  /// Queues a message; before the greeting is over it waits.
  void send(const Message& message);

  /// The peer has proved that it knows the secret.
  [[nodiscard]] bool isOpen() const { return state_ == State::kOpen; }
  /// The peer speaks the protocol, and has proved that it knows another secret.
  [[nodiscard]] bool hasWrongSecret() const { return state_ == State::kWrongSecret; }
  /// The bytes to be written next; wrote() says how many of them were.
  [[nodiscard]] std::string_view unsent() const { return std::string_view(out_).substr(sent_); }
  void wrote(std::size_t count);

 private:
  enum class State { kHello, kProof, kOpen, kWrongSecret };
  Result<bool> readHello();
  Result<bool> readProof();
  Result<bool> readFrame();
  void appendFrame(const std::string& bytes);

  Side side_;
  std::string secret_, nonce_, nonces_, sendKey_, receiveKey_;
  State state_ = State::kHello;
  std::uint64_t framesSent_ = 0, framesReceived_ = 0;
  std::string in_, out_;
  std::size_t sent_ = 0;
  std::vector<std::string> waiting_;
  std::vector<Message> received_;
};

constexpr std::size_t kNonceBytes = 16;

}  // namespace parapet::launch
