// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/text.h"
#include "engine/experiment/model_shape.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

using Axes = std::vector<std::string>;  // of rows and of columns

/// Names of the dense parameters, those of the layers.
std::vector<std::string> denseParameters(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const ShapeLayer& layer : inferModel(experiment).layers)
    for (const LayerWeight& weight : layer.weights)
      names.push_back(fmt::format("dense/{}_{}", layer.parameterPrefix, weight.name));
  return names;
}

bool checkAxes(const Mesh& mesh, const Axes& axes, const Location& location) {
  for (std::size_t dimension = 0; dimension < axes.size(); ++dimension) {
    const std::string& axis = axes[dimension];
    if (axis.empty() || std::ranges::find(mesh.axes, axis) != mesh.axes.end()) continue;
    (location / dimension)
        .problem("the mesh has no axis \"" + axis + "\"" + didYouMean(axis, mesh.axes),
                 "\"\" for none, or " + oneOf(mesh.axes));
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

/// Whether the pattern is the only one that matches a table without a placement of its own.
bool decides(const Table& table, const std::string* earlier, const Location& at) {
  if (table.placement != Placement::kAuto) {
    at.problem(
        fmt::format("it matches the table \"{}\", which has a placement of its own", table.name),
        "placement \"auto\" of the table, or a pattern that does not match it");
    return false;
  }
  if (earlier == nullptr) return true;
  at.problem(
      fmt::format("\"{}\" matches the table \"{}\" as well", printable(*earlier), table.name),
      "one pattern for each table");
  return false;
}

/// Finds the names that match patterns. Patterns without wildcards are looked up.
class Names {
 public:
  explicit Names(std::vector<std::string> names) : names_(std::move(names)) {
    for (std::size_t index = 0; index < names_.size(); ++index)
      indices_.emplace(names_[index], index);
  }
  [[nodiscard]] std::vector<std::size_t> matching(const std::string& pattern) const {
    std::vector<std::size_t> found;
    if (pattern.find_first_of("*?") == std::string::npos) {
      const auto [begin, end] = indices_.equal_range(pattern);
      for (auto entry = begin; entry != end; ++entry) found.push_back(entry->second);
      return found;
    }
    for (std::size_t index = 0; index < names_.size(); ++index)
      if (matches(pattern, names_[index])) found.push_back(index);
    return found;
  }
  [[nodiscard]] const std::string& at(std::size_t index) const { return names_[index]; }

 private:
  std::vector<std::string> names_;
  std::multimap<std::string, std::size_t> indices_;
};

std::vector<std::string> tableParameters(const std::vector<Table>& tables) {
  std::vector<std::string> names;
  for (const Table& table : tables) names.push_back("tables/" + table.name);
  return names;
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

std::vector<std::string> parameterNames(const Experiment& experiment) {
  std::vector<std::string> names = tableParameters(experiment.tables);
  std::ranges::move(denseParameters(experiment), std::back_inserter(names));
  return names;
}

std::vector<Table> withLayout(const Experiment& experiment, const Location& root) {
  std::vector<Table> tables = experiment.tables;
  if (experiment.layout.empty()) return tables;
  const Names dense(denseParameters(experiment));
  const Names ofTables(tableParameters(tables));
  std::vector<const std::string*> decidedBy(tables.size(), nullptr);
  for (const auto& [pattern, axes] : experiment.layout) {
    const Location at = root / "layout" / pattern;
    const bool sound = checkAxes(experiment.mesh, axes, at);
    const std::vector<std::size_t> matched = ofTables.matching(pattern);
    for (const std::size_t index : matched) {
      if (!decides(experiment.tables[index], decidedBy[index], at)) continue;
      decidedBy[index] = &pattern;
      if (sound) applyAxes(tables[index], axes);
    }
    const std::vector<std::size_t> weights = dense.matching(pattern);
    if (!weights.empty() && !(axes[0].empty() && axes[1].empty()))
      at.problem("it matches \"" + dense.at(weights[0]) +
                     "\", and only tables are split: dense parameters are replicated",
                 "a pattern of tables, such as \"tables/*\"");
    else if (weights.empty() && matched.empty())
      at.warning("no parameter has a name that matches", "a pattern such as \"tables/*\"");
  }
  return tables;
}

std::vector<Table> withLayout(const Experiment& experiment) {
  Findings findings;
  return withLayout(experiment, Location("", findings));
}

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
