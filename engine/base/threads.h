// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace parapet {

/// Names the calling thread while it lives, for debuggers and `top -H`, and adds its processor time
/// to that name when it ends. The first statement of every thread that we start:
///
///   std::jthread([] { const ThreadName name("store"); … });
///
/// The names are "run" (a run from import to its last event), "input" (reads batches ahead),
/// "store" (writes the run store), "requests" (carries out what other programs ask), "background"
/// (work of the window), "watch" (recommendations for watched users), "interrupts" (waits for
/// Ctrl-C). The threads of a pool are named after the thread that started it: "run worker".
class ThreadName {
 public:
  /// The system shows the first 15 bytes.
  explicit ThreadName(std::string name);
  ~ThreadName();
  ThreadName(const ThreadName&) = delete;
  ThreadName& operator=(const ThreadName&) = delete;
};

/// Name of the calling thread; "" if it was never named.
std::string thisThreadName();
/// Processor seconds by thread name so far, those of ended threads included; threads that were
/// never named are left out. Thread   any.
std::map<std::string, double> namedThreadSeconds();
/// Processor seconds of the calling thread, and of the whole process with its ended threads.
double thisThreadSeconds();
double processSeconds();

}  // namespace parapet
