// SPDX-License-Identifier: Apache-2.0
#include "app/cli/invocation.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/output.h"

namespace parapet::cli {
namespace {

/// Checkpoints without a database are those of a workspace that has lost it; a folder below a file, or one that
/// cannot be looked into or written, is for whoever opens it to explain.
bool holdsWorkspace(const std::filesystem::path& folder) {
  std::error_code error;
  for (const char* part : {"parapet.db", "checkpoints"})
    if (std::filesystem::exists(folder / part, error) || error) return true;
  if (std::filesystem::exists(folder, error) && ::access(folder.c_str(), W_OK) != 0) return true;
  std::filesystem::path above = std::filesystem::absolute(folder, error).lexically_normal();
  while (above.has_relative_path() && !std::filesystem::exists(above, error))
    above = above.parent_path();
  return !std::filesystem::is_directory(above, error);
}

}  // namespace

Invocation::Invocation() : workspaceFolder(workspace::Workspace::defaultFolder().string()) {}

Result<workspace::Workspace*> Invocation::open(const std::filesystem::path& folder) {
  PARAPET_ASSIGN(auto communicators, workspace::Workspace::chosenCommunicators());
  PARAPET_ASSIGN(workspace_, workspace::Workspace::open(
                                 folder, [](const std::string& message) { printWarning(message); },
                                 std::move(communicators)));
  return workspace_.get();
}

Result<workspace::Workspace*> Invocation::workspace() {
  if (workspaceFolder.empty())
    return Error{ErrorCode::kInvalidDocument,
                 "there is no workspace: neither XDG_DATA_HOME nor HOME names a folder; accepted: "
                 "--workspace DIR"};
  if (workspace_) return workspace_.get();
  return open(workspaceFolder);
}

Result<workspace::Workspace*> Invocation::existingWorkspace() {
  if (!workspace_ && !workspaceFolder.empty() && !holdsWorkspace(workspaceFolder))
    return Error{.code = ErrorCode::kNotFound,
                 .message = fmt::format("{} is no workspace: it holds no runs and no experiments",
                                        workspaceFolder),
                 .path = workspaceFolder};
  return workspace();
}

Result<workspace::Workspace*> Invocation::workspaceToList() {
  auto opened = existingWorkspace();
  if (opened.ok() || opened.error().code != ErrorCode::kNotFound) return opened;
  printWarning(opened.error().message);
  return nullptr;
}

Result<workspace::Workspace*> Invocation::workspaceToAsk() {
  auto opened = existingWorkspace();
  if (opened.ok() || opened.error().code != ErrorCode::kNotFound) return opened;
  temporary_ = std::make_unique<workspace::TemporaryFolder>();
  if (temporary_->path().empty()) return workspace();
  return open(temporary_->path());
}

WorkContext Invocation::work() {
  return WorkContext{workProgress(style()), interrupts->token()};
}

}  // namespace parapet::cli
