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
#include "engine/experiment/model_shape.h"
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
    if (pointer == "/model" || starts("/model/query") || starts("/model/candidate") ||
        starts("/model/layers"))
      towers();
    if (starts("/loss")) loss();
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

  void loss() {
    set("In-batch softmax", {{"/loss", {{"kind", "in_batch_softmax"}}}});
    const Pointer label("/dataset/label/column");
    if (!has(label) || !document_.at(label).is_null())
      set("Mean squared error", {{"/loss", {{"kind", "mse"}}}});
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
    if (document_.at(at_).is_null()) return;
    remove(at_.to_string() == "/schedule" ? "Remove the unused schedule"
                                          : "Reset " + wordsOf(printable(at_.back())),
           at_);
  }

  void removeElement() {
    const Pointer entry = element();
    if (entry.empty() || !has(entry)) return;
    const std::string list = entry.parent_pointer().back();
    // "tables" to "table"; what a list holds is named after it.
    const std::string what = list == "axes"          ? "axis"
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

/// Adds a feature to an experiment, with what it needs.
class FeatureAddition {
 public:
  FeatureAddition(const Json& document, const std::string& column)
      : document_(document), parsed_(parse(document)), column_(column) {}

  Json added() {
    const Dataset& dataset = parsed_.experiment.dataset;
    const auto role = dataset.roleOf(column_);
    if (!role || (!holdsIds(*role) && *role != ColumnRole::kNumeric)) return document_;
    tower_ = *role == ColumnRole::kItem ? Tower::kCandidate : Tower::kQuery;
    for (const Feature& feature : parsed_.experiment.features)
      if (feature.tower == tower_ && !feature.table.empty()) beside_.push_back(&feature);
    feature_ = {{"name", freeName(holdsIds(*role))},
                {"column", column_},
                {"tower", tower_ == Tower::kQuery ? "query" : "candidate"}};
    feature_["table"] = holdsIds(*role) ? Json(table(*dataset.vocabularyOf(column_))) : Json();
    append("features", feature_);
    return withLayers();
  }

 private:
  void append(const char* list, Json entry) {
    if (!document_[list].is_array()) document_[list] = Json::array();
    document_[list].push_back(std::move(entry));
  }

  /// In the folder of the ids beside it, which layers may read as a whole.
  [[nodiscard]] std::string freeName(bool isId) const {
    const std::string first = beside_.empty() || !isId ? std::string() : beside_.front()->name;
    const std::string wanted = first.substr(0, first.find_last_of('/') + 1) + column_;
    std::string name = wanted;
    for (int number = 2; std::ranges::find(parsed_.experiment.features, name, &Feature::name) !=
                         parsed_.experiment.features.end();
         ++number)
      name = fmt::format("{}-{}", wanted, number);
    return name;
  }

  /// The table of a vocabulary, added if there is none.
  std::string table(const std::string& vocabulary) {
    const auto& tables = parsed_.experiment.tables;
    if (const auto found = std::ranges::find(tables, vocabulary, &Table::vocabulary);
        found != tables.end())
      return found->name;
    const auto& known = parsed_.experiment.dataset.vocabularies;
    if (std::ranges::find(known, vocabulary, &Vocabulary::name) == known.end())
      document_["dataset"]["vocabularies"].push_back(
          {{"name", vocabulary}, {"kind", "compressed"}, {"size", "auto"}});
    Json entry{{"name", vocabulary}, {"vocabulary", vocabulary}};
    const auto width = std::ranges::find_if(tables, [&](const Table& table) {
      return !beside_.empty() && table.name == beside_[0]->table;
    });
    if (width != tables.end()) entry["embedding_dim"] = width->embeddingDim;
    append("tables", entry);
    return vocabulary;
  }

  /// The document with the first change of the layers after which nothing is wrong that was right.
  Json withLayers() {
    const bool isQuery = tower_ == Tower::kQuery;
    const bool hasSides = hasTowers(parsed_.experiment.model.kind);
    const char* side = !hasSides ? "layers" : isQuery ? "query" : "candidate";
    if (!document_["model"].is_object()) document_["model"] = Json::object();
    Json& layers = document_["model"][side];
    if (!layers.is_array()) layers = Json::array();
    std::vector<Json> tried{layers};
    if (layers.empty()) tried.push_back(Json::array({Json{{"kind", "add"}}}));
    readIn(layers, feature_["name"], tried);
    const ModelShape before = inferModel(parsed_.experiment);
    const ShapeIndex output = isQuery ? before.query : before.candidate;
    if (hasSides && output >= 0) {
      const std::int64_t width = before.at(output).width;
      addProjection(layers, width, tried);
      tried.push_back(layers);
      tried.back().push_back(Json{{"kind", "dense"}, {"units", width}});
    }
    for (const Json& each : tried) {
      Json changed = document_;
      changed["model"][side] = each;
      Findings after = parse(changed).findings;
      // With a context queries are rows, and those of pairs that lists leave out would be misses.
      constexpr const char* kSeenPairs = "/evaluation/seen_pairs";
      if (warnsAt(after, kSeenPairs) && !warnsAt(parsed_.findings, kSeenPairs)) {
        changed["evaluation"]["seen_pairs"] = "drop";
        after = parse(changed).findings;
      }
      if (isSound(after)) return changed;
    }
    return document_;
  }

  /// A number goes through a layer that makes it as wide as what it is added to.
  void addProjection(const Json& layers, std::int64_t width, std::vector<Json>& tried) const {
    const std::string name = column_ + "-projected";
    Json others = Json::array();
    for (const Feature& feature : parsed_.experiment.features)
      if (feature.tower == tower_) others.push_back(feature.name);
    Json reading = layers.empty() ? Json::array({Json{{"kind", "add"}}}) : layers;
    if (reading[0].is_object() && reading[0].value("inputs", Json::array()).empty())
      reading[0]["inputs"] = others;
    const Json projection{{"kind", "dense"},
                          {"name", name},
                          {"inputs", Json::array({feature_["name"]})},
                          {"units", width}};
    const std::size_t first = tried.size();
    readIn(reading, name, tried);
    for (std::size_t index = first; index < tried.size(); ++index)
      tried[index].insert(tried[index].begin(), projection);
  }

  /// Each layer that names what it reads, with one name more.
  static void readIn(const Json& layers, const Json& name, std::vector<Json>& tried) {
    for (std::size_t index = 0; index < layers.size(); ++index) {
      if (!layers[index].is_object() || layers[index].value("inputs", Json::array()).empty())
        continue;
      tried.push_back(layers);
      tried.back()[index]["inputs"].push_back(name);
    }
  }

  static bool warnsAt(const Findings& findings, std::string_view pointer) {
    return std::ranges::find(findings.warnings, pointer, &Problem::pointer) !=
           findings.warnings.end();
  }

  [[nodiscard]] bool isSound(const Findings& after) const {
    return after.problems.size() <= parsed_.findings.problems.size() &&
           after.warnings.size() <= parsed_.findings.warnings.size() &&
           !warnsAt(after, fmt::format("/features/{}", document_["features"].size() - 1));
  }

  Json document_;
  const Parsed parsed_;
  const std::string column_;
  Tower tower_ = Tower::kQuery;
  std::vector<const Feature*> beside_;  ///< of the same tower, with tables
  Json feature_;
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

Json withFeature(const Json& document, const std::string& column) {
  return FeatureAddition(document, column).added();
}

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
      if (!isProblem) changed = toJson(parsed.experiment);
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
