// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parapet::sample {

/// Runs one process of a test; returns its exit code, 0 if all was as expected. Scenarios:
///
/// collectives  every collective, all sizes, uneven counts, each result checked
/// strangers    the last process begins once the test has noted "go"; then as collectives
/// killed       process 1 is killed while all reduce; the others go on without it
/// stopped      process 1 stops while all reduce
/// sizes        process 1 reduces one element more than the others
/// order        process 1 gathers where the others reduce
/// ended        process 0 ends the run while the others are in a barrier
/// meet         does nothing but meet
///
/// The note "said.<process>" says what went wrong.
int runScenario(const std::string& scenario, int processes, int process,
                const std::filesystem::path& folder);

}  // namespace parapet::sample
