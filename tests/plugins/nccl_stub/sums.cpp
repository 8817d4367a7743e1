// SPDX-License-Identifier: Apache-2.0
#include "sums.h"

#include <bit>
#include <cstring>

namespace nccl_stub {
namespace {

using Bytes = std::vector<std::byte>;

std::size_t bytesOf(int type) {
  switch (type) {
    case 2:  // i32
    case 7:  // f32
      return 4;
    case 4:  // i64
    case 8:  // f64
      return 8;
    case 9:  // bf16
      return 2;
    default:
      return 1;
  }
}

template <class T>
void addAs(Bytes& sum, const Bytes& part) {
  for (std::size_t at = 0; at < sum.size(); at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, &sum[at], sizeof a);
    std::memcpy(&b, &part[at], sizeof b);
    a = static_cast<T>(a + b);
    std::memcpy(&sum[at], &a, sizeof a);
  }
}

// Enough for numbers that bf16 has exactly.
void addBf16(Bytes& sum, const Bytes& part) {
  const auto read = [](const std::byte* at) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  };
  for (std::size_t at = 0; at < sum.size(); at += 2) {
    const auto bits = static_cast<std::uint16_t>(
        std::bit_cast<std::uint32_t>(read(&sum[at]) + read(&part[at])) >> 16);
    std::memcpy(&sum[at], &bits, sizeof bits);
  }
}

void add(Bytes& sum, const Bytes& part, int type) {
  switch (type) {
    case 2:
      return addAs<std::uint32_t>(sum, part);
    case 4:
      return addAs<std::uint64_t>(sum, part);
    case 7:
      return addAs<float>(sum, part);
    case 8:
      return addAs<double>(sum, part);
    case 9:
      return addBf16(sum, part);
    default:
      return addAs<std::uint8_t>(sum, part);
  }
}

Bytes read(const Step& step) {
  Bytes copy(step.count * bytesOf(step.type));
  if (!copy.empty()) std::memcpy(copy.data(), step.in, copy.size());
  return copy;
}

void write(const Step& step, const Bytes& bytes) {
  if (!bytes.empty()) std::memcpy(step.out, bytes.data(), bytes.size());
}

/// The n-th collective call of every rank.
bool performCollective(const std::vector<std::vector<Step>>& ranks, std::size_t n) {
  const Step& first = ranks[0][n];
  std::vector<Bytes> in;
  for (const auto& rank : ranks) {
    const Step& step = rank[n];
    if (step.kind != first.kind || step.count != first.count || step.type != first.type ||
        step.peer != first.peer)
      return false;
    in.push_back(read(step));
  }
  const auto root = static_cast<std::size_t>(first.peer < 0 ? 0 : first.peer);
  Bytes result = in[first.kind == Kind::kBroadcast ? root : 0];
  if (first.kind != Kind::kBroadcast)
    for (std::size_t rank = 1; rank < in.size(); ++rank) add(result, in[rank], first.type);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (first.kind != Kind::kReduce || rank == root) write(ranks[rank][n], result);
  return true;
}

/// Each receive takes the first send of its peer that is left for it.
bool performExchange(std::vector<std::vector<Step>> ranks) {
  struct Transfer {
    Bytes bytes;
    const Step* to;
  };
  std::vector<Transfer> transfers;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const Step& receive : ranks[rank]) {
      if (receive.kind != Kind::kReceive) continue;
      bool isFound = false;
      for (Step& send : ranks.at(static_cast<std::size_t>(receive.peer))) {
        if (send.kind != Kind::kSend || send.peer != static_cast<int>(rank)) continue;
        if (send.count != receive.count || send.type != receive.type) return false;
        transfers.push_back({read(send), &receive});
        send.peer = -1;
        isFound = true;
        break;
      }
      if (!isFound) return false;
    }
  for (const Transfer& transfer : transfers) write(*transfer.to, transfer.bytes);
  for (const auto& rank : ranks)
    for (const Step& step : rank)
      if (step.kind == Kind::kSend && step.peer != -1) return false;
  return true;
}

}  // namespace

bool perform(const std::vector<std::vector<Step>>& ranks) {
  bool isExchange = false;
  for (const auto& rank : ranks)
    for (const Step& step : rank)
      isExchange = isExchange || step.kind == Kind::kSend || step.kind == Kind::kReceive;
  if (isExchange) return performExchange(ranks);
  for (const auto& rank : ranks)
    if (rank.size() != ranks[0].size()) return false;
  for (std::size_t n = 0; n < ranks[0].size(); ++n)
    if (!performCollective(ranks, n)) return false;
  return true;
}

}  // namespace nccl_stub
