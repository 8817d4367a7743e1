// SPDX-License-Identifier: Apache-2.0
// Documents of thousands of entries: work that grows with the square of their number takes minutes
// here, more than the test may.
#include <fmt/format.h>

#include <QtTest>

#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {

using Json = nlohmann::json;

constexpr std::size_t kEntries = 8000;

/// A ranking model over so many columns, each with a vocabulary, a table and a feature.
Json wideDocument() {
  Json document = test::recipeJson("sample");
  Json columns =
      Json::array({{{"name", "user"}, {"role", "user"}}, {{"name", "item"}, {"role", "item"}}});
  Json vocabularies = Json::array({{{"name", "user"}}, {{"name", "item"}}});
  Json tables = Json::array(), features = Json::array(), inputs = Json::array();
  for (std::size_t index = 0; index < kEntries; ++index) {
    const std::string name = fmt::format("column {}", index);
    columns.push_back({{"name", name}, {"role", "feature"}});
    vocabularies.push_back({{"name", name}, {"kind", "compressed"}});
    tables.push_back({{"name", name}, {"vocabulary", name}, {"embedding_dim", 4}});
    features.push_back({{"name", fmt::format("ids/{}", index)}, {"column", name}, {"table", name}});
    inputs.push_back(fmt::format("ids/{}", index));
  }
  Json& dataset = document["dataset"];
  dataset.erase("generator");
  dataset["source"] = "csv";
  dataset["columns"] = std::move(columns);
  dataset["vocabularies"] = std::move(vocabularies);
  document["tables"] = std::move(tables);
  document["features"] = std::move(features);
  document["model"] = {
      {"kind", "ranking"},
      {"layers", Json::array({{{"kind", "dense"}, {"units", 8}, {"inputs", std::move(inputs)}},
                              {{"kind", "dense"}, {"units", 1}}})}};
  document["loss"] = {{"kind", "mse"}};
  document["evaluation"] = {{"k", Json::array({10})}};
  return document;
}

}  // namespace

class LargeDocumentsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void manyFeaturesAreValid() {
    const Parsed parsed = parse(wideDocument());
    QCOMPARE(QString::fromStdString(test::textOf(parsed.findings.problems)), QString());
    QCOMPARE(parsed.experiment.features.size(), kEntries);
  }

  void manyPlacementsByPatternAreValid() {
    Json document = wideDocument();
    for (std::size_t index = 0; index < kEntries; ++index)
      document["layout"][fmt::format("tables/column {}", index)] = {"data", ""};
    QCOMPARE(QString::fromStdString(test::textOf(parse(document).findings.problems)), QString());
  }

  void everyWrongFeatureIsAShortProblem() {
    Json document = wideDocument();
    for (Json& feature : document["features"])
      feature["table"] = feature["table"].get<std::string>() + " of no table";
    const auto problems = parse(document).findings.problems;
    std::size_t unknown = 0;
    for (const Problem& problem : problems) {
      unknown += problem.pointer.ends_with("/table") ? 1 : 0;
      QVERIFY2(problem.message.size() + problem.accepted.size() < 2000, problem.pointer.c_str());
    }
    QCOMPARE(unknown, kEntries);
  }

  void manyLayersAreValid() {
    Json document = test::recipeJson("sample");
    Json layers = Json::array();
    for (std::size_t index = 0; index < 10000; ++index) {
      layers.push_back(
          {{"kind", "dense"}, {"units", 16}, {"name", fmt::format("layer {}", index)}});
      if (index > 0) layers.back()["inputs"] = {fmt::format("layer {}", index - 1)};
    }
    document["model"]["query"] = std::move(layers);
    QCOMPARE(QString::fromStdString(test::textOf(parse(document).findings.problems)), QString());
  }

  void everyDuplicateIsToldOnce() {
    Json document = wideDocument();
    for (Json& table : document["tables"]) table["name"] = "column 0";
    std::size_t duplicates = 0;
    for (const Problem& problem : parse(document).findings.problems)
      duplicates += problem.message.find("earlier entry") != std::string::npos ? 1 : 0;
    QCOMPARE(duplicates, kEntries - 1);
  }
};

QTEST_GUILESS_MAIN(LargeDocumentsTest)
#include "large_documents_test.moc"
