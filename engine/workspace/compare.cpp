// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

constexpr std::int64_t kOverlapK = 10;

std::vector<Comparison::Setting> differingSettings(
    const std::vector<experiment::Experiment>& experiments) {
  std::set<std::string> pointers;
  for (std::size_t i = 1; i < experiments.size(); ++i)
    for (const experiment::Difference& difference :
         experiment::differences(experiments[0], experiments[i]))
      pointers.insert(difference.pointer);
  std::vector<nlohmann::ordered_json> documents;
  for (const experiment::Experiment& experiment : experiments)
    documents.push_back(experiment::toJson(experiment));
  std::vector<Comparison::Setting> settings;
  for (const std::string& pointer : pointers) {
    const nlohmann::ordered_json::json_pointer at(pointer);
    Comparison::Setting setting{pointer, {}};
    for (const auto& document : documents)
      setting.values.push_back(document.contains(at) ? nlohmann::json(document.at(at))
                                                     : nlohmann::json());
    settings.push_back(std::move(setting));
  }
  return settings;
}

// The last value of every metric of a run, by name.
std::map<std::string, double> lastMetrics(const std::vector<experiment::EpochSummary>& epochs) {
  std::map<std::string, double> last;
  for (const experiment::EpochSummary& epoch : epochs) {
    last["loss"] = epoch.loss;
    last["loss_as_displayed"] = epoch.lossAsDisplayed;
    last["ms_per_step"] = epoch.msPerStep;
    for (const auto& [name, value] : epoch.metrics) last[name] = value;
  }
  return last;
}

}  // namespace

Result<Comparison> Workspace::compare(const std::vector<std::string>& runs,
                                      const WorkContext& context) {
  if (runs.size() < 2)
    return Error{ErrorCode::kInvalidDocument, "comparing needs at least two runs"};
  Comparison out;
  std::vector<experiment::Experiment> experiments;
  std::vector<std::map<std::string, double>> metrics;
  std::set<std::string> names;
  for (const std::string& run : runs) {
    PARAPET_ASSIGN(store::RunRecord record, store().find(run));
    PARAPET_ASSIGN(experiment::Experiment experiment, parseStored(record));
    PARAPET_ASSIGN(const auto epochs, store().epochs(record.id));
    metrics.push_back(lastMetrics(epochs));
    for (const auto& [name, value] : metrics.back()) names.insert(name);
    out.runs.push_back(std::move(record));
    experiments.push_back(std::move(experiment));
  }
  out.settings = differingSettings(experiments);
  for (const std::string& name : names) {
    Comparison::MetricRow row{name, {}};
    for (const auto& of : metrics) {
      const auto found = of.find(name);
      row.values.push_back(found == of.end() ? std::numeric_limits<double>::quiet_NaN()
                                             : found->second);
    }
    out.metrics.push_back(std::move(row));
  }
  out.meanOverlapAt10 = std::numeric_limits<double>::quiet_NaN();
  context.report("comparing lists", 0, 0);
  out.steps.resize(out.runs.size());
  std::array<std::shared_ptr<const retrieval::Recommender>, 2> opened;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    std::vector<std::string> warnings;
    auto recommender = this->recommender(out.runs[i].id, {}, &warnings);
    for (const std::string& warning : warnings)
      out.warnings.push_back(fmt::format("run {}: {}", out.runs[i].id, warning));
    // Runs without a checkpoint have no lists; their settings and metrics still compare.
    if (!recommender) {
      out.warnings.push_back(fmt::format("lists are not compared: {}", recommender.error().text()));
      continue;
    }
    opened[i] = std::move(recommender).value();
    out.steps[i] = opened[i]->model().step;
  }
  const auto& [a, b] = opened;
  if (!a || !b) return out;
  std::vector<std::string> users;
  for (const retrieval::UserSummary& user :
       a->findUsers("", retrieval::UserOrder::kById, std::numeric_limits<std::size_t>::max()))
    if (b->userRow(user.id)) users.push_back(user.id);
  const auto left = a->recommend(users, kOverlapK, retrieval::SeenItems::kKeep);
  const auto right = b->recommend(users, kOverlapK, retrieval::SeenItems::kKeep);
  if (!left || !right || users.empty()) return out;
  double overlap = 0.0;
  for (std::size_t i = 0; i < users.size(); ++i) {
    std::set<std::string> ids;
    for (const auto& item : (*left)[i].items) ids.insert(item.id);
    for (const auto& item : (*right)[i].items) overlap += ids.contains(item.id) ? 1.0 : 0.0;
  }
  out.overlapUsers = static_cast<std::int64_t>(users.size());
  out.meanOverlapAt10 =
      overlap / static_cast<double>(kOverlapK) / static_cast<double>(users.size());
  return out;
}

}  // namespace parapet::workspace
