// SPDX-License-Identifier: Apache-2.0
#include "engine/base/worker_gain.h"

#include <algorithm>

namespace parapet {

void WorkerGain::add(double now, double computed, double waited) {
  balance_ = std::min(kCredit, balance_ + computed - waited);
  if (balance_ == kCredit) nextRest_ = kFirstRest;
  if (balance_ > -kAcceptedLoss) return;
  rests_ = true;
  restsUntil_ = now + nextRest_;
  nextRest_ = std::min(kLongestRest, 2.0 * nextRest_);
}

}  // namespace parapet
