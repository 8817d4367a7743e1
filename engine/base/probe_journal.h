// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/base/process.h"

namespace parapet {

/// Remembers from one start to the next which plugin ended the program while it was tried.
///
/// Before a plugin is opened, a small file names it, the state of its file and the process that
/// tries it; the file is removed once the plugin has been tried. A file whose process is gone was
/// left by a crash, and the plugin stays marked until its file changes or the user asks for another
/// try. Processes that start at the same time each write a file of their own and see that the
/// others live.
///
/// Where the folder cannot be written nothing is remembered, and plugins work all the same.
class ProbeJournal {
 public:
  explicit ProbeJournal(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// In the folder `probes` of stateFolder().
  static ProbeJournal ofUser();

  /// When this file, as it is now, was tried and ended the program (wall clock in ms); nullopt if
  /// it never did. Marks of an earlier state of the file are removed.
  [[nodiscard]] std::optional<std::int64_t> crashOf(const std::filesystem::path& plugin) const;

  /// Stands while a plugin is tried.
  class Mark {
   public:
    explicit Mark(std::filesystem::path file) : file_(std::move(file)) {}
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    ~Mark();

   private:
    std::filesystem::path file_;  ///< empty: nothing could be written
  };
  [[nodiscard]] Mark mark(const std::filesystem::path& plugin) const;

  /// Forgets every crash, so that all plugins are tried again; how many were forgotten.
  int forgetCrashes() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace parapet
