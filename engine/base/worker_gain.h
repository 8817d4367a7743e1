// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parapet {

/// Decides whether workers are worth calling, from what they brought and cost so far.
///
/// A worker whose core another program wants may be stopped within a block, and the caller then
/// waits for it for a time slice or two, which can be more than all that the worker computes. So
/// each round adds to a balance, which stays within [−kAcceptedLoss, kCredit]:
///
///   balance += (seconds that workers computed) − (seconds that the caller waited for them)
///
/// When the balance reaches its lower end the workers rest, at first for kFirstRest, twice as long
/// after each trial that fails, up to kLongestRest. A balance that reaches kCredit ends the
/// doubling.
///
/// Units    seconds; `now` is that of any steady clock.
/// Thread   one caller at a time.
class WorkerGain {
 public:
  /// A few time slices: less would let one stop of a worker on an idle machine decide.
  static constexpr double kAcceptedLoss = 0.006, kCredit = 0.012;
  /// A trial costs about kAcceptedLoss, so it takes a small share of the time between two.
  static constexpr double kFirstRest = 0.1, kLongestRest = 1.6;

  /// Whether the workers take part in a round that begins now.
  [[nodiscard]] bool isWorthwhile(double now) {
    if (!rests_ || now < restsUntil_) return !rests_;
    rests_ = false;
    balance_ = 0.0;
    return true;
  }

  /// A round has ended in which workers computed and the caller waited for so long.
  void add(double now, double computed, double waited);

 private:
  double balance_ = 0.0;
  bool rests_ = false;
  double restsUntil_ = 0.0, nextRest_ = kFirstRest;
};

}  // namespace parapet
