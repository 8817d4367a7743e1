// SPDX-License-Identifier: Apache-2.0
#include "app/cli/invocation.h"

#include "app/cli/output.h"

namespace parapet::cli {

Invocation::Invocation() : workspaceFolder(workspace::Workspace::defaultFolder().string()) {}

Result<workspace::Workspace*> Invocation::workspace() {
  if (workspaceFolder.empty())
    return Error{ErrorCode::kInvalidDocument,
                 "there is no workspace: neither XDG_DATA_HOME nor HOME names a folder; accepted: "
                 "--workspace DIR"};
  if (!workspace_) {
    PARAPET_ASSIGN(workspace_,
                   workspace::Workspace::open(
                       workspaceFolder, [](const std::string& message) { printWarning(message); }));
  }
  return workspace_.get();
}

WorkContext Invocation::work() {
  if (!interrupts_) interrupts_ = std::make_unique<InterruptWatch>();
  return WorkContext{workProgress(style()), interrupts_->token()};
}

}  // namespace parapet::cli
