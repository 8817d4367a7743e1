// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/commands.h"

namespace parapet::cli {

void addCommands(CLI::App& program, Session& session) {
  addRecipes(program, session);
  addSchema(program, session);
  addValidate(program, session);
  addDownload(program, session);
  addGenerate(program, session);
  addPreview(program, session);
  addImport(program, session);
  addPlan(program, session);
  addTrain(program, session);
  addRuns(program, session);
  addShow(program, session);
  addEvaluate(program, session);
  addRecommend(program, session);
  addCompare(program, session);
  addExport(program, session);
  addDevices(program, session);
  addSelftest(program, session);
  addVerify(program, session);
  addDoctor(program, session);
  for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    command->footer(command->get_footer() +
                    "\nEvery command also takes --json, --quiet and --workspace DIR.");
}

}  // namespace parapet::cli
