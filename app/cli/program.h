// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parapet::cli {

/// Reads the command line, runs the command it names and delivers the answer; the exit code.
int runProgram(int argc, char** argv);

}  // namespace parapet::cli
