// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

namespace parapet {

/// A value that is made when it is first asked for. Making that throws leaves it unmade, for the next
/// who asks: std::call_once promises that too, but hangs then under ThreadSanitizer and where
/// pthread_once is not unwound.
///
/// Thread   any; others wait while it is made.
template <class Value>
class MadeOnce {
 public:
  template <class Make>
  const Value& get(const Make& make) const {
    const std::lock_guard lock(mutex_);
    if (!value_) value_.emplace(make());
    return *value_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Value> value_;
};

}  // namespace parapet
