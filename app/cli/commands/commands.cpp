// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/commands.h"

namespace parapet::cli {

void addCommands(CLI::App& program, Invocation& invocation) {
  addRecipes(program, invocation);
  addExperiments(program, invocation);
  addSchema(program, invocation);
  addValidate(program, invocation);
  addDownload(program, invocation);
  addGenerate(program, invocation);
  addVocabulary(program, invocation);
  addPreview(program, invocation);
  addInit(program, invocation);
  addImport(program, invocation);
  addPlan(program, invocation);
  addTrain(program, invocation);
  addLaunch(program, invocation);
  addFollow(program, invocation);
  addQueue(program, invocation);
  addStop(program, invocation);
  addSweep(program, invocation);
  addRuns(program, invocation);
  addShow(program, invocation);
  addEvaluate(program, invocation);
  addRecommend(program, invocation);
  addPredict(program, invocation);
  addCompare(program, invocation);
  addExport(program, invocation);
  addDevices(program, invocation);
  addSelftest(program, invocation);
  addVerify(program, invocation);
  addVerifyCheckpoint(program, invocation);
  addDoctor(program, invocation);
  const auto all = [](const CLI::App*) { return true; };
  const auto addFooter = [](CLI::App* command) {
    command->footer(command->get_footer() +
                    "\nEvery command also takes --json, --quiet and --workspace DIR.");
  };
  for (CLI::App* command : program.get_subcommands(all)) {
    addFooter(command);
    for (CLI::App* verb : command->get_subcommands(all)) addFooter(verb);
  }
}

}  // namespace parapet::cli
