// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "engine/base/text.h"
#include "engine/base/workers.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/model_kind.h"
#include "engine/experiment/renamed_keys.h"

namespace parapet::experiment {
namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

constexpr std::size_t kMaxFixes = 3;
// Each is tried on the whole document: a table for each of thousands of features would take hours.
constexpr std::size_t kMaxTried = 16;

struct Candidate {
  std::string label;
  Json patch;
};

bool contains(const std::vector<Problem>& problems, const Problem& problem) {
  return std::ranges::find(problems, problem) != problems.end();
}

/// "drop_remainder" to "drop remainder".
std::string wordsOf(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

/// Collects what may be tried for one problem.
class Candidates {
 public:
  Candidates(const Json& document, const std::string& pointer, const std::string& accepted)
      : document_(document), at_(pointer) {
    if (starts("/dataset/split")) split();
    if (starts("/dataset/batch")) batch();
    if (starts("/dataset/vocabularies")) vocabulary();
    if (starts("/dataset/columns")) columnFeature();
    if (starts("/dataset/columns") || starts("/features")) missingVocabulary();
    if (starts("/features")) {
      history();
      // A fault of a history is not one of its table.
      if (pointer.find("/history") == pointer.npos) featureTable();
    }
    if (pointer == "/training/objective" || starts("/model/query") || starts("/model/layers"))
      sequence();
    if (pointer == "/model" || pointer == "/model/query" || pointer == "/model/candidate" ||
        pointer == "/model/layers" || pointer.ends_with("/inputs"))
      towers();
    if (pointer == "/loss" || pointer == "/loss/kind" || pointer == "/loss/extra_negatives") loss();
    if (starts("/mesh/capacity_bytes"))
      capacity();
    else if (starts("/mesh"))
      mesh();
    if (starts("/training/early_stopping")) earlyStopping();
    if (starts("/training/checkpoints/best"))
      set("Keep the best by the validation loss", {{"/training/checkpoints/best", "val_loss"}});
    if (starts("/evaluation/k")) ascending("/evaluation/k");
    if (starts("/dataset/derived") && pointer.ends_with("/bounds")) ascending(pointer);
    schedule();
    if (pointer == "/reference/curve") currentCurve();
    if (pointer == "/tables") trainTables();
    if (starts("/tables") && pointer.ends_with("/optimizer/learning_rate"))
      set("Give it a constant rate of its own",
          {{(at_.parent_pointer() / "schedule").to_string(), {{"kind", "constant"}}}});
    if (starts("/loss/weight") || pointer.ends_with("/loss/weight"))
      set("Give the loss the weight 1", {{pointer, 1.0}});
    if (pointer.ends_with("/name")) otherName();
    // Such rows are found in the data: the default keeps them.
    if (!starts("/dataset/split/cold_users") && !starts("/dataset/split/cold_items")) reset();
    acceptedValues(accepted);
    removeElement();
  }

  [[nodiscard]] const std::vector<Candidate>& all() const { return all_; }

 private:
  [[nodiscard]] bool starts(std::string_view prefix) const {
    const std::string text = at_.to_string();
    return text.starts_with(prefix) && (text.size() == prefix.size() || text[prefix.size()] == '/');
  }
  [[nodiscard]] bool has(const Pointer& pointer) const { return document_.contains(pointer); }
  [[nodiscard]] Json value(const char* pointer) const {
    const Pointer at(pointer);
    return has(at) ? document_.at(at) : Json();
  }
  [[nodiscard]] double number(const char* pointer) const {
    const Json found = value(pointer);
    return found.is_number() ? found.get<double>() : 0.0;
  }

  /// Sets values; keys that are not there yet are added, and elements at "-" appended.
  void set(std::string label, const std::vector<std::pair<std::string, Json>>& values) {
    Json patch = Json::array();
    for (const auto& [pointer, next] : values)
      patch.push_back(
          {{"op", has(Pointer(pointer)) ? "replace" : "add"}, {"path", pointer}, {"value", next}});
    all_.push_back({std::move(label), std::move(patch)});
  }
  void remove(std::string label, const Pointer& pointer) {
    all_.push_back(
        {std::move(label), Json::array({{{"op", "remove"}, {"path", pointer.to_string()}}})});
  }

  /// Tries the values that a finding says are accepted: "\"drop\"", "0, or warmup_steps",
  /// "12 to use all, or null".
  void acceptedValues(std::string_view accepted) {
    // A range, or a list of names, is no choice.
    if (at_.empty() || accepted.starts_with("one of") || accepted.find("…") != accepted.npos)
      return;
    while (!accepted.empty()) {
      std::string_view token = accepted.substr(0, accepted.find_first_of(", ", 1));
      if (accepted.front() == '"') token = accepted.substr(0, accepted.find('"', 1) + 1);
      const Json value = Json::parse(token, nullptr, false);
      if (!value.is_discarded() && !value.is_object()) {
        const std::string what = wordsOf(printable(at_.back()));
        set(value.is_null() || value == Json::array()
                ? "Clear " + what
                : fmt::format("Set {} to {}", what,
                              value.is_string() ? wordsOf(printable(value.get<std::string>()))
                                                : value.dump()),
            {{at_.to_string(), value}});
      }
      const std::size_t next = accepted.find(" or ");
      if (next == std::string_view::npos) break;
      accepted.remove_prefix(next + 4);
    }
  }

  void split() {
    const std::string kind = value("/dataset/split/kind").is_string()
                                 ? value("/dataset/split/kind").get<std::string>()
                                 : std::string();
    const bool isCold = starts("/dataset/split/cold_users") || starts("/dataset/split/cold_items");
    if (isCold && kind != "leave_last") {
      Json leaveLast{{"kind", "leave_last"}, {"validation", 1}};
      if (number("/dataset/split/test") > 0.0) leaveLast["test"] = 1;
      set("Use leave last", {{"/dataset/split", std::move(leaveLast)}});
    }
    if (isCold && kind != "random" && kind != "batches")
      set(starts("/dataset/split/cold_users") ? "Leave rows of unknown users out"
                                              : "Leave rows of unknown items out",
          {{at_.to_string(), "drop"}});
    if (isCold) return;
    if (starts("/dataset/split/validation_rows"))
      set("Validate with a tenth of the training rows", {{"/dataset/split/validation_rows", 0.1}});
    if (starts("/dataset/split/validation") && number("/training/validate_every") > 0.0)
      set("Never validate",
          {{"/training/validate_every", 0}, {"/training/checkpoints/best", nullptr}});
    if (starts("/dataset/split/kind") && kind == "leave_last")
      set("Take the order of the data", {{"/dataset/split/order", "data"}});
    if (starts("/dataset/split/kind") && kind == "batches")
      set("Shuffle every epoch", {{"/dataset/batch/shuffle", "epoch"}});
    const double rest = number("/dataset/split/validation") + number("/dataset/split/test");
    const double train = 1.0 - rest;
    if (train > 0.0 && rest >= 0.0 && rest < 1.0)
      set(fmt::format("Training share {:.4g}", train), {{"/dataset/split/train", train}});
    set("Split at random: 0.8, 0.1, 0.1",
        {{"/dataset/split",
          {{"kind", "random"}, {"train", 0.8}, {"validation", 0.1}, {"test", 0.1}}}});
  }

  void batch() {
    const Json size = value("/dataset/batch/size");
    if (size.is_null() && value("/dataset/batch/per_device").is_null())
      set("Batches of 256 examples", {{"/dataset/batch/size", 256}});
    if (!size.is_null())
      remove("Count the batch over all devices", Pointer("/dataset/batch/per_device"));
    set("Keep short batches", {{"/dataset/batch/drop_remainder", false}});
  }

  void vocabulary() {
    const Pointer entry = element();
    if (!has(entry)) return;
    Json compressed = document_.at(entry);
    if (!compressed.is_object()) return;
    compressed["kind"] = "compressed";
    compressed["size"] = "auto";
    set("Use compressed ids", {{entry.to_string(), compressed}});
  }

  void missingVocabulary() {
    const Pointer entry = element();
    if (!has(entry) || !document_.at(entry).is_object()) return;
    const Json& from = document_.at(entry);
    const std::string column = from.value(starts("/features") ? "column" : "name", std::string());
    std::string name = column;
    for (const Json& each : value("/dataset/columns"))
      if (each.is_object() && each.value("name", "") == column && each.contains("vocabulary") &&
          each["vocabulary"].is_string())
        name = each["vocabulary"].get<std::string>();
    if (!name.empty())
      set(fmt::format("Add the vocabulary \"{}\"", printable(name)),
          {{"/dataset/vocabularies/-",
            {{"name", name}, {"kind", "compressed"}, {"size", "auto"}}}});
  }

  void columnFeature() {
    const Pointer entry = element();
    if (!has(entry) || !document_.at(entry).is_object()) return;
    const std::string name = document_.at(entry).value("name", std::string());
    // Only a person knows which of two towers a column describes.
    const Json role = document_.at(entry).value("role", Json("feature"));
    if ((role == "feature" || role == "number") &&
        hasTowers(parse(document_).experiment.model.kind))
      return;
    if (!name.empty())
      all_.push_back({fmt::format("Add a feature of \"{}\"", printable(name)),
                      Json::diff(document_, withFeature(document_, name))});
  }

  void featureTable() {
    const Json tables = value("/tables");
    if (!tables.is_array()) return;
    for (const Json& table : tables)
      if (table.is_object() && table.contains("name") && table["name"].is_string())
        set(fmt::format("Look up \"{}\"", printable(table["name"].get<std::string>())),
            {{(element() / "table").to_string(), table["name"]}});
    set("Read it as a number", {{(element() / "table").to_string(), nullptr}});
  }

  void history() {
    const Pointer entry = element();
    if (!has(entry) || !document_.at(entry).is_object()) return;
    const Json& feature = document_.at(entry);
    if (!feature.contains("history") || !feature["history"].is_object()) return;
    const std::string at = entry.to_string();
    if (at_.back() == "tower") set("Put it into the query tower", {{at + "/tower", "query"}});
    if (at_.back() == "history")
      set("Take the order of the data", {{at + "/history/order", "data"}});
    remove("Remove the history", entry / "history");
  }

  /// A history becomes a sequence, and a sequence one row.
  void sequence() {
    const Json features = value("/features");
    const bool allPositions = value("/training/objective") == "all_positions";
    const Json last{{"kind", "pool"}, {"by", "last"}}, mean{{"kind", "pool"}, {"by", "mean"}};
    for (std::size_t index = 0; index < features.size(); ++index) {
      const Json& feature = features[index];
      if (!feature.is_object() || !feature.contains("history") || feature["history"].is_null() ||
          feature.value("sequence", Json(false)) == true)
        continue;
      const std::string label =
          fmt::format("Read \"{}\" as a sequence", printable(feature.value("name", std::string())));
      const std::string at = fmt::format("/features/{}/sequence", index);
      set(label, {{at, true}});
      const Json layers = value("/model/query");
      const bool isPooled = std::ranges::any_of(layers, [](const Json& layer) {
        return layer.is_object() && layer.value("kind", Json()) == "pool";
      });
      for (const char* where : {"0", "-"})
        if (!isPooled)
          set(label + " and pool it", {{at, true}, {fmt::format("/model/query/{}", where), last}});
    }
    if (at_.to_string() != "/model/query" && at_.to_string() != "/model/layers") return;
    set("Take the last position", {{at_.to_string() + "/-", last}});
    if (!allPositions) set("Take the mean of the positions", {{at_.to_string() + "/-", mean}});
  }

  void towers() {
    std::set<std::int64_t> widths;
    for (const Json& table : value("/tables"))
      if (table.is_object() && table.contains("embedding_dim") &&
          table["embedding_dim"].is_number_integer())
        widths.insert(table["embedding_dim"].get<std::int64_t>());
    for (const char* tower : {"/model/query", "/model/candidate"}) {
      const Json layers = value(tower);
      if (layers.is_array() && !layers.empty() && layers.back().is_object() &&
          layers.back().contains("units") && layers.back()["units"].is_number_integer())
        widths.insert(layers.back()["units"].get<std::int64_t>());
    }
    for (const char* tower : {"query", "candidate"})
      for (const std::int64_t width : widths)
        set(fmt::format("Add dense {} to the {} tower", width, tower),
            {{fmt::format("/model/{}/-", tower), {{"kind", "dense"}, {"units", width}}}});
    set("Add dense 1", {{"/model/layers/-", {{"kind", "dense"}, {"units", 1}}}});
  }

  void trainTables() {
    std::vector<std::pair<std::string, Json>> values;
    const Json tables = value("/tables");
    for (std::size_t index = 0; index < tables.size(); ++index)
      values.emplace_back(fmt::format("/tables/{}/trainable", index), true);
    set("Train the tables", values);
  }

  /// Without labels a ranking model has nothing to tell apart; towers are compared with items that
  /// are drawn. Which tower another column describes only a person knows.
  void towersWithNegatives() {
    const Experiment ranking = parse(document_).experiment;
    const auto& columns = ranking.dataset.columns;
    const auto item = std::ranges::find(columns, ColumnRole::kItem, &Column::role);
    const std::string items = item == columns.end() ? "item" : item->name;
    const bool sided = std::ranges::any_of(
        ranking.features, [](const Feature& of) { return of.tower == Tower::kCandidate; });
    std::vector<std::pair<std::string, Json>> values{
        {"/model", {{"kind", "retrieval"}}},
        {"/loss", {{"kind", "sampled_softmax"}, {"extra_negatives", {{"count", 256}}}}}};
    for (std::size_t index = 0; index < ranking.features.size(); ++index) {
      const Feature& feature = ranking.features[index];
      if (feature.history || feature.tower == Tower::kCandidate) continue;
      const auto role = ranking.dataset.roleOf(feature.column);
      if (feature.column == items)
        values.emplace_back(fmt::format("/features/{}/tower", index), "candidate");
      else if (!sided && (role == ColumnRole::kFeature || role == ColumnRole::kNumeric))
        return;
    }
    for (const char* metric : {"/training/checkpoints/best", "/training/early_stopping/metric"})
      if (value(metric).is_string() && value(metric) != "val_loss")
        values.emplace_back(metric, "val_loss");
    set("Retrieval with sampled negatives", values);
    for (const char* tower : {"query", "candidate"})
      values[0].second[tower] = {{{"kind", "dense"}, {"units", 32}}};
    set("Retrieval by dense towers with sampled negatives", values);
  }

  void loss() {
    const bool allPositions = value("/training/objective") == "all_positions";
    const Json drawn{{"count", 256},
                     {"from", number("/loss/calibration") > 0.0 ? "uniform" : "popularity"}};
    if (at_.back() == "extra_negatives")
      return set("Add 256 negatives of the catalogue", {{at_.to_string(), drawn}});
    if (allPositions) {
      set("Sampled softmax",
          {{"/loss", {{"kind", "sampled_softmax"}, {"extra_negatives", drawn}}}});
      set("Train each row", {{"/training/objective", "each_row"}, {"/training/stride", nullptr}});
    }
    const Pointer label("/dataset/label/column");
    const bool hasLabel = !has(label) || !document_.at(label).is_null();
    if (!hasLabel && value("/model/kind") == "ranking" && value("/model/heads").empty())
      towersWithNegatives();
    set("In-batch softmax", {{"/loss", {{"kind", "in_batch_softmax"}}}});
    if (hasLabel) set("Mean squared error", {{"/loss", {{"kind", "mse"}}}});
    set("Groups of 16 examples", {{"/dataset/batch/group_size", 16}});
  }

  void capacity() {
    const Json capacity = value("/mesh/capacity_bytes");
    const bool ofList = at_.to_string() == "/mesh/capacity_bytes";
    if (!ofList) return set("The memory of the devices", {{"/mesh/capacity_bytes", nullptr}});
    if (!capacity.is_array() || capacity.empty() ||
        !std::ranges::all_of(capacity, [](const Json& each) {
          return each.is_number_integer() && each.get<std::int64_t>() > 0;
        }))
      return;
    const Json least = *std::ranges::min_element(capacity);
    set(fmt::format("{} for every device", formatBytes(least.get<std::uint64_t>())),
        {{"/mesh/capacity_bytes", least}});
  }

  void mesh() {
    set("One axis over all devices", {{"/mesh/shape", nullptr}, {"/mesh/axes", {"data"}}});
    const double size = number("/dataset/batch/size");
    // More devices than cores only take time from each other.
    const int devices =
        size <= 64.0 ? static_cast<int>(std::min<double>(size, Workers::available())) : 0;
    if (devices > 1)
      set(fmt::format("Use {} devices", devices),
          {{"/mesh/devices", {fmt::format("cpu*{}", devices)}},
           {"/mesh/shape", nullptr},
           {"/mesh/axes", {"data"}}});
    set("Use one CPU device",
        {{"/mesh/devices", {"cpu*1"}}, {"/mesh/shape", nullptr}, {"/mesh/axes", {"data"}}});
  }

  void schedule() {
    const Pointer of = at_.empty() ? at_ : at_.parent_pointer();
    if (of.empty() || of.back() != "schedule" || !has(of) || !document_.at(of).is_object()) return;
    if (at_.back() == "decay_steps") set("Decay over the run", {{at_.to_string(), "run"}});
    if (at_.back() == "end") set("End at 0", {{at_.to_string(), 0.0}});
    Json constant{{"kind", "constant"}};
    for (const char* key : {"warmup_steps", "warmup_from"})
      if (document_.at(of).contains(key)) constant[key] = document_.at(of).at(key);
    set("A constant rate", {{of.to_string(), constant}});
  }

  void earlyStopping() {
    set("Watch the validation loss", {{"/training/early_stopping/metric", "val_loss"}});
    set("Validate after every epoch", {{"/training/validate_every", 1}});
    set("Do not stop early", {{"/training/early_stopping", nullptr}});
  }

  void ascending(const std::string& pointer) {
    Json list = value(pointer.c_str());
    if (!list.is_array() ||
        !std::ranges::all_of(list, [](const Json& each) { return each.is_number(); }))
      return;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    set("Sort them", {{pointer, list}});
  }

  void currentCurve() {
    const Json named = value("/reference/curve");
    if (!named.is_string()) return;
    if (const auto name = renamedCurve(named.get<std::string>()))
      set(fmt::format("Name it \"{}\"", *name), {{"/reference/curve", *name}});
  }

  void otherName() {
    if (!has(at_) || !document_.at(at_).is_string() || document_.at(at_).empty()) return;
    const std::string name = document_.at(at_).get<std::string>() + "-2";
    set(fmt::format("Name it \"{}\"", printable(name)), {{at_.to_string(), name}});
  }

  /// A value that is left out stands at its default.
  void reset() {
    if (at_.empty() || !has(at_) || !document_.at(at_.parent_pointer()).is_object()) return;
    const Json& now = document_.at(at_);
    // A fix must not empty a whole list of tables, features or layers.
    if (now.is_null() || (now.is_array() && !now.empty() && now.front().is_object()) ||
        at_.to_string() == "/model")
      return;
    remove(at_.to_string() == "/schedule" ? "Remove the unused schedule"
                                          : "Reset " + wordsOf(printable(at_.back())),
           at_);
  }

  void removeElement() {
    const Pointer entry = element();
    if (entry.empty() || !has(entry)) return;
    const std::string list = entry.parent_pointer().back();
    // "tables" to "table"; what a list holds is named after it.
    const std::string what = list == "axes"                                              ? "axis"
                             : at_.to_string().starts_with("/model/") && list != "heads" ? "layer"
                             : list.ends_with("ies") ? list.substr(0, list.size() - 3) + "y"
                             : list.ends_with('s')   ? list.substr(0, list.size() - 1)
                                                     : "entry";
    remove("Remove the " + wordsOf(what), entry);
  }

  /// The innermost element of a list that the problem is in, or the document.
  [[nodiscard]] Pointer element() const {
    for (Pointer up = at_; !up.empty(); up = up.parent_pointer()) {
      const Pointer above = up.parent_pointer();
      if (document_.contains(above) && document_.at(above).is_array()) return up;
    }
    return Pointer();
  }

  const Json& document_;
  Pointer at_;
  std::vector<Candidate> all_;
};

/// Fixes that only a person can finish.
std::vector<Fix> questionsOf(const Problem& problem) {
  if (problem.pointer == "/dataset/path")
    return {{FixKind::kChooseData, "Choose data…", Json::array()},
            {FixKind::kDownloadData, "Download…", Json::array()}};
  if (problem.pointer == "/dataset/label/column")
    return {{FixKind::kChooseLabel, "Choose a label", Json::array()}};
  if (problem.pointer == "/dataset/text/vocabulary")
    return {{FixKind::kTrainVocabulary, "Train a vocabulary", Json::array()}};
  return {};
}

}  // namespace

Fixes::Fixes(nlohmann::json document)
    : document_(std::move(document)), before_(parse(document_).findings) {}

std::vector<Fix> Fixes::of(const Problem& problem) const {
  std::vector<Fix> found = questionsOf(problem);
  if (!document_.is_object()) return found;
  const bool isProblem = contains(before_.problems, problem);
  const bool isWarning = contains(before_.warnings, problem);
  const std::size_t problemsLeft = before_.problems.size() - (isProblem ? 1 : 0);
  const std::size_t warningsLeft = before_.warnings.size() - (isWarning ? 1 : 0);
  try {
    // Without a label it is the loss that can change.
    const bool unlabelled = problem.pointer == "/dataset/label/column";
    const Candidates candidates(document_, unlabelled ? "/loss/kind" : problem.pointer,
                                problem.accepted);
    std::vector<Json> offered;
    for (const Candidate& candidate : candidates.all() | std::views::take(kMaxTried)) {
      if (found.size() >= kMaxFixes) break;
      Json changed;
      try {
        changed = document_.patch(candidate.patch);
      } catch (const Json::exception&) {
        continue;  // the document has no place for it
      }
      if (changed == document_) continue;
      const Parsed parsed = parse(changed);
      const Findings& after = parsed.findings;
      const bool gone = !contains(after.problems, problem) && !contains(after.warnings, problem);
      // Two words for one edit are one fix. What is no document yet means nothing to compare.
      if (!isProblem || after.problems.empty()) changed = toJson(parsed.experiment);
      if (!gone || std::ranges::find(offered, changed) != offered.end()) continue;
      if (after.problems.size() <= problemsLeft && after.warnings.size() <= warningsLeft) {
        offered.push_back(changed);
        found.push_back({FixKind::kEdit, candidate.label, candidate.patch});
      }
    }
  } catch (const Json::exception&) {
    // A pointer that no document can have: nothing to offer.
  }
  return found;
}

}  // namespace parapet::experiment
