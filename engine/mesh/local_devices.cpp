// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/local_devices.h"

#include <fmt/format.h>

#include "engine/base/workers.h"
#include "engine/experiment/experiment.h"
#include "engine/tensor/device.h"

namespace parapet::mesh {

LocalDevices localDevices() {
  LocalDevices here{Workers::available(), {}};
  for (const tensor::BackendOutcome& outcome : tensor::DeviceRegistry::instance().outcomes())
    if (outcome.kind == "cuda" && outcome.name.starts_with("cuda:") && outcome.reason.empty())
      here.gpus.push_back(outcome.name);
  return here;
}

Result<std::vector<std::string>> namedDevices(const std::vector<std::string>& names,
                                              const LocalDevices& here) {
  std::vector<std::string> named;
  for (const std::string& name : names) {
    const bool all = name == "all";
    if (name == "cpu*" || (all && here.gpus.empty())) {
      named.push_back(fmt::format("cpu*{}", here.cores));
    } else if (name == "cuda*" || all) {
      if (here.gpus.empty())
        return Error{.code = ErrorCode::kInvalidDocument,
                     .message =
                         "\"cuda*\" is every GPU, and none is here; `parapet-cli devices` "
                         "says why",
                     .pointer = "/mesh/devices"};
      named.insert(named.end(), here.gpus.begin(), here.gpus.end());
    } else {
      named.push_back(name);
    }
  }
  return experiment::expandDevices(named);
}

}  // namespace parapet::mesh
