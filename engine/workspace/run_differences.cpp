// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/run_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/text.h"

namespace parapet::workspace {
namespace {

using nlohmann::ordered_json;

constexpr const char* kNamePointer = "/name";
constexpr const char* kPathPointer = "/dataset/path";
constexpr std::size_t kMaxValueBytes = 24;

/// Settings by which runs of one name usually differ, the most telling first, and how a line says
/// them. All others follow in the order of the document.
struct TellingSetting {
  std::string_view pointer, before, after;
};
constexpr TellingSetting kTelling[] = {
    {kPathPointer, "data ", ""},
    {"/dataset/generator/events", "", " generated events"},
    {"/model/kind", "", ""},
    {"/loss/kind", "", ""},
    {"/optimizer/kind", "optimizer ", ""},
    {"/optimizer/learning_rate", "learning rate ", ""},
    {"/dataset/batch/size", "batch ", ""},
    {"/dataset/batch/per_device", "batch ", " per device"},
    {"/tables/0/embedding_dim", "dim ", ""},
    {"/training/epochs", "", " epochs"},
    {"/schedule/kind", "", " schedule"},
    {"/dataset/split/kind", "", " split"},
    {"/training/precision", "", ""},
    {"/training/seed", "seed ", ""},
};

/// Position of a setting among those that a line tells first.
std::size_t tellingRank(std::string_view pointer) {
  return static_cast<std::size_t>(std::ranges::find(kTelling, pointer, &TellingSetting::pointer) -
                                  std::begin(kTelling));
}

/// A key as a person reads it: "in_batch_softmax" is "in-batch softmax".
std::string wordsOf(std::string key) {
  constexpr std::string_view kInBatch = "in_batch";
  if (key.starts_with(kInBatch)) key[2] = '-';
  std::ranges::replace(key, '_', ' ');
  return key;
}

/// The leaves of a document by their pointers, in its order.
std::vector<std::pair<std::string, ordered_json>> leavesOf(const std::string& document) {
  std::vector<std::pair<std::string, ordered_json>> leaves;
  const auto json = ordered_json::parse(document, nullptr, false);
  if (!json.is_object()) return leaves;
  const ordered_json flat = json.flatten();
  for (const auto& [pointer, value] : flat.items())
    if (pointer != kNamePointer) leaves.emplace_back(pointer, value);
  return leaves;
}

/// Pointers at which documents differ, the most telling first.
std::vector<std::string> differingPointers(
    const std::vector<std::map<std::string, ordered_json>>& documents,
    const std::vector<std::string>& order) {
  std::vector<std::string> differing;
  std::set<std::string> seen;
  for (const std::string& pointer : order) {
    if (!seen.insert(pointer).second) continue;
    const auto valueIn = [&pointer](const auto& document) {
      const auto found = document.find(pointer);
      return found == document.end() ? ordered_json() : found->second;
    };
    const ordered_json first = valueIn(documents.front());
    if (std::ranges::any_of(documents,
                            [&](const auto& document) { return valueIn(document) != first; }))
      differing.push_back(pointer);
  }
  std::ranges::stable_sort(differing, {}, tellingRank);
  return differing;
}

std::string lastToken(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  return std::string(slash == pointer.npos ? pointer : pointer.substr(slash + 1));
}

/// The name of a setting in a line: its key. An element of a list has that of the list before it, and a key
/// that a telling setting has, too, that of its group: "generator seed" is not the seed of the training.
std::string shortName(const std::string& pointer) {
  std::string name = lastToken(pointer);
  const std::string above = pointer.substr(0, pointer.size() - name.size() - 1);
  if (parseInt(name)) return wordsOf(lastToken(above)) + "/" + name;
  const bool isShared = !above.empty() && tellingRank(pointer) == std::size(kTelling) &&
                        std::ranges::find(kTelling, name, [](const TellingSetting& telling) {
                          return lastToken(telling.pointer);
                        }) != std::end(kTelling);
  return isShared ? shortName(above) + " " + wordsOf(std::move(name)) : wordsOf(std::move(name));
}

std::string shortValue(const nlohmann::json& value) {
  if (value.is_null()) return "–";
  return printable(value.is_string() ? value.get<std::string>() : value.dump(), kMaxValueBytes);
}

std::string baseName(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == path.npos || path.size() == 1 ? path : path.substr(slash + 1));
}

std::string settingText(const RunSetting& setting) {
  if (setting.pointer == kPathPointer && setting.value.is_string())
    return "data " + printable(baseName(setting.value.get<std::string>()), kMaxValueBytes);
  const std::size_t telling = tellingRank(setting.pointer);
  if (telling == std::size(kTelling) || setting.value.is_null())
    return fmt::format("{} {}", shortName(setting.pointer), shortValue(setting.value));
  const std::string value = shortValue(setting.value);
  return fmt::format("{}{}{}", kTelling[telling].before,
                     setting.pointer.ends_with("/kind") ? wordsOf(value) : value,
                     kTelling[telling].after);
}

}  // namespace

