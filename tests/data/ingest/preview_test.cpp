// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/preview.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/files.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/fit_vocabularies.h"
#include "engine/data/split/split_timeline.h"
#include "tests/base/counted_memory.h"

using namespace parapet;
using namespace parapet::data;

namespace {

constexpr std::int64_t kDay = 86'400;

/// `rows` ratings: user i mod 7, item i mod 5, rating 1 … 5, a day apart.
std::string ratings(int rows) {
  std::string text = "userId,movieId,rating,timestamp,genres\n";
  for (int i = 0; i < rows; ++i)
    text += fmt::format("{},{},{},{},a|b\n", i % 7 + 1, i % 5 + 1, i % 5 + 1, i * kDay);
  return text;
}

const SourceColumn& columnOf(const SourcePreview& preview, std::string_view name) {
  return *std::ranges::find(preview.columns, name, &SourceColumn::name);
}

/// A line of names and two of numbers; no name tells a role.
std::string wideTable(int columns) {
  std::string text;
  for (int c = 0; c < columns; ++c) text += fmt::format("a_long_name_of_a_column_{},", c);
  text += "end\n";
  for (int line = 0; line < 2; ++line) {
    for (int c = 0; c < columns; ++c) text += "1,";
    text += "1\n";
  }
  return text;
}

}  // namespace

class PreviewTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::path(folder_.path().toStdString()) / name;
    if (!writeFileAtomically(path, text)) qFatal("the test cannot write its files");
    return path;
  }
  /// The file with the roles that its columns suggest.
  static experiment::Dataset suggested(const std::filesystem::path& path) {
    experiment::Dataset spec = detectSource(path).value();
    return suggestDataset(spec, previewSource(spec, 5, {}, makeGenerator).value());
  }

 private Q_SLOTS:
  void showsTheFirstRowsAndCountsTheRest() {
    const auto path = write("a.csv", ratings(1000));
    const auto preview = previewSource(detectSource(path).value(), 20, {}, makeGenerator);
    QVERIFY2(preview.ok(), preview.ok() ? "" : preview.error().text().c_str());
    QCOMPARE(preview->rows.size(), std::size_t{20});
    QCOMPARE(preview->columns.size(), std::size_t{5});
    QCOMPARE(columnOf(*preview, "userId").type, ValueType::kInteger);
    QCOMPARE(columnOf(*preview, "genres").type, ValueType::kText);
    QCOMPARE(preview->rows[2][2].value(), std::string("3"));
    QVERIFY(preview->complete);
    QCOMPARE(preview->rowsExpected, std::int64_t{1000});
  }

  void reportsRejectedLinesByTheirNumberAndMissingCells() {
    const auto path = write("bad.csv", "user,item,rating\n1,2,3\n1,2\n4,,5\n");
    const auto preview = previewSource(detectSource(path).value(), 20, {}, makeGenerator).value();
    QCOMPARE(preview.rejectedLines.rejected(), std::int64_t{1});
    QCOMPARE(preview.rejectedLines.lines().front().number, std::int64_t{3});
    QCOMPARE(preview.rows.size(), std::size_t{2});
    QVERIFY(!preview.rows[1][1].has_value());
    QCOMPARE(preview.rows[1][2].value(), std::string("5"));
  }

  // A file beside the data is looked at, not read to its end.
  void readsNoFurtherThanItIsAllowed() {
    const experiment::Dataset spec = detectSource(write("long.csv", ratings(250'000))).value();
    constexpr std::int64_t kUpTo = 2 << 20;
    const auto source = openSource(spec, makeGenerator).value();
    QVERIFY(source->total() > 2 * kUpTo);
    const auto preview = previewSource(*source, spec, 1'000'000, {}, kUpTo).value();
    QVERIFY(preview.rowsRead > 0);
    QVERIFY(!preview.complete);
    QVERIFY(source->done() < kUpTo + (2 << 20));
  }

  void derivedColumnsStandBehindAndThoseThatCannotBeAreTold() {
    experiment::Dataset spec = detectSource(write("d.csv", ratings(10))).value();
    spec.derived.resize(2);
    spec.derived[0].name = "lost";
    spec.derived[0].from = "nowhere";
    spec.derived[1].name = "day";
    spec.derived[1].kind = experiment::DerivedKind::kWeekday;
    spec.derived[1].from = "timestamp";
    const auto preview = previewSource(spec, 3, {}, makeGenerator).value();
    QCOMPARE(preview.sourceColumns, std::size_t{5});
    QCOMPARE(preview.columns.back().name, std::string("day"));
    QCOMPARE(preview.rows[0].back().value(), std::string("thursday"));
    QCOMPARE(preview.derivedProblems.size(), std::size_t{1});
  }

  void countsWhatTheFilterKeeps() {
    experiment::Dataset spec = detectSource(write("c.csv", ratings(1000))).value();
    spec.derived.resize(1);
    spec.derived[0].name = "weekend";
    spec.derived[0].kind = experiment::DerivedKind::kWeekend;
    spec.derived[0].from = "timestamp";
    const auto all = countRows(spec, 0, {}, makeGenerator).value();
    QCOMPARE(all.rows, std::int64_t{1000});
    QCOMPARE(all.kept, std::int64_t{1000});
    QVERIFY(all.complete);
    spec.filter = "rating >= 4";
    QCOMPARE(countRows(spec, 0, {}, makeGenerator).value().kept, std::int64_t{400});
    // The days 0 … 999 from a Thursday on: 2 and 3 modulo 7.
    spec.filter = "weekend = \"weekend\" and rating >= 1";
    QCOMPARE(countRows(spec, 0, {}, makeGenerator).value().kept, std::int64_t{286});
  }

  // Rows that lack an id, and cells further down that are no numbers.
  void countsWhatAnImportRejects() {
    std::string text = "user,item,rating,timestamp\n";
    for (int row = 0; row < 9'000; ++row)
      text += fmt::format("u{},{},{},{}\n", row % 30, row % 10 == 3 ? "NULL" : "i7",
                          row == 8'000 ? "?" : "4", 1'600'000'000 + row);
    experiment::Dataset spec = suggested(write("n.csv", text));
    const auto count = countRows(spec, 0, {}, makeGenerator).value();
    QCOMPARE(count.rejected, std::int64_t{901});
    QCOMPARE(count.rows, std::int64_t{8'099});
    QCOMPARE(count.kept, std::int64_t{8'099});
    spec.filter = "item is not missing";
    const auto filtered = countRows(spec, 0, {}, makeGenerator).value();
    QCOMPARE(filtered.rejected, std::int64_t{1});
    QCOMPARE(filtered.kept, std::int64_t{8'099});
    QCOMPARE(filtered.rows, std::int64_t{8'999});
  }

  void aFilterOfUnknownColumnsSaysWhereAndWhich() {
    experiment::Dataset spec = detectSource(write("u.csv", ratings(10))).value();
    spec.filter = "ratnig >= 4";
    const auto count = countRows(spec, 0, {}, makeGenerator);
    QVERIFY(!count.ok());
    QCOMPARE(count.error().pointer, std::string("/dataset/filter"));
    QVERIFY(count.error().text().find("rating") != std::string::npos);
    QVERIFY(count.error().text().find('^') != std::string::npos);
  }

  // Names of columns are made and copied for each column, never for each pair of them.
  void workGrowsWithTheColumns() {
    const auto allocationsFor = [this](int columns) {
      const auto path = write("wide.csv", wideTable(columns));
      const experiment::Dataset spec = suggested(path);
      const std::int64_t before = sample::allocations();
      const SourcePreview preview = previewSource(spec, 2, {}, makeGenerator).value();
      if (preview.columns.size() != std::size_t(columns) + 1) qFatal("columns are missing");
      if (!usesOfColumns(spec, preview.columns).empty()) qFatal("a name tells a role");
      return sample::allocations() - before;
    };
    allocationsFor(10);  // what is made once
    const std::int64_t few = allocationsFor(300), many = allocationsFor(3000);
    QVERIFY2(many < 20 * few, fmt::format("{} and {} allocations", few, many).c_str());
  }

  void suggestsRolesFromNames() {
    const auto path = write("s.csv", ratings(10));
    const experiment::Dataset spec = suggested(path);
    const auto columns = previewSource(spec, 1, {}, makeGenerator).value().columns;
    for (const auto& [column, use] :
         {std::pair{"userId", "user"}, std::pair{"movieId", "item"}, std::pair{"rating", "label"},
          std::pair{"timestamp", "time"}, std::pair{"genres", "feature"}})
      QCOMPARE(useOfColumn(spec, columns, column), std::string(use));
    QCOMPARE(spec.vocabularies.size(), std::size_t{3});
    QCOMPARE(spec.columns.back().separator.value_or(""), std::string("|"));
  }

  void rolesAreProposedFromNamesAndCells_data() {
    QTest::addColumn<QString>("header");
    QTest::addColumn<QString>("cells");  // of a row: u, i, s, t, n, y, r, d as below
    QTest::addColumn<QString>("uses");
    QTest::newRow("words") << "visitor,book,stars,when"
                           << "uIst"
                           << "user,item,label,time";
    QTest::newRow("nothing known") << "a,b,c,d"
                                   << "uist"
                                   << "user,item,label,time";
    QTest::newRow("other order") << "a,b,c,d"
                                 << "tsui"
                                 << "time,label,user,item";
    QTest::newRow("titles are items") << "a,b"
                                      << "Iu"
                                      << "item,user";
    QTest::newRow("one name") << "song,b"
                              << "iu"
                              << "item,user";
    QTest::newRow("two columns") << "a,b"
                                 << "ui"
                                 << "user,item";
    QTest::newRow("number of the row") << "a,b,c"
                                       << "nui"
                                       << ",user,item";
    QTest::newRow("yes or no") << "a,b,c"
                               << "uiy"
                               << "user,item,label";
    QTest::newRow("stars before yes or no") << "a,b,c,d"
                                            << "uisy"
                                            << "user,item,label,";
    QTest::newRow("ids of few values") << "a,b"
                                       << "us"
                                       << "user,item";
    QTest::newRow("remarks") << "a,b,c"
                             << "uri"
                             << "user,,item";
    QTest::newRow("yes or no in words") << "a,b,clicked"
                                        << "uiY"
                                        << "user,item,label";
    QTest::newRow("days in digits") << "user,item,c"
                                    << "uiD"
                                    << "user,item,time";
    QTest::newRow("a time as text") << "user,item,timestamp"
                                    << "uid"
                                    << "user,item,time";
  }
  void rolesAreProposedFromNamesAndCells() {
    QFETCH(QString, header);
    QFETCH(QString, cells);
    QFETCH(QString, uses);
    std::string text = header.toStdString() + '\n';
    for (int row = 0; row < 400; ++row) {
      const int user = row / 8, item = row * 7 % 83;
      QStringList line;
      for (const QChar cell : cells) switch (cell.toLatin1()) {
          case 'u':
            line << QString::number(500 + user * 3);
            break;
          case 'i':
            line << QString::number(item * 11);
            break;
          case 'I':
            line << QString("The book %1").arg(item);
            break;
          case 's':
            line << QString::number(1 + row * 3 % 5);
            break;
          case 't':
            line << QString::number(1'400'000'000 + row * 77);
            break;
          case 'n':
            line << QString::number(row + 1);
            break;
          case 'y':
            line << QString::number(row * 5 % 3 == 0);
            break;
          case 'Y':
            line << (row * 5 % 3 == 0 ? "True" : "False");
            break;
          case 'D':
            line << QString("%1%2%3")
                        .arg(2000 + row / 28 % 15)
                        .arg(1 + row / 2 % 12, 2, 10, QChar('0'))
                        .arg(1 + row % 28, 2, 10, QChar('0'));
            break;
          case 'r':
            line << QString("so good %1").arg(row);
            break;
          default:
            line << QString("2020-01-%1").arg(1 + row % 28, 2, 10, QChar('0'));
        }
      text += line.join(',').toStdString() + '\n';
    }
    const experiment::Dataset spec = detectSource(write("roles.csv", text)).value();
    const SourcePreview preview = previewSource(spec, 400, {}, makeGenerator).value();
    const std::vector<RoleProposal> proposals = proposeRoles(preview);
    QStringList found;
    for (const SourceColumn& column : preview.columns) {
      const auto at = std::ranges::find(proposals, column.name, &RoleProposal::column);
      found << (at == proposals.end() ? QString() : QString::fromStdString(at->use));
      if (at != proposals.end()) QVERIFY(!at->reason.empty());
    }
    QCOMPARE(found.join(','), uses);
  }

  void ratingsGetTheirScale() {
    std::string text = "who,what,score\n";
    for (int row = 0; row < 100; ++row)
      text += fmt::format("{},{},{}\n", row / 5, row * 7 % 23, 0.5 + 0.5 * (row % 10));
    const experiment::Dataset spec = detectSource(write("scale.csv", text)).value();
    const auto label =
        suggestDataset(spec, previewSource(spec, 100, {}, makeGenerator).value()).label;
    QCOMPARE(label.column.value(), std::string("score"));
    QCOMPARE(label.scale->at(0), 0.5);
    QCOMPARE(label.scale->at(1), 5.0);
  }

  // Some cells of a rating are damaged; where many are, it is another kind of column.
  void damagedCellsAmongNumbersAreCounted_data() {
    QTest::addColumn<QString>("header");
    QTest::addColumn<int>("every");
    QTest::addColumn<QString>("label");
    QTest::newRow("by name") << "who,what,rating" << 10 << "rating";
    QTest::newRow("by cells") << "who,what,c" << 10 << "c";
    QTest::newRow("grades") << "who,what,grade" << 1000 << "grade";
    QTest::newRow("half of them") << "who,what,rating" << 2 << "";
  }
  void damagedCellsAmongNumbersAreCounted() {
    QFETCH(QString, header);
    QFETCH(int, every);
    QFETCH(QString, label);
    std::string text = header.toStdString() + "\n";
    for (int row = 0; row < 100; ++row)
      text += fmt::format("{},{},{}\n", row / 5, row * 7 % 23,
                          row % every == 3 % every ? "?" : std::to_string(1 + row % 6));
    const experiment::Dataset spec = detectSource(write("damaged.csv", text)).value();
    SourcePreview preview = previewSource(spec, 100, {}, makeGenerator).value();
    const std::vector<RoleProposal> proposals = proposeRoles(preview);
    const auto found = std::ranges::find(proposals, "label", &RoleProposal::use);
    QCOMPARE(found == proposals.end() ? QString() : QString::fromStdString(found->column), label);
    if (label.isEmpty()) return;
    const bool counted = found->reason.find("10 of 100 cells are no numbers") != std::string::npos;
    QCOMPARE(counted, every == 10);
    const auto scale = suggestDataset(spec, preview).label.scale;
    QVERIFY(scale && scale->at(0) == 1.0 && scale->at(1) == 6.0);
    // Titles and the like, which catalogues add, are never read as numbers.
    preview.sourceColumns = 2;
    const std::vector<RoleProposal> joined = proposeRoles(preview);
    QVERIFY(std::ranges::find(joined, "label", &RoleProposal::use) == joined.end());
  }

  void countsOfASampleSaySo() {
    std::string text = "a,b,rating\n";
    for (int row = 0; row < 100; ++row)
      text += fmt::format("u{},i{},{}\n", row / 5, row * 7 % 23,
                          row % 10 == 3 ? "?" : std::to_string(1 + row % 5));
    const experiment::Dataset spec = detectSource(write("sample.csv", text)).value();
    const auto reasons = [&](std::int64_t rows) {
      std::string all;
      for (const RoleProposal& each :
           proposeRoles(previewSource(spec, rows, {}, makeGenerator).value()))
        all += each.reason + "\n";
      return all;
    };
    const std::string whole = reasons(1000), part = reasons(50);
    for (const char* words :
         {"10 of 100 cells are no numbers", "20 different texts in 100 cells\n"})
      QVERIFY2(whole.find(words) != std::string::npos, whole.c_str());
    for (const char* words : {"5 of 50 cells of the first 50 rows are no numbers",
                              "10 different texts in 50 cells of the first 50 rows\n"})
      QVERIFY2(part.find(words) != std::string::npos, part.c_str());
  }

  void aGradeBesideARatingIsNoLabel() {
    std::string text = "user,item,grade,rating\n";
    for (int row = 0; row < 100; ++row)
      text += fmt::format("{},{},{},{}\n", row / 5, row * 7 % 23, 1 + row % 6, 1 + row % 5);
    const auto spec = suggested(write("grade.csv", text));
    QCOMPARE(spec.label.column.value_or(""), std::string("rating"));
  }

  void fewRowsTellNothing() {
    const experiment::Dataset spec = detectSource(write("few.csv", "a,b\n1,2\n1,3\n2,2\n")).value();
    QVERIFY(proposeRoles(previewSource(spec, 10, {}, makeGenerator).value()).empty());
  }

  void featuresOfSeveralValuesGetTheirSeparators() {
    const auto spec = suggested(
        write("f.csv", "user,item,tags,genres,brand\n1,2,7:0.5|9:1,a:b|c,x\n1,3,4:2,d,y\n"));
    const auto column = [&spec](std::string_view name) {
      return *std::ranges::find(spec.columns, name, &experiment::Column::name);
    };
    QCOMPARE(column("tags").separator.value_or(""), std::string("|"));
    QCOMPARE(column("tags").weights.value_or(""), std::string(":"));
    QCOMPARE(column("genres").separator.value_or(""), std::string("|"));
    QVERIFY(!column("genres").weights);
    QVERIFY(!column("brand").separator);
  }

  void aNewUseTakesTheOldOneAway() {
    const auto path = write("w.csv", ratings(10));
    experiment::Dataset spec = suggested(path);
    const auto columns = previewSource(spec, 1, {}, makeGenerator).value().columns;
    spec = withUse(spec, columns, "timestamp", "user");
    QCOMPARE(useOfColumn(spec, columns, "timestamp"), std::string("user"));
    QCOMPARE(useOfColumn(spec, columns, "userId"), std::string());
    spec = withUse(spec, columns, "rating", "");
    QVERIFY(!spec.label.column);
    spec = withUse(spec, columns, "genres", "weight");
    QCOMPARE(spec.weight.value(), std::string("genres"));
    QCOMPARE(spec.vocabularies.size(), std::size_t{2});
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, withUse(spec, columns, "rating", "star"));
  }

  void whatIsNoDataIsRefusedWithWhatWouldBe_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("found");
    QTest::newRow("nothing") << QByteArray() << "is empty";
    QTest::newRow("experiment") << QByteArray("{\"parapet\": 1}") << "is an experiment";
    QTest::newRow("bytes") << QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) << "neither text";
  }
  void whatIsNoDataIsRefusedWithWhatWouldBe() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, found);
    const auto spec = detectSource(write("x", bytes.toStdString()));
    QVERIFY(!spec.ok());
    QVERIFY2(QString::fromStdString(spec.error().text()).contains(found),
             spec.error().text().c_str());
    QVERIFY(spec.error().text().find("accepted") != std::string::npos);
    QCOMPARE(detectSource(folder_.path().toStdString() + "/gone").error().code,
             ErrorCode::kNotFound);
  }

  void aPipeIsNamedAndNotOpened() {
    const std::string pipe = folder_.path().toStdString() + "/pipe";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QVERIFY(detectSource(pipe).error().text().find("is a pipe") != std::string::npos);
  }

  void aMovieLensFolderIsFoundBelowTheOneThatIsNamed() {
    QDir(folder_.path()).mkpath("deep/ml-100k");
    write("deep/ml-100k/u.data", "1\t2\t3\t4\n");
    const auto spec = detectSource(folder_.path().toStdString() + "/deep").value();
    QCOMPARE(spec.source, experiment::SourceKind::kMovielens);
    QVERIFY(spec.path->ends_with("ml-100k"));
    QCOMPARE((*spec.label.scale)[0], 1.0);
  }

  // Ids of the larger sets go beyond the number of movies.
  void onlyTheIdsOf100KAreRowsOfTheCatalogue() {
    QDir(folder_.path()).mkpath("ml-1m");
    write("ml-1m/ratings.dat", "1::9::3::4\n2::1::4::5\n");
    write("ml-1m/movies.dat", "1::Heat (1995)::Action\n9::Ran (1985)::Drama\n");
    write("ml-1m/users.dat", "1::M::24::11::85711\n2::F::53::0::94043\n");
    const auto spec = detectSource(folder_.path().toStdString() + "/ml-1m").value();
    QVERIFY(spec.vocabularies[1].kind == experiment::VocabularyKind::kCompressed);
    const auto report =
        importDataset(spec, folder_.path().toStdString() + "/sets", {}, makeGenerator);
    QVERIFY2(report.ok(), report.ok() ? "" : report.error().text().c_str());
    QCOMPARE(report->rows, std::int64_t{2});
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.title(items.row("9").value()), std::string_view("Ran (1985)"));
  }

  void theTimelineTellsWhereThePartsLie() {
    experiment::Dataset spec = suggested(write("t.csv", ratings(1000)));
    const auto report =
        importDataset(spec, folder_.path().toStdString() + "/sets", {}, makeGenerator);
    QVERIFY2(report.ok(), report.ok() ? "" : report.error().text().c_str());
    experiment::Experiment experiment;
    experiment.dataset = spec;
    experiment.dataset.split = {};
    experiment.dataset.split.kind = experiment::SplitKind::kTemporal;
    experiment.dataset.split.validation = {0.1, true};
    experiment.dataset.split.test = {0.1, true};
    const auto split = makeSplit(*report->dataset, experiment, 100);
    QVERIFY2(split.ok(), split.ok() ? "" : split.error().text().c_str());
    const SplitTimeline timeline = splitTimeline(*report->dataset, *split, 10);
    QVERIFY(timeline.hasTimes);
    QCOMPARE(timeline.begin, std::int64_t{0});
    QCOMPARE(timeline.end, 1000 * kDay);
    // Bins of whole days, as the rows are whole days apart: none is empty beside a full one.
    for (const auto& [most, bins, rows] :
         {std::array{10, 10, 100}, std::array{1600, 1000, 1}, std::array{300, 250, 4}}) {
      const SplitTimeline of = splitTimeline(*report->dataset, *split, most);
      QCOMPARE(of.bins.size(), static_cast<std::size_t>(bins));
      for (const SplitTimeline::Counts& bin : of.bins)
        QCOMPARE(bin[0] + bin[1] + bin[2] + bin[3], static_cast<std::int64_t>(rows));
    }
    QCOMPARE(timeline.totals, (SplitTimeline::Counts{800, 100, 100, 0}));
    QVERIFY(timeline.spans[SplitTimeline::kTrain].last <
            timeline.spans[SplitTimeline::kValidation].first);
    SplitTimeline::Counts sums{};
    for (const SplitTimeline::Counts& bin : timeline.bins)
      for (std::size_t part = 0; part < SplitTimeline::kParts; ++part) sums[part] += bin[part];
    QCOMPARE(sums, timeline.totals);
    QCOMPARE(timeline.bins.front()[SplitTimeline::kTest], std::int64_t{0});
  }

  void coverageGrowsToTheShareOfKnownIds() {
    std::string text = "user,item\n";
    for (int i = 0; i < 60; ++i) text += fmt::format("{},{}\n", i, i < 30 ? 1 : i < 50 ? 2 : i);
    experiment::Dataset spec = suggested(write("cover.csv", text));
    std::ranges::find(spec.vocabularies, "item", &experiment::Vocabulary::name)->minCount = 2;
    const auto report =
        importDataset(spec, folder_.path().toStdString() + "/sets", {}, makeGenerator);
    QVERIFY2(report.ok(), report.ok() ? "" : report.error().text().c_str());
    Split all;
    all.train = RowSet::all(report->rows);
    const auto fitted = fitVocabularies(report->dataset, spec, all);
    QVERIFY(fitted.ok());
    const auto curve = coverageCurve((*fitted)->vocabulary("item"), 20);
    QCOMPARE(curve.front().ids, std::int64_t{1});
    QCOMPARE(curve.front().share, 0.5);
    QCOMPARE(curve.back().ids, std::int64_t{2});
    QCOMPARE(curve.back().share, 50.0 / 60.0);
  }
};

QTEST_GUILESS_MAIN(PreviewTest)
#include "preview_test.moc"
