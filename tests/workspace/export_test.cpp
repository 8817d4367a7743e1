// SPDX-License-Identifier: Apache-2.0
// Vectors and tables as files: what others read is what the model has.
#include <fmt/format.h>

#include <QtTest>
#include <cstring>
#include <map>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/ingest/sources/source_kinds.h"
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
    const std::string run = trainedWithAContext();
    std::vector<std::string> warnings;
    const fs::path out = write(ExportWhat::kVectors, "csv", run, &warnings);
    QVERIFY(!fs::exists(out / "users.csv"));
    QVERIFY(fs::exists(out / "items.csv"));
    QCOMPARE(warnings.size(), std::size_t{1});
    QVERIFY2(warnings[0].find("hour of each query") != std::string::npos, warnings[0].c_str());
  }

  /// Every format has the same bits, and the rows of a table under the ids of its vocabulary.
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

  /// Rows of a Parquet file are those of the lists in JSON, with their types; a title that nothing
  /// knows is null.
  void listsAreTheSameInParquet_data() {
    QTest::addColumn<bool>("hasContext");
    QTest::newRow("titles") << false;
    QTest::newRow("a context") << true;
  }
  void listsAreTheSameInParquet() {
    if (const auto plugin = data::requireParquet(); !plugin) QSKIP(plugin.error().text().c_str());
    QFETCH(bool, hasContext);
    const std::string run = hasContext ? trainedWithAContext() : run_;
    workspace::ExportOptions options;
    options.k = 3;
    if (hasContext) options.contexts = {{{"hour", "1"}}, {}};
    const auto json = nlohmann::json::parse(
        readFile(write(ExportWhat::kRecommendations, "json", run, {}, options)).value());
    const fs::path path = write(ExportWhat::kRecommendations, "parquet", run, {}, options);
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kParquet;
    spec.path = path.string();
    const auto source = data::openParquetSource(spec).value();
    std::vector<std::string> names{"user", "rank", "item", "title", "score"};
    if (hasContext) names.insert(names.end(), {"hour", "given"});
    std::vector<data::ColumnRequest> requests;
    for (const data::SourceColumn& column : source->columns()) {
      QCOMPARE(column.name, names[requests.size()]);
      requests.push_back({column.name, column.type, {}, {}});
    }
    QCOMPARE(requests.size(), names.size());
    QVERIFY(source->columns()[1].type == data::ValueType::kInteger);
    QVERIFY(source->columns()[4].type == data::ValueType::kNumber);
    QVERIFY(source->select(requests).ok());
    data::Source::Piece piece;
    QVERIFY(source->next(piece).value());
    data::RowBlock rows;
    QVERIFY(source->parse(piece, rows).ok());
    QVERIFY(!source->next(piece).value());
    std::size_t row = 0;
    for (const auto& list : json)
      for (const auto& item : list.at("items")) {
        QCOMPARE(std::string(rows.columns[0].texts[row]), list.at("user").get<std::string>());
        QCOMPARE(rows.columns[1].integers[row], item.at("rank").get<std::int64_t>());
        QCOMPARE(std::string(rows.columns[2].texts[row]), item.at("id").get<std::string>());
        QCOMPARE(std::string(rows.columns[3].texts[row]), item.at("title").get<std::string>());
        QCOMPARE(rows.columns[3].isMissing(row), hasContext);
        QCOMPARE(static_cast<float>(rows.columns[4].numbers[row]), item.at("score").get<float>());
        if (hasContext) {
          QCOMPARE(std::string(rows.columns[5].texts[row]),
                   list.at("context").at("hour").get<std::string>());
          QCOMPARE(std::size_t(rows.columns[6].offsets[row + 1] - rows.columns[6].offsets[row]),
                   list.at("given").size());
        }
        ++row;
      }
    QVERIFY(row > 0);
    QCOMPARE(rows.rows, std::int64_t(row));
    const auto manifest = nlohmann::json::parse(readFile(path.string() + ".manifest.json").value());
    QVERIFY(manifest.at("format") == "parapet-recommendations" && manifest.at("run") == run);
    QVERIFY(manifest.at("rows") == row && manifest.at("lists") == json.size());
  }

  /// Lists name what a filter leaves, in the order of the recommender; the manifest keeps the filter.
  void listsAreOfTheCandidates() {
    const auto recommender = place_->recommender(run_, {}).value();
    const auto all =
        recommender->recommend(std::vector<std::string>{"1"}, 10, retrieval::SeenItems::kKeep)
            ->front();
    workspace::ExportOptions options;
    options.k = 3;
    options.candidates.items = {all.items[4].id, all.items[2].id, all.items[7].id, "no item"};
    options.candidates.exclude = {all.items[7].id};
    std::vector<std::string> warnings;
    const fs::path out = write(ExportWhat::kRecommendations, "json", run_, &warnings, options);
    const auto lists = nlohmann::json::parse(readFile(out).value());
    QCOMPARE(lists.size(), std::size_t{60});
    const auto list =
        std::ranges::find_if(lists, [](const auto& each) { return each.at("user") == "1"; });
    QCOMPARE(list->at("items").size(), std::size_t{2});
    QVERIFY(list->at("items")[0].at("id") == all.items[2].id);
    QVERIFY(list->at("items")[1].at("id") == all.items[4].id);
    QCOMPARE(warnings.size(), std::size_t{2});
    QVERIFY2(warnings[0].find("\"no item\" is not in the catalogue") != std::string::npos,
             warnings[0].c_str());
    QVERIFY2(warnings[1].find("60 of 60 lists have fewer than 3 items") != std::string::npos,
             warnings[1].c_str());
    const auto manifest = nlohmann::json::parse(readFile(out.string() + ".manifest.json").value());
    QVERIFY(manifest.at("items").size() == 4 && manifest.at("exclude")[0] == all.items[7].id);
    QVERIFY(manifest.at("exclude_seen").is_null());

    options.candidates = {.where = {{"genre", {"Drama"}}}};
    options.what = ExportWhat::kRecommendations;
    options.out = place_.folder.filePath("nowhere.json").toStdString();
    const auto refused = place_->exportRun(run_, options, {});
    QVERIFY(!refused.ok() && refused.error().code == ErrorCode::kInvalidDocument);
    QVERIFY(!fs::exists(options.out));
  }

  void everyFormatThatIsOfferedIsWritten() {
    for (const ExportWhat what :
         {ExportWhat::kCheckpoint, ExportWhat::kTables, ExportWhat::kVectors, ExportWhat::kCurves,
          ExportWhat::kRecommendations})
      for (const char* format : workspace::exportFormats(what)) {
        if (std::string_view(format) == "parquet" && !data::requireParquet()) continue;
        QVERIFY(fs::exists(write(what, format)));
      }
  }

  // Curves are read a block at a time; a metric that only the last one has is a column of all.
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

  /// Neither where it is stopped before it begins, nor once rows have come.
  void aCancelledExportLeavesNoFile() {
    workspace::ExportOptions options;
    options.what = ExportWhat::kRecommendations;
    fs::path folder = place_.folder.filePath("cancelled").toStdString();
    options.out = folder / "lists";
    for (const char* format : workspace::exportFormats(options.what)) {
      if (std::string_view(format) == "parquet" && !data::requireParquet()) continue;
      options.format = format;
      for (const std::string_view stage : {"exporting", "listing"}) {
        std::stop_source stop;
        const auto exported = place_->exportRun(run_, options,
                                                {[&](std::string_view now, auto, auto) {
                                                   if (now == stage) stop.request_stop();
                                                 },
                                                 stop.get_token()});
        QVERIFY(!exported.ok() && exported.error().code == ErrorCode::kCancelled);
        QVERIFY(!fs::exists(folder) || fs::is_empty(folder));
      }
    }
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
  /// The context is the column "hour"; no catalogue has titles.
  std::string trainedWithAContext() {
    experiment::Experiment experiment =
        withFeature({.name = "hour", .column = "hour", .table = "hour"});
    experiment.dataset.columns = {{.name = "user", .role = experiment::ColumnRole::kUser},
                                  {.name = "item", .role = experiment::ColumnRole::kItem},
                                  {.name = "hour", .role = experiment::ColumnRole::kContext}};
    const std::string file = place_.folder.filePath("rows.csv").toStdString();
    std::string rows = "user,item,hour\n";
    for (int row = 0; row < 300; ++row)
      rows += fmt::format("u{},i{},{}\n", row % 30, row * 7 % 20, row % 3);
    if (!writeFileAtomically(file, rows).ok()) throw InternalError(file);
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
    return trained(experiment);
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
                 std::vector<std::string>* warnings = nullptr,
                 workspace::ExportOptions options = {}) {
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
