// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/progress.h"

namespace parapet::workspace {

/// One thing that was looked at: how it is, and what to do if it is not well.
struct HealthCheck {
  std::string name;
  bool ok = true;
  std::string message;
  std::string fix{};  ///< "" if nothing needs fixing
};

struct HealthOptions {
  enum class Depth {
    kQuick,  ///< all from end to end; of data sets of more than 1 GiB, manifests and sizes
    kDeep,   ///< the hash of every file
  } depth = Depth::kQuick;
  enum class Action {
    kReport,
    kRepair,  ///< damaged files are moved aside, the database is built again from what can be read
  } action = Action::kReport;
};

/// Looks at what a workspace folder holds: whether it can be written, its database ("database", "runs"),
/// "checkpoints" and "data sets". Works without opening the workspace, so also where that fails. A
/// repair deletes nothing: what is moved aside keeps its content, and the message names it.
///
/// Thread   blocks; `context` gets progress and may cancel, which leaves out the rest.
std::vector<HealthCheck> checkHealth(const std::filesystem::path& folder,
                                     const HealthOptions& options, const WorkContext& context);

}  // namespace parapet::workspace
