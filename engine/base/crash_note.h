// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parapet {

/// While it lives, a crash of this process writes a small file before the process dies of it. A
/// crash is a fault of the processor or abort(), in any thread. What another process sends is none,
/// be it SIGKILL, SIGTERM or SIGABRT; exit() is none either. A signal that has a handler already is
/// left to that.
///
/// Thread   any; of two that live at once the second does nothing.
class CrashNote {
 public:
  CrashNote(std::string file, std::string text);
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;
  ~CrashNote();

  /// Writes the file. Called in a signal handler: allocates nothing.
  void write() const;

 private:
  std::string file_, text_;
  bool armed_ = false;  ///< false: another one is
};

}  // namespace parapet
