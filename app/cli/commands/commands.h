// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/session.h"

namespace parapet::cli {

// One file per command. Each function adds its subcommand with its options and what it does.
// To add a command: its file, a line here, a line in commands.cpp, a line in CMakeLists.txt, a
// test.
void addRecipes(CLI::App& program, Session& session);  ///< recipes, recipe
void addSchema(CLI::App& program, Session& session);
void addValidate(CLI::App& program, Session& session);
void addDownload(CLI::App& program, Session& session);
void addGenerate(CLI::App& program, Session& session);
void addPreview(CLI::App& program, Session& session);
void addImport(CLI::App& program, Session& session);
void addPlan(CLI::App& program, Session& session);
void addTrain(CLI::App& program, Session& session);
void addRuns(CLI::App& program, Session& session);
void addShow(CLI::App& program, Session& session);
void addEvaluate(CLI::App& program, Session& session);
void addRecommend(CLI::App& program, Session& session);
void addCompare(CLI::App& program, Session& session);
void addExport(CLI::App& program, Session& session);
void addDevices(CLI::App& program, Session& session);
void addSelftest(CLI::App& program, Session& session);
void addVerify(CLI::App& program, Session& session);
void addDoctor(CLI::App& program, Session& session);

/// Every command, in the order the help lists them.
void addCommands(CLI::App& program, Session& session);

}  // namespace parapet::cli
