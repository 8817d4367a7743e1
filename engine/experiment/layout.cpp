// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/model_shape.h"

namespace parapet::experiment {
namespace {

using Axes = std::vector<std::string>;  // of rows and of columns

/// Names of the dense parameters: what the layers of the model have.
std::vector<std::string> denseParameters(const Experiment& experiment) {
  std::vector<std::string> names;
  const auto add = [&](const ShapeLayer& layer, std::initializer_list<const char*> kinds) {
    for (const char* kind : kinds)
      names.push_back(fmt::format("dense/{}_{}", layer.parameterPrefix, kind));
  };
  for (const ShapeLayer& layer : inferModel(experiment).layers) {
    if (layer.layer->kind == LayerKind::kDense || layer.layer->kind == LayerKind::kFeatureCross)
      add(layer, {"kernel", "bias"});
    if (layer.layer->kind == LayerKind::kFeatureCross && layer.layer->projectionDim)
      add(layer, {"down_kernel"});
    if (layer.layer->kind == LayerKind::kBatchNorm || layer.layer->kind == LayerKind::kLayerNorm)
      add(layer, {"gamma", "beta"});
    if (layer.layer->kind == LayerKind::kBatchNorm) add(layer, {"moving_mean", "moving_variance"});
  }
  return names;
}

bool checkAxes(const Mesh& mesh, const Axes& axes, const Location& location) {
  for (std::size_t dimension = 0; dimension < axes.size(); ++dimension) {
    const std::string& axis = axes[dimension];
    if (axis.empty() || std::ranges::find(mesh.axes, axis) != mesh.axes.end()) continue;
    (location / dimension)
        .problem("the mesh has no axis \"" + axis + "\"" + didYouMean(axis, mesh.axes),
                 "\"\" for none, or one of: " + join(mesh.axes));
    return false;
  }
  if (axes[0].empty() || axes[1].empty()) return true;
  location.problem("rows and columns are both split; a table is split one way",
                   "\"\" for the rows or for the columns");
  return false;
}

void applyAxes(Table& table, const Axes& axes) {
  const bool rows = !axes[0].empty();
  const bool split = rows || !axes[1].empty();
  table.placement = rows    ? Placement::kRowBlock
                    : split ? Placement::kColumn
                            : Placement::kReplicated;
  table.axes = split ? Axes{rows ? axes[0] : axes[1]} : Axes{};
}

/// Whether `pattern` alone decides about a table that it fits.
bool decides(const Experiment& experiment, const Table& table, const std::string& pattern,
             const Location& at) {
  if (table.placement != Placement::kAuto) {
    at.problem(
        fmt::format("it fits the table \"{}\", which has a placement of its own", table.name),
        "placement \"auto\" of the table, or a pattern that does not fit it");
    return false;
  }
  for (const auto& [other, axes] : experiment.layout) {
    if (other == pattern) return true;
    if (!matches(other, "tables/" + table.name)) continue;
    at.problem(fmt::format("\"{}\" fits the table \"{}\" as well", printable(other), table.name),
               "one pattern a table");
    return false;
  }
  return true;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  // On a mismatch the last * takes one character more.
  std::size_t at = 0, star = std::string_view::npos, next = 0, resume = 0;
  while (next < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = next;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == name[next])) {
      ++at;
      ++next;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      next = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

std::vector<Table> withLayout(const Experiment& experiment, const Location& root) {
  std::vector<Table> tables = experiment.tables;
  if (experiment.layout.empty()) return tables;
  const std::vector<std::string> dense = denseParameters(experiment);
  for (const auto& [pattern, axes] : experiment.layout) {
    const Location at = root / "layout" / pattern;
    const bool sound = checkAxes(experiment.mesh, axes, at);
    const auto fits = [&pattern = pattern](const std::string& name) {
      return matches(pattern, name);
    };
    bool any = false;
    for (std::size_t index = 0; index < tables.size(); ++index) {
      const Table& table = experiment.tables[index];
      if (!fits("tables/" + table.name)) continue;
      any = true;
      if (decides(experiment, table, pattern, at) && sound) applyAxes(tables[index], axes);
    }
    const auto weight = std::ranges::find_if(dense, fits);
    if (weight != dense.end() && !(axes[0].empty() && axes[1].empty()))
      at.problem("it fits \"" + *weight +
                     "\", and only tables are split: dense weights are whole on "
                     "every device",
                 "a pattern of tables, such as \"tables/*\"");
    else if (weight == dense.end() && !any)
      at.warning("no parameter has a name that fits", "a pattern such as \"tables/*\"");
  }
  return tables;
}

std::vector<Table> withLayout(const Experiment& experiment) {
  Findings findings;
  return withLayout(experiment, Location("", findings));
}

}  // namespace parapet::experiment
