// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/crash_note.h"
#include "engine/base/plugin_trial.h"
#include "engine/base/process.h"

namespace parapet {

/// A trial in a child process, and when it began (wall clock in ms).
struct PastTrial {
  std::int64_t beganMs = 0;
  Trial trial;
};

/// Remembers from one start to the next which plugins passed their trial in a child process, and
/// which one ended the program while it was opened or probed.
///
/// A trial is a small file that names the plugin, the state of its file, the build that tried it
/// and how the trial ended; another state or another build makes it void, and another boot one that
/// went wrong.
///
/// While a plugin is opened in the program itself, another small file, its mark, names the plugin,
/// the state of its file and the process. Of a plugin without a trial it is written before, so that
/// any death leaves it, which may have come from outside: a kill, or memory that ran out. A plugin
/// that passed its trial has a better name: only a crash of the process (CrashNote) writes its
/// mark. The mark is removed once the plugin has been probed, together with those that others have
/// left. After two deaths in a row that left one the plugin stays disabled until its file changes,
/// the machine starts anew or the user asks for another try. Processes that start at the same time
/// each have a mark of their own and see that the others live.
///
/// Where the folder cannot be written, or is "", nothing is remembered, and plugins work all the
/// same.
class ProbeJournal {
 public:
  explicit ProbeJournal(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// In the folder `probes` of stateFolder().
  static ProbeJournal ofUser();

  /// When this file, as it is now, was tried last and ended the program (wall clock in ms); nullopt
  /// unless it did so twice in a row in this boot. Marks of an earlier state of the file are removed.
  [[nodiscard]] std::optional<std::int64_t> crashOf(const std::filesystem::path& plugin) const;

  /// How the trial of this file, as it is now, by this build ended; nullopt if there was none.
  [[nodiscard]] std::optional<PastTrial> trialOf(const std::filesystem::path& plugin,
                                                 const std::string& buildTag) const;
  void rememberTrial(const std::filesystem::path& plugin, const std::string& buildTag,
                     const PastTrial& past) const;

  /// The end of a process that leaves a mark behind.
  enum class MarkedBy {
    kAnyDeath,  ///< of the process
    kCrash,     ///< see CrashNote
  };
  /// Stands while a plugin is opened and probed.
  class Mark {
   public:
    Mark() = default;
    Mark(std::filesystem::path file, std::vector<std::filesystem::path> left,
         std::unique_ptr<CrashNote> note)
        : file_(std::move(file)), left_(std::move(left)), note_(std::move(note)) {}
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    ~Mark();

   private:
    std::filesystem::path file_;               ///< empty: nothing could be written
    std::vector<std::filesystem::path> left_;  ///< by processes that are gone
    std::unique_ptr<CrashNote> note_;          ///< of kCrash
  };
  [[nodiscard]] Mark mark(const std::filesystem::path& plugin, MarkedBy by) const;

  /// Forgets every crash and every failed trial, so that all plugins are tried again; how many were
  /// forgotten.
  int forgetCrashes() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace parapet
