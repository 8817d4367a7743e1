// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "engine/base/result.h"
#include "engine/launch/messages.h"

namespace parapet::launch {

/// The key-value store of process 0, and who waits for a key that is not set yet. It knows neither
/// clock nor socket.
class StoreTable {
 public:
  struct Answer {
    int link = 0;
    Value value;
  };
  static constexpr std::size_t kMaxKeyBytes = 1024;
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

  /// Answers everyone who waits for the key.
  ///
  /// Errors   kPeer: the key is too long, or the values would take more than kMaxBytes.
  Status set(const Set& request, std::vector<Answer>& answers);
  /// The value, or nothing if the question waits for it.
  std::optional<Answer> get(int link, const Get& question, Milliseconds nowMs);
  /// Answers those whose time is over.
  void expire(Milliseconds nowMs, std::vector<Answer>& answers);
  /// Forgets the questions of a link that is closed.
  void forget(int link);
  /// When expire() has something to do; nothing: nobody waits.
  [[nodiscard]] std::optional<Milliseconds> nextMs() const;

 private:
  struct Waiting {
    int link;
    Get question;
    Milliseconds untilMs;
  };
  std::map<std::string, std::string> values_;
  std::vector<Waiting> waiting_;
  std::size_t bytes_ = 0;
};

}  // namespace parapet::launch
