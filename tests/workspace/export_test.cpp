// SPDX-License-Identifier: Apache-2.0
// Vectors and tables as files: what others read is what the model has.
#include <fmt/format.h>

#include <QtTest>
#include <cstring>
#include <map>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using workspace::ExportWhat;
namespace fs = std::filesystem;

namespace {

/// A matrix read back: a vector per id.
using Vectors = std::map<std::string, std::vector<float>>;

std::vector<float> floatsOf(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

Vectors readSafetensors(const std::string& bytes, const std::string& name) {
  const auto tensors = checkpoint::parseSafetensors(std::as_bytes(std::span(bytes))).value();
  const auto find = [&](const std::string& wanted) {
    return *std::ranges::find(tensors, wanted, &checkpoint::TensorView::name);
  };
  const auto values = find(name);
  const auto ids = find(name + "/ids"), ends = find(name + "/id_ends");
  const std::vector<float> all = floatsOf(values.bytes);
  const auto dim = static_cast<std::size_t>(values.shape[1]);
  Vectors out;
  std::int64_t begin = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(values.shape[0]); ++row) {
    std::int64_t end = 0;
    std::memcpy(&end, ends.bytes.data() + row * sizeof end, sizeof end);
    const std::string id(reinterpret_cast<const char*>(ids.bytes.data()) + begin,
                         static_cast<std::size_t>(end - begin));
    out[id].assign(all.begin() + static_cast<std::ptrdiff_t>(row * dim),
                   all.begin() + static_cast<std::ptrdiff_t>((row + 1) * dim));
    begin = end;
  }
  return out;
}

std::vector<std::string> linesOf(const fs::path& path) {
  std::vector<std::string> lines;
  std::istringstream text(readFile(path).value());
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

Vectors readCsv(const fs::path& path) {
  Vectors out;
  const std::vector<std::string> lines = linesOf(path);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream cells(lines[i]);
    std::string id;
    std::getline(cells, id, ',');
    for (std::string cell; std::getline(cells, cell, ',');) out[id].push_back(std::stof(cell));
  }
  return out;
}

/// Rows of a matrix of NumPy format 1.0, with the ids beside it.
Vectors readNpy(const fs::path& folder, const std::string& name) {
  const std::string bytes = readFile(folder / (name + ".npy")).value();
  const std::vector<std::string> ids = linesOf(folder / (name + ".ids.csv"));
  const auto header = static_cast<std::size_t>(static_cast<unsigned char>(bytes[8])) |
                      static_cast<std::size_t>(static_cast<unsigned char>(bytes[9])) << 8;
  const std::vector<float> all = floatsOf(std::as_bytes(std::span(bytes)).subspan(10 + header));
  const std::size_t dim = all.size() / (ids.size() - 1);
  Vectors out;
  for (std::size_t row = 0; row + 1 < ids.size(); ++row)
    out[ids[row + 1]].assign(all.begin() + static_cast<std::ptrdiff_t>(row * dim),
                             all.begin() + static_cast<std::ptrdiff_t>((row + 1) * dim));
  return out;
}

}  // namespace

class ExportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const auto outcome = place_.train(testing::smallSample());
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
    run_ = outcome.runId;
  }

  /// The scores of the lists are dot products of the exported vectors, in every format.
  void vectorsGiveTheScoresOfTheLists_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"safetensors", "npy", "csv"}) QTest::newRow(format) << format;
  }
  void vectorsGiveTheScoresOfTheLists() {
    QFETCH(QString, format);
    const fs::path out = write(ExportWhat::kVectors, format.toStdString());
    Vectors users, items;
    if (format == "safetensors") {
      const std::string bytes = readFile(out).value();
      users = readSafetensors(bytes, "users");
      items = readSafetensors(bytes, "items");
    } else {
      users = format == "csv" ? readCsv(out / "users.csv") : readNpy(out, "users");
      items = format == "csv" ? readCsv(out / "items.csv") : readNpy(out, "items");
    }
    compareWithLists(run_, users, items);
  }

  /// A history is the user's own at the end of the data, as that of the lists.
  void usersOfAModelWithAHistoryHaveVectors() {
    const std::string run = trained(withFeature({.name = "history",
                                                 .column = "item",
                                                 .table = "item",
                                                 .history = experiment::History{.length = 5}}));
    std::vector<std::string> warnings;
    const std::string bytes =
        readFile(write(ExportWhat::kVectors, "safetensors", run, &warnings)).value();
    QVERIFY(warnings.empty());
    compareWithLists(run, readSafetensors(bytes, "users"), readSafetensors(bytes, "items"));
  }

  /// A vector for each context would be a vector of no user.
  void usersOfAModelWithAContextHaveNone() {
    experiment::Experiment experiment =
        withFeature({.name = "hour", .column = "hour", .table = "hour"});
    experiment.dataset.columns = {{.name = "user", .role = experiment::ColumnRole::kUser},
                                  {.name = "item", .role = experiment::ColumnRole::kItem},
                                  {.name = "hour", .role = experiment::ColumnRole::kContext}};
    const std::string file = place_.folder.filePath("rows.csv").toStdString();
    std::string rows = "user,item,hour\n";
    for (int row = 0; row < 300; ++row)
      rows += fmt::format("u{},i{},{}\n", row % 30, row * 7 % 20, row % 3);
    QVERIFY(writeFileAtomically(file, rows).ok());
    experiment.dataset.source = experiment::SourceKind::kCsv;
    experiment.dataset.path = file;
    experiment.dataset.generator.reset();
    experiment.dataset.label = {std::nullopt, std::nullopt};
    experiment.dataset.vocabularies.push_back(experiment.dataset.vocabularies.back());
    experiment.dataset.vocabularies.back().name = "hour";
    for (experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies) {
      vocabulary.kind = experiment::VocabularyKind::kCompressed;
      vocabulary.size = {};
    }
    experiment.tables.push_back(experiment.tables.back());
    experiment.tables.back().name = experiment.tables.back().vocabulary = "hour";
    const std::string run = trained(experiment);
    std::vector<std::string> warnings;
    const fs::path out = write(ExportWhat::kVectors, "csv", run, &warnings);
    QVERIFY(!fs::exists(out / "users.csv"));
    QVERIFY(fs::exists(out / "items.csv"));
    QCOMPARE(warnings.size(), std::size_t{1});
    QVERIFY2(warnings[0].find("hour of each query") != std::string::npos, warnings[0].c_str());
  }

  /// The same bits whatever the format, and the rows of a table under the ids of its vocabulary.
  void formatsAgree() {
    for (const auto& [what, name] :
         {std::pair{ExportWhat::kVectors, "items"}, {ExportWhat::kTables, "tables/item/weight"}}) {
      const std::string bytes = readFile(write(what, "safetensors")).value();
      const Vectors expected = readSafetensors(bytes, name);
      QVERIFY(expected.size() > 20);
      std::string file = name;
      std::ranges::replace(file, '/', '.');
      QVERIFY(readCsv(write(what, "csv") / (file + ".csv")) == expected);
      Vectors npy = readNpy(write(what, "npy"), file);
      if (npy.contains("\"\"")) {  // row 0 of a table
        npy[""] = npy["\"\""];
        npy.erase("\"\"");
      }
      QVERIFY(npy == expected);
    }
  }

  void everyFormatThatIsOfferedIsWritten() {
    for (const ExportWhat what :
         {ExportWhat::kCheckpoint, ExportWhat::kTables, ExportWhat::kVectors, ExportWhat::kCurves,
          ExportWhat::kRecommendations})
      for (const char* format : workspace::exportFormats(what)) {
        if (std::string_view(format) == "parquet") continue;  // of a plugin; in a test of its own
        QVERIFY(fs::exists(write(what, format)));
      }
  }

  // They are read a block at a time; a metric that only the last one has is a column of all.
  void longCurvesAreWritten() {
    const std::string run = place_.train(testing::smallSample()).runId;
    constexpr std::int64_t kEpochs = 600;
    for (std::int64_t epoch = 3; epoch <= kEpochs; ++epoch) {
      experiment::EpochSummary summary;
      summary.epoch = summary.step = epoch;
      if (epoch == kEpochs) summary.metrics = {{"late", 0.25}};
      place_->store().sink().onEvent(run, experiment::EpochEnded{summary});
    }
    QVERIFY(place_->store().flush().ok());
    workspace::ExportOptions options;
    options.what = ExportWhat::kCurves;
    options.out = place_.folder.filePath("long.csv").toStdString();
    for (const char* format : {"csv", "json"}) {
      options.format = format;
      const auto exported = place_->exportRun(run, options, {});
      QVERIFY2(exported.ok(), exported ? "" : exported.error().text().c_str());
      if (options.format == "csv") {
        const std::vector<std::string> lines = linesOf(options.out);
        QCOMPARE(lines.size(), std::size_t{kEpochs + 1});
        QVERIFY(lines[0].find(",late") != std::string::npos);
        for (std::size_t i = 1; i < lines.size(); ++i)
          QVERIFY2(lines[i].starts_with(fmt::format("{},", i)), lines[i].c_str());
        QVERIFY2(lines.back().find("0.25") != std::string::npos, lines.back().c_str());
      } else {
        const auto rows = nlohmann::json::parse(readFile(options.out).value());
        QCOMPARE(rows.size(), std::size_t{kEpochs});
        QVERIFY(rows.back().at("late") == 0.25);
      }
    }
  }

  void otherFormatsAreRefusedWithWhatIsAccepted() {
    workspace::ExportOptions options;
    options.what = ExportWhat::kVectors;
    options.format = "xlsx";
    options.out = place_.folder.filePath("nothing").toStdString();
    const auto exported = place_->exportRun(run_, options, {});
    QVERIFY(!exported.ok());
    QVERIFY(exported.error().text().find("safetensors, npy, parquet, csv") != std::string::npos);
    QVERIFY(!fs::exists(options.out));
  }

  void aCancelledExportLeavesNoFile() {
    std::stop_source stop;
    stop.request_stop();
    workspace::ExportOptions options;
    options.what = ExportWhat::kRecommendations;
    options.format = "csv";
    options.out = place_.folder.filePath("cancelled.csv").toStdString();
    QVERIFY(!place_->exportRun(run_, options, {{}, stop.get_token()}).ok());
    QVERIFY(!fs::exists(options.out));
  }

  void rankingModelsHaveNoVectors() {
    auto experiment = testing::smallSample();
    experiment.model = {};
    experiment.model.kind = experiment::ModelKind::kRanking;
    experiment.model.layers = {experiment::Layer{}};
    experiment.model.layers[0].units = 1;
    experiment.loss = {};
    const auto outcome = place_.train(experiment);
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
    workspace::ExportOptions options;
    options.what = ExportWhat::kVectors;
    options.format = "npy";
    options.out = place_.folder.filePath("none").toStdString();
    const auto exported = place_->exportRun(outcome.runId, options, {});
    QVERIFY(!exported.ok());
    QVERIFY(exported.error().text().find("ranking model") != std::string::npos);
    QVERIFY(!fs::exists(options.out));
  }

 private:
  static experiment::Experiment withFeature(experiment::Feature feature) {
    experiment::Experiment experiment = testing::smallSample();
    feature.tower = experiment::Tower::kQuery;
    for (experiment::Feature& each : experiment.features)
      if (each.tower == experiment::Tower::kQuery) each.name = "query/" + each.name;
    feature.name = "query/" + feature.name;
    experiment.features.push_back(std::move(feature));
    experiment.model.query = {{.kind = experiment::LayerKind::kAdd, .inputs = {"query"}}};
    return experiment;
  }
  std::string trained(const experiment::Experiment& experiment) {
    const auto outcome = place_.train(experiment);
    if (outcome.error) throw InternalError(outcome.error->text());
    return outcome.runId;
  }
  void compareWithLists(const std::string& run, Vectors users, const Vectors& items) {
    QVERIFY(!users.empty());
    const auto recommender = place_->recommender(run, {}).value();
    const std::vector<std::string> asked{users.begin()->first, std::prev(users.end())->first};
    const auto lists = recommender->recommend(asked, 10, retrieval::SeenItems::kKeep).value();
    for (const retrieval::Recommendation& list : lists) {
      QVERIFY(!list.items.empty());
      std::vector<std::pair<float, std::string>> scores;
      for (const auto& [id, vector] : items) {
        float score = 0.0f;
        for (std::size_t i = 0; i < vector.size(); ++i) score += vector[i] * users[list.user][i];
        scores.emplace_back(score, id);
      }
      std::ranges::sort(scores, std::greater{});
      for (std::size_t rank = 0; rank < list.items.size(); ++rank)
        QVERIFY(std::abs(list.items[rank].score - scores[rank].first) < 1e-5f);
    }
  }
  fs::path write(ExportWhat what, const std::string& format, const std::string& run = {},
                 std::vector<std::string>* warnings = nullptr) {
    workspace::ExportOptions options;
    options.what = what;
    options.format = format;
    options.out = place_.folder.filePath(QString("export-%1").arg(++written_)).toStdString();
    const auto exported = place_->exportRun(run.empty() ? run_ : run, options, {});
    if (!exported.ok()) qWarning("%s", exported.error().text().c_str());
    if (exported.ok() && warnings) *warnings = exported->warnings;
    return options.out;
  }

  testing::TemporaryWorkspace place_;
  std::string run_;
  int written_ = 0;
};

QTEST_GUILESS_MAIN(ExportTest)
#include "export_test.moc"
