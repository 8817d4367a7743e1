// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/cli/answer.h"
#include "app/cli/interrupts.h"
#include "app/cli/progress.h"
#include "engine/workspace/temporary_folder.h"
#include "engine/workspace/workspace.h"

namespace parapet::cli {

/// One call of the program: the options every command shares, and the workspace, opened by the
/// first command step that needs it.
class Invocation {
 public:
  Invocation();

  std::string workspaceFolder;
  std::string modelFolder;  ///< --model of addRunOrModel(): it stands for the workspace
  bool json = false;
  bool quiet = false;
  /// The action of the command line; set by the command that was named.
  std::function<Answer()> action{};

  /// Makes it where there is none: for commands that put something into it.
  Result<workspace::Workspace*> workspace();
  /// For commands that read or act on what is there: kNotFound, with the folder, where there is none.
  Result<workspace::Workspace*> existingWorkspace();
  /// For lists of what is there: null, after a warning, where there is none.
  Result<workspace::Workspace*> workspaceToList();
  /// For questions about a document: what is there, else an empty one that is gone at the end.
  Result<workspace::Workspace*> workspaceToAsk();
  /// Whether the folder holds a workspace, opened or not.
  [[nodiscard]] bool hasWorkspace() const;
  /// Closes a workspace that this command has made for nothing, and removes what it made of it: folders
  /// that something lies in stay.
  void takeBackWorkspace();
  [[nodiscard]] ProgressStyle style() const { return progressStyle(quiet); }
  /// Progress on stderr, and a stop token that the first Ctrl-C sets.
  WorkContext work();
  /// Set while the command runs.
  InterruptWatch* interrupts = nullptr;
  /// The answer is written line by line, so that an interrupt adds no value to it.
  std::atomic<bool> writesLines = false;

 private:
  Result<workspace::Workspace*> open(const std::filesystem::path& folder);

  std::unique_ptr<workspace::TemporaryFolder> temporary_;
  std::unique_ptr<workspace::Workspace> workspace_;
};

/// A subcommand whose `run` is called once its arguments are parsed. `example` is shown under its
/// help.
template <class Run>
void onRun(CLI::App& command, Invocation& invocation, Run run) {
  command.callback([&invocation, run = std::move(run)] { invocation.action = run; });
}

/// Refuses a command line that gives none, or several, of the options of a group. `what` they say: "the run".
void requireOneOf(CLI::App& command, CLI::Option_group& group, const std::string& what);

/// The run that a command asks: RUN of the workspace, or that of a model folder.
void addRunOrModel(CLI::App& command, Invocation& invocation, std::string& run);

/// An argument that names one thing.
struct NameArgument {
  const char* name;  ///< "NAME", "RUN"
  const char* help;
};

/// A verb of a command that takes a name and no more: act(invocation, name) is its answer.
template <class Act>
CLI::App* addVerb(CLI::App& of, Invocation& invocation, const char* verb, const char* help,
                  const NameArgument& argument, Act act) {
  CLI::App* command = of.add_subcommand(verb, help);
  const auto name = std::make_shared<std::string>();
  command->add_option(argument.name, *name, argument.help)->required();
  onRun(*command, invocation, [&invocation, name, act] { return act(invocation, *name); });
  return command;
}

}  // namespace parapet::cli