Result<std::vector<std::vector<RunSetting>>> runDifferences(
    const store::RunStore& store, const std::vector<store::RunRecord>& runs,
    std::size_t maxCompared) {
  std::map<std::string, std::vector<std::size_t>> byName;
  for (std::size_t i = 0; i < std::min(runs.size(), maxCompared); ++i)
    byName[runs[i].name].push_back(i);
  std::vector<std::vector<RunSetting>> differences(runs.size());
  for (const auto& [name, indices] : byName) {
    if (indices.size() < 2) continue;
    std::vector<std::map<std::string, ordered_json>> documents;
    std::vector<std::string> order;
    for (const std::size_t i : indices) {
      const auto run = store.find(runs[i].id);
      // Deleted since the list was read.
      if (!run.ok() && run.error().code != ErrorCode::kNotFound) return run.error();
      auto leaves = leavesOf(run.ok() ? run->experimentJson : std::string());
      for (const auto& [pointer, value] : leaves) order.push_back(pointer);
      documents.emplace_back(leaves.begin(), leaves.end());
    }
    for (const std::string& pointer : differingPointers(documents, order))
      for (std::size_t at = 0; at < indices.size(); ++at) {
        const auto found = documents[at].find(pointer);
        differences[indices[at]].push_back({pointer, found == documents[at].end()
                                                         ? nlohmann::json()
                                                         : nlohmann::json(found->second)});
      }
  }
  return differences;
}

std::string differenceText(const std::vector<RunSetting>& settings, std::size_t maxSettings) {
  std::vector<std::string> parts;
  for (const RunSetting& setting : settings) {
    if (parts.size() == maxSettings) {
      parts.push_back(fmt::format("and {} more", settings.size() - maxSettings));
      break;
    }
    parts.push_back(settingText(setting));
  }
  return join(parts, " · ");
}

std::string dataNameOf(const store::RunRecord& run) {
  return baseName(run.data);
}

std::string modelNameOf(const store::RunRecord& run) {
  if (run.model.empty() || run.loss.empty()) return wordsOf(run.model + run.loss);
  return fmt::format("{} / {}", wordsOf(run.model), wordsOf(run.loss));
}

void describeRun(const experiment::Experiment& experiment, store::RunRecord& run) {
  const ordered_json document = experiment::toJson(experiment);
  const auto textAt = [&document](const char* pointer) -> std::string {
    const ordered_json::json_pointer at(pointer);
    if (!document.contains(at) || !document.at(at).is_string()) return {};
    return document.at(at).get<std::string>();
  };
  const std::string generator = textAt("/dataset/generator/kind");
  run.data = textAt(kPathPointer);
  if (run.data.empty())
    run.data = generator.empty() ? textAt("/dataset/source") : "generated " + generator;
  run.model = textAt("/model/kind");
  run.loss = textAt("/loss/kind");
  run.seed = experiment.training.seed;
  if (!experiment.training.fork) return;
  run.forkedFrom = experiment.training.fork->run;
  run.forkedStep = experiment.training.fork->step.value_or(0);
}

}  // namespace parapet::workspace
