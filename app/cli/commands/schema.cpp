// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/commands.h"
#include "engine/experiment/experiment.h"

namespace parapet::cli {

void addSchema(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("schema", "Print the JSON Schema of experiment documents");
  command->footer("Example: parapet-cli schema > parapet.schema.json");
  onRun(*command, invocation, [] {
    Json schema = experiment::schema();
    std::string text = schema.dump(2) + "\n";
    return Answer::of(std::move(schema), std::move(text));
  });
}

}  // namespace parapet::cli
