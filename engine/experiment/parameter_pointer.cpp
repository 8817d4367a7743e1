// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/parameter_pointer.h"

#include <fmt/format.h>

#include "engine/experiment/model_shape.h"

namespace parapet::experiment {

std::string parameterPointer(const Experiment& experiment, std::string_view parameter) {
  constexpr std::string_view kTables = "tables/", kDense = "dense/";
  if (parameter.starts_with(kTables)) {
    const std::string_view name = parameter.substr(kTables.size());
    for (std::size_t index = 0; index < experiment.tables.size(); ++index)
      if (experiment.tables[index].name == name) return fmt::format("/tables/{}", index);
    return {};
  }
  if (!parameter.starts_with(kDense)) return {};
  const std::string_view name = parameter.substr(kDense.size());
  if (name == "loss_log_temperature") return "/loss/temperature";
  // Names of heads may begin alike: the longest prefix is that of the layer.
  std::string pointer;
  std::size_t longest = 0;
  for (const ShapeLayer& layer : inferModel(experiment).layers) {
    const std::string& prefix = layer.parameterPrefix;
    const bool fits = name.starts_with(prefix) && name.substr(prefix.size()).starts_with('_');
    if (!fits || prefix.size() < longest) continue;
    longest = prefix.size();
    pointer = layer.pointer;
  }
  return pointer;
}

}  // namespace parapet::experiment
