// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/experiment.h"
#include "engine/experiment/fixes.h"
#include "engine/experiment/model_kind.h"
#include "engine/experiment/model_shape.h"

namespace parapet::experiment {
namespace {

using Json = nlohmann::json;

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

}  // namespace

Json withFeature(const Json& document, const std::string& column) {
  return FeatureAddition(document, column).added();
}

}  // namespace parapet::experiment
