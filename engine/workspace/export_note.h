// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parapet::workspace {

/// Says in the workspace, while an export runs, where it writes before all is there:
/// `exports/<folder>.json`. A killed program cannot remove what it has written, and the next one that
/// opens the workspace finds it by its note. A workspace that can only be read has no notes.
class ExportNote {
 public:
  /// `folder` is a temporary one of this process, see data::PendingFolder.
  ExportNote(const std::filesystem::path& workspace, const std::filesystem::path& folder);
  ExportNote(const ExportNote&) = delete;
  ExportNote& operator=(const ExportNote&) = delete;
  ~ExportNote();

 private:
  std::filesystem::path file_;
};

/// Removes what exports of processes that are gone have left. One of another machine, which cannot be
/// looked up, counts as gone after a day.
void removeKilledExports(const std::filesystem::path& workspace);

}  // namespace parapet::workspace
