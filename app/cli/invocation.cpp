// SPDX-License-Identifier: Apache-2.0
#include "app/cli/invocation.h"

#include <fmt/format.h>

#include "app/cli/output.h"

namespace parapet::cli {

Invocation::Invocation() : workspaceFolder(workspace::Workspace::defaultFolder().string()) {}

Result<workspace::Workspace*> Invocation::workspace() {
  if (workspaceFolder.empty())
    return Error{ErrorCode::kInvalidDocument,
                 "there is no workspace: neither XDG_DATA_HOME nor HOME names a folder; accepted: "
                 "--workspace DIR"};
  if (!workspace_) {
    PARAPET_ASSIGN(auto communicators, workspace::Workspace::chosenCommunicators());
    PARAPET_ASSIGN(workspace_,
                   workspace::Workspace::open(
                       workspaceFolder, [](const std::string& message) { printWarning(message); },
                       std::move(communicators)));
  }
  return workspace_.get();
}

Result<workspace::Workspace*> Invocation::existingWorkspace() {
  std::error_code error;
  if (!workspace_ &&
      !std::filesystem::exists(std::filesystem::path(workspaceFolder) / "parapet.db", error))
    return Error{ErrorCode::kNotFound, fmt::format("{} is no workspace yet", workspaceFolder)};
  return workspace();
}

WorkContext Invocation::work() {
  return WorkContext{workProgress(style()), interrupts->token()};
}

}  // namespace parapet::cli
