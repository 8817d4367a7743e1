// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/channel.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/byte_fields.h"

namespace parapet::launch {
namespace {

constexpr std::string_view kMagic{"parapet\0", 8};
constexpr std::size_t kHelloBytes = kMagic.size() + 2 + kNonceBytes;

const char* sideName(Channel::Side side) {
  return side == Channel::Side::kServer ? "server" : "client";
}

Channel::Side otherSide(Channel::Side side) {
  return side == Channel::Side::kServer ? Channel::Side::kClient : Channel::Side::kServer;
}

Error channelError(std::string what) {
  return {ErrorCode::kPeer, "launch: " + std::move(what)};
}

std::string littleEndian(std::uint64_t value, int size) {
  std::string bytes;
  appendNumber(bytes, value, size);
  return bytes;
}

}  // namespace

Channel::Channel(Side side, const Secret& secret, std::string nonce)
    : side_(side), secret_(asKey(secret)), nonce_(std::move(nonce)) {
  out_ = std::string(kMagic) + littleEndian(kProtocolVersion, 2) + nonce_;
}

Status Channel::receive(std::string_view bytes) {
  in_ += bytes;
  for (bool isMore = true; isMore;) {
    auto read = state_ == State::kHello   ? readHello()
                : state_ == State::kProof ? readProof()
                                          : readFrame();
    if (!read.ok()) return read.error();
    isMore = *read;
  }
  return {};
}

// Each returns whether there was enough to read.

Result<bool> Channel::readHello() {
  const std::size_t known = std::min(in_.size(), kMagic.size());
  if (in_.substr(0, known) != kMagic.substr(0, known))
    return channelError("the peer is another program");
  if (in_.size() < kHelloBytes) return false;
  const auto version = numberAt(std::string_view(in_).substr(kMagic.size()), 2);
  if (version != kProtocolVersion)
    return channelError(fmt::format("the peer speaks version {} of the protocol, this program {}",
                                    version, kProtocolVersion));
  const std::string peer = in_.substr(kMagic.size() + 2, kNonceBytes);
  in_.erase(0, kHelloBytes);
  nonces_ = side_ == Side::kServer ? nonce_ + peer : peer + nonce_;
  sendKey_ = hmac(secret_, {"key ", sideName(side_), nonces_});
  receiveKey_ = hmac(secret_, {"key ", sideName(otherSide(side_)), nonces_});
  out_ += hmac(secret_, {"proof ", sideName(side_), nonces_});
  state_ = State::kProof;
  return true;
}

Result<bool> Channel::readProof() {
  if (in_.size() < kMacBytes) return false;
  const std::string expected = hmac(secret_, {"proof ", sideName(otherSide(side_)), nonces_});
  if (!isSame(std::string_view(in_).substr(0, kMacBytes), expected)) {
    state_ = State::kWrongSecret;
    return channelError("the peer has another secret");
  }
  in_.erase(0, kMacBytes);
  state_ = State::kOpen;
  for (const std::string& bytes : std::exchange(waiting_, {})) appendFrame(bytes);
  return true;
}

Result<bool> Channel::readFrame() {
  if (in_.size() < 4) return false;
  const std::size_t size = numberAt(in_, 4);
  if (size > kMaxMessageBytes)
    return channelError(
        fmt::format("a message of {} bytes; {} are the most", size, kMaxMessageBytes));
  if (in_.size() < 4 + size + kMacBytes) return false;
  const std::string_view frame = std::string_view(in_).substr(0, 4 + size);
  const std::string mac = hmac(receiveKey_, {littleEndian(framesReceived_++, 8), frame});
  if (!isSame(std::string_view(in_).substr(4 + size, kMacBytes), mac))
    return channelError("a message is not authentic");
  PARAPET_ASSIGN(Message message, decode(frame.substr(4)));
  received_.push_back(std::move(message));
  in_.erase(0, 4 + size + kMacBytes);
  return true;
}

void Channel::send(const Message& message) {
  std::string bytes = encode(message);
  if (isOpen())
    appendFrame(bytes);
  else
    waiting_.push_back(std::move(bytes));
}

void Channel::appendFrame(const std::string& bytes) {
  const std::string frame = littleEndian(bytes.size(), 4) + bytes;
  out_ += frame + hmac(sendKey_, {littleEndian(framesSent_++, 8), frame});
}

void Channel::wrote(std::size_t count) {
  sent_ += count;
  if (sent_ < out_.size() && sent_ < (std::size_t{1} << 16)) return;
  out_.erase(0, sent_);
  sent_ = 0;
}

}  // namespace parapet::launch
