// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/store_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::launch {

Status StoreTable::set(const Set& request, std::vector<Answer>& answers) {
  if (request.key.size() > kMaxKeyBytes)
    return Error{ErrorCode::kPeer, fmt::format("launch: a key of {} bytes; {} are the most",
                                               request.key.size(), kMaxKeyBytes)};
  std::string& value = values_[request.key];
  const std::size_t bytes = bytes_ - value.size() + request.value.size() + kMaxKeyBytes;
  if (bytes > kMaxBytes)
    return Error{ErrorCode::kPeer,
                 fmt::format("launch: the store is full; {} bytes are the most", kMaxBytes)};
  bytes_ = bytes;
  value = request.value;
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.question.key != request.key) return false;
    answers.push_back({each.link, {each.question.question, true, value}});
    return true;
  });
  return {};
}

std::optional<StoreTable::Answer> StoreTable::get(int link, const Get& question,
                                                  Milliseconds nowMs) {
  if (const auto found = values_.find(question.key); found != values_.end())
    return Answer{link, {question.question, true, found->second}};
  const Milliseconds wait = std::clamp<Milliseconds>(question.timeoutMs, 0, 86'400'000);
  waiting_.push_back({link, question, nowMs + wait});
  return std::nullopt;
}

void StoreTable::expire(Milliseconds nowMs, std::vector<Answer>& answers) {
  std::erase_if(waiting_, [&](const Waiting& each) {
    if (each.untilMs > nowMs) return false;
    answers.push_back({each.link, {each.question.question, false, {}}});
    return true;
  });
}

void StoreTable::forget(int link) {
  std::erase_if(waiting_, [&](const Waiting& each) { return each.link == link; });
}

std::optional<Milliseconds> StoreTable::nextMs() const {
  if (waiting_.empty()) return std::nullopt;
  return std::ranges::min(waiting_, {}, &Waiting::untilMs).untilMs;
}

}  // namespace parapet::launch
