// SPDX-License-Identifier: Apache-2.0
#include "app/cli/invocation.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/output.h"
#include "engine/base/text.h"

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

bool Invocation::hasWorkspace() const {
  return workspace_ || holdsWorkspace(workspaceFolder);
}

void Invocation::takeBackWorkspace() {
  const auto runs = workspace_->store().runs({.trashed = store::RunFilter::Trashed::kInclude});
  const auto experiments = workspace_->store().experiments().list();
  if (!runs || !runs->empty() || !experiments || !experiments->empty()) return;
  const std::filesystem::path folder = workspace_->folder();
  workspace_.reset();
  std::error_code ignored;
  for (const char* file : {"parapet.db", "parapet.db-wal", "parapet.db-shm"})
    std::filesystem::remove(folder / file, ignored);
  for (const char* part : {"datasets", "checkpoints"})
    std::filesystem::remove(folder / part, ignored);
  std::filesystem::remove(folder, ignored);
}

Result<workspace::Workspace*> Invocation::existingWorkspace() {
  if (!modelFolder.empty() && !workspace_) {
    if (!workspace::Workspace::isModel(modelFolder))
      return Error{.code = ErrorCode::kNotFound,
                   .message = fmt::format("{} is no model folder; accepted is one that `export "
                                          "--what model` wrote",
                                          modelFolder),
                   .path = modelFolder};
    return open(modelFolder);
  }
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

void requireOneOf(CLI::App& command, CLI::Option_group& group, const std::string& what) {
  command.parse_complete_callback([&group, what] {
    std::vector<std::string> accepted, given;
    for (const CLI::Option* option : group.get_options()) {
      if (option == group.get_help_ptr()) continue;
      const std::string name = option->get_name(), type = option->get_type_name();
      const bool isFlag = option->get_expected_min() == 0 || option->get_positional();
      accepted.push_back(isFlag ? name : name + " " + type);
      if (option->count() > 0) given.push_back(name);
    }
    if (given.size() == 1) return;
    throw CLI::ValidationError(
        given.empty() ? fmt::format("{} is missing; accepted is one of: {}", what, join(accepted))
                      : fmt::format("{} are given; accepted is one of: {}", join(given, " and "),
                                    join(accepted)));
  });
}

void addRunOrModel(CLI::App& command, Invocation& invocation, std::string& run) {
  CLI::Option_group* const asked = command.add_option_group("What is asked: one of these");
  asked->add_option("RUN", run, "Run: an id, a unique prefix of one, or latest");
  asked
      ->add_option_function<std::string>(
          "--model",
          [&invocation, &run](const std::string& folder) {
            invocation.modelFolder = folder;
            run = "latest";
          },
          "A folder that `export --what model` wrote, instead of a run of the workspace")
      ->type_name("DIR");
  requireOneOf(command, *asked, "the run");
}

WorkContext Invocation::work() {
  return WorkContext{workProgress(style()), interrupts->token()};
}

}  // namespace parapet::cli
