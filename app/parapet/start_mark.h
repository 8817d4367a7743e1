// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace parapet::window {

/// How the windows that are gone ended, as far as no later one has said so.
enum class LastEnd {
  kOrderly,         ///< all of them: they were closed, asked to end, or there was none
  kCrashed,         ///< one was killed or crashed
  kCrashedAtStart,  ///< one was killed or crashed within seconds of its start
};

/// A small file that stands as long as this process has a window: a process that is gone and left
/// one did not end orderly.
///
/// The file names its process (ProcessIdentity), so windows that are open at once do not take each
/// other for crashed, and the next window to start, whichever it is, reports a crash once. Marks of
/// another boot of the machine, or of another machine with the same home folder, say nothing about
/// this program: they are left to their owners, and removed after a month.
///
/// Where the folder cannot be written, or is "", nothing is remembered.
class StartMark {
 public:
  /// Takes the marks that dead processes left and writes one of this process.
  explicit StartMark(const std::filesystem::path& folder);
  StartMark(const StartMark&) = delete;
  StartMark& operator=(const StartMark&) = delete;
  ~StartMark();

  [[nodiscard]] LastEnd lastEnd() const { return lastEnd_; }
  /// A crash from now on is none of the start.
  void setStarted();

 private:
  void write(bool hasStarted) const;

  std::filesystem::path file_;
  LastEnd lastEnd_ = LastEnd::kOrderly;
};

}  // namespace parapet::window
