// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/invocation.h"

namespace parapet::cli {

// One file per command. Each function adds its subcommand with its options and what it does.
// To add a command: its file, a line here, a line in commands.cpp, a line in CMakeLists.txt, a
// test.
void addRecipes(CLI::App& program, Invocation& invocation);  ///< recipes, recipe
void addExperiments(CLI::App& program, Invocation& invocation);
void addSchema(CLI::App& program, Invocation& invocation);
void addValidate(CLI::App& program, Invocation& invocation);
void addDownload(CLI::App& program, Invocation& invocation);
void addGenerate(CLI::App& program, Invocation& invocation);
void addVocabulary(CLI::App& program, Invocation& invocation);
void addPreview(CLI::App& program, Invocation& invocation);
void addInit(CLI::App& program, Invocation& invocation);
void addImport(CLI::App& program, Invocation& invocation);
void addPlan(CLI::App& program, Invocation& invocation);
void addTrain(CLI::App& program, Invocation& invocation);
void addLaunch(CLI::App& program, Invocation& invocation);
void addFollow(CLI::App& program, Invocation& invocation);
void addQueue(CLI::App& program, Invocation& invocation);
void addStop(CLI::App& program, Invocation& invocation);
void addSweep(CLI::App& program, Invocation& invocation);
void addRuns(CLI::App& program, Invocation& invocation);
void addShow(CLI::App& program, Invocation& invocation);
void addEvaluate(CLI::App& program, Invocation& invocation);
void addRecommend(CLI::App& program, Invocation& invocation);
void addPredict(CLI::App& program, Invocation& invocation);
void addCompare(CLI::App& program, Invocation& invocation);
void addExport(CLI::App& program, Invocation& invocation);
void addDevices(CLI::App& program, Invocation& invocation);
void addSelftest(CLI::App& program, Invocation& invocation);
void addVerify(CLI::App& program, Invocation& invocation);
void addVerifyCheckpoint(CLI::App& program, Invocation& invocation);
void addDoctor(CLI::App& program, Invocation& invocation);

/// Every command, in the order the help lists them.
void addCommands(CLI::App& program, Invocation& invocation);

}  // namespace parapet::cli
