// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/proposal_race.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "engine/base/random.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/other_kind.h"

using namespace parapet;
using experiment::ColumnRole;
using experiment::LossKind;
using experiment::SplitKind;

namespace {

/// 12 users with 8 rows each over 20 items, in turns, an hour apart.
std::string rowsWith(const std::string& header,
                     const std::function<std::string(int, int, int)>& row) {
  std::string text = header + "\n";
  int number = 0;
  for (int turn = 0; turn < 8; ++turn)
    for (int user = 0; user < 12; ++user)
      text += row(user, (user * 3 + turn * 5) % 20, number++) + "\n";
  return text;
}

class Folder {
 public:
  [[nodiscard]] std::filesystem::path write(const std::string& name,
                                            const std::string& text) const {
    const auto path = std::filesystem::path(directory_.path().toStdString()) / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  [[nodiscard]] std::filesystem::path at(const std::string& name) const {
    return std::filesystem::path(directory_.path().toStdString()) / name;
  }

 private:
  QTemporaryDir directory_;
};

std::string reasonAt(const workspace::Proposal& proposal, const std::string& pointer) {
  for (const workspace::ProposalReason& each : proposal.reasons)
    if (each.pointer == pointer) return each.reason;
  return {};
}

const experiment::Column* columnOf(const workspace::Proposal& proposal, ColumnRole role) {
  const auto& columns = proposal.experiment.dataset.columns;
  const auto found = std::ranges::find(columns, role, &experiment::Column::role);
  return found == columns.end() ? nullptr : &*found;
}

/// Rows of 16 steps each: of two steps in three the item before names the next of 60, else it is drawn.
std::string walks(int users) {
  const Random random(11, RandomPurpose::kSampling);
  std::string rows = "user_id,item_id,timestamp\n";
  std::uint64_t draw = 0;
  for (int user = 0; user < users; ++user) {
    std::uint64_t item = random.below(draw++, 60);
    for (int step = 0; step < 16; ++step) {
      rows += fmt::format("{},{},{}\n", user, item, 1'600'000'000 + 3600 * (16 * user + step));
      item = random.below(draw++, 3) > 0 ? (7 * item + 3) % 60 : random.below(draw++, 60);
    }
  }
  return rows;
}

bool hasFeature(const experiment::Experiment& experiment, const std::string& name) {
  return std::ranges::find(experiment.features, name, &experiment::Feature::name) !=
         experiment.features.end();
}

/// Whether every reason is about a setting that is there.
bool reasonsHold(const workspace::Proposal& proposal) {
  const nlohmann::json document(experiment::toJson(proposal.experiment));
  return std::ranges::all_of(proposal.reasons, [&](const workspace::ProposalReason& each) {
    return document.contains(nlohmann::json::json_pointer(each.pointer));
  });
}

std::string text(int value) {
  return std::to_string(value);
}

}  // namespace

class ProposalTest : public QObject {
  Q_OBJECT

  static workspace::Proposal proposed(const std::filesystem::path& file) {
    auto proposal = workspace::proposeExperiment(file, {});
    if (!proposal) throw InternalError(proposal.error().text());
    const auto parsed = experiment::parse(nlohmann::json(experiment::toJson(proposal->experiment)));
    if (!parsed.findings.problems.empty())
      throw InternalError(parsed.findings.problems.front().message);
    if (!reasonsHold(*proposal)) throw InternalError("a reason is of no setting");
    return std::move(proposal).value();
  }

 private Q_SLOTS:
  void eventsBecomeTwoTowersWithAHistory() {
    const Folder folder;
    const auto file = folder.write(
        "events.csv", rowsWith("user_id,item_id,timestamp", [](int user, int item, int number) {
          return "u" + text(user) + ",i" + text(item) + "," + text(1'600'000'000 + 3600 * number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const experiment::Experiment& out = proposal.experiment;
    QCOMPARE(out.name, std::string("events"));
    QVERIFY(out.model.kind == experiment::ModelKind::kRetrieval);
    QVERIFY(out.loss.kind == LossKind::kInBatchSoftmax);
    QVERIFY(out.loss.logQ == experiment::LogQ::kStandard);
    QVERIFY(out.loss.accidentalHits == experiment::AccidentalHits::kMask);
    QVERIFY(out.dataset.split.kind == SplitKind::kLeaveLast);
    QVERIFY(!out.dataset.label.column);
    QVERIFY(std::ranges::any_of(out.features,
                                [](const auto& each) { return each.history.has_value(); }));
    QVERIFY(out.training.earlyStopping.has_value());
    // With 20 items, a list of half of them or more tells nothing.
    QCOMPARE(out.evaluation.k, std::vector<std::int64_t>{10});
    QVERIFY(reasonAt(proposal, "/evaluation/k").find("20 items") != std::string::npos);
    for (const char* pointer :
         {"/dataset/label/column", "/dataset/vocabularies", "/dataset/split/kind",
          "/dataset/batch/size", "/tables", "/loss/kind", "/loss/temperature", "/loss/log_q",
          "/optimizer/learning_rate", "/optimizer/weight_decay", "/training/epochs",
          "/evaluation/exclude_seen"})
      QVERIFY2(!reasonAt(proposal, pointer).empty(), pointer);
  }

  void listsAreShorterThanTheCatalogue() {
    const Folder folder;
    const auto file = folder.write(
        "few.csv", rowsWith("user_id,item_id,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item % 7) + "," + text(1'600'000'000 + 3600 * number);
        }));
    const experiment::Experiment out = proposed(file).experiment;
    QCOMPARE(out.evaluation.k, std::vector<std::int64_t>{3});
    QCOMPARE(out.training.earlyStopping->metric, std::string("val_ndcg@3"));
    QCOMPARE(out.training.checkpoints.best, std::optional<std::string>("val_ndcg@3"));
  }

  // With hardly any rows of each the id of a user is learnt by heart.
  void theIdOfAUserIsAFeatureWhereRowsTellThemApart_data() {
    QTest::addColumn<int>("turns");
    QTest::addColumn<bool>("isFeature");
    QTest::newRow("8 rows of each") << 8 << false;
    QTest::newRow("24 rows of each") << 24 << true;
  }
  void theIdOfAUserIsAFeatureWhereRowsTellThemApart() {
    QFETCH(int, turns);
    QFETCH(bool, isFeature);
    const Folder folder;
    std::string rows = "user_id,item_id,timestamp\n";
    for (int turn = 0; turn < turns; ++turn)
      for (int user = 0; user < 12; ++user)
        rows += text(user) + "," + text((user * 3 + turn * 5) % 29) + "," +
                text(1'600'000'000 + 3600 * turn) + "\n";
    const workspace::Proposal proposal = proposed(folder.write("events.csv", rows));
    const experiment::Experiment& out = proposal.experiment;
    QCOMPARE(
        std::ranges::any_of(out.features, [](const auto& each) { return each.column == "user"; }),
        isFeature);
    QCOMPARE(out.tables.size(), std::size_t(isFeature ? 2 : 1));
    const auto history = std::ranges::find_if(
        out.features, [](const auto& each) { return each.history.has_value(); });
    QVERIFY(history != out.features.end());
    // The validation row of a user comes before his test row, which may know it.
    QVERIFY(history->history->rows == experiment::HistoryRows::kAll);
    // Nobody's query is zero: a layer has a bias.
    QCOMPARE(std::ranges::any_of(
                 out.model.query,
                 [](const auto& layer) { return layer.kind == experiment::LayerKind::kDense; }),
             !isFeature);
  }

  // Every fiftieth row has no user, every thirtieth no time: the guard of the import stays.
  void rowsThatLackWhatTheyNeedAreLeftOut() {
    const Folder folder;
    std::string rows = "user_id,item_id,timestamp\n";
    for (int row = 0; row < 600; ++row)
      rows += (row % 50 == 0 ? "" : text(row % 40)) + "," + text(row * 7 % 30) + "," +
              (row % 30 == 1 ? "" : text(1'600'000'000 + row)) + "\n";
    const auto file = folder.write("events.csv", rows);
    const workspace::Proposal proposal = proposed(file);
    QCOMPARE(proposal.experiment.dataset.maxRejectedShare, experiment::Dataset{}.maxRejectedShare);
    QCOMPARE(proposal.experiment.dataset.filter,
             std::optional<std::string>("`user_id` is not missing and `timestamp` is not missing"));
    const std::string reason = reasonAt(proposal, "/dataset/filter");
    QVERIFY2(reason.find("12 of user_id, 20 of timestamp") != std::string::npos, reason.c_str());
  }

  // A document whose import fails is proposed with what is wrong, not silently.
  void tooManyLinesThatCannotBeReadAreSaid() {
    const Folder folder;
    const auto file = folder.write(
        "events.csv", rowsWith("user,item,note,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item) + (number % 2 == 0 ? ",\"open," : ",x,") +
                 text(1'600'000'000 + number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const std::string reason = reasonAt(proposal, "/dataset/max_rejected_share");
    QVERIFY2(reason.find("48 of 96 lines") != std::string::npos, reason.c_str());
    QVERIFY2(reason.find("line 2: cell 3 has no closing quote") != std::string::npos,
             reason.c_str());
    QCOMPARE(proposal.experiment.dataset.maxRejectedShare, experiment::Dataset{}.maxRejectedShare);
  }

  // Names over codes are a line of names, even if no list has them.
  void codesBelowNamesShowThem() {
    const Folder folder;
    const auto file = folder.write("pairs.csv", rowsWith("what,who", [](int user, int item, int) {
                                     return "item " + text(item) + ",no " + text(user);
                                   }));
    const workspace::Proposal proposal = proposed(file);
    QCOMPARE(columnOf(proposal, ColumnRole::kUser)->originName(), std::string("who"));
    QCOMPARE(columnOf(proposal, ColumnRole::kItem)->originName(), std::string("what"));
    QVERIFY(reasonAt(proposal, "/dataset/columns").empty());
  }

  void columnsWithoutNamesAreSaid() {
    const Folder folder;
    const auto file = folder.write("pairs.csv", rowsWith("1,2", [](int user, int item, int) {
                                     return text(user) + "," + text(item);
                                   }));
    const workspace::Proposal proposal = proposed(file);
    QVERIFY(std::ranges::any_of(proposal.reasons, [](const auto& each) {
      return each.pointer == "/dataset/columns" &&
             each.reason.find("no line of names") != std::string::npos;
    }));
  }

  // Neither seconds nor dates that can be read: a document with such a time would not import.
  void aTimeThatCannotBeReadIsLeftOut() {
    const Folder folder;
    const auto file = folder.write(
        "events.csv", rowsWith("user,item,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item) + ",day " + text(number);
        }));
    const workspace::Proposal proposal = proposed(file);
    QVERIFY(columnOf(proposal, ColumnRole::kTime) == nullptr);
    QVERIFY(proposal.experiment.dataset.split.kind == SplitKind::kLeaveRandom);
    const std::string reason = reasonAt(proposal, "/dataset/columns");
    QVERIFY2(reason.find("timestamp is left out") != std::string::npos, reason.c_str());
  }

  // MySQL writes zeros for a date that is not known.
  void aFewCellsThatAreNoDatesAreLeftOut() {
    const Folder folder;
    const auto file = folder.write(
        "events.csv", rowsWith("user,item,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," +
                 (number % 12 == 5 ? std::string("0000-00-00 00:00:00")
                                   : fmt::format("2025-03-{:02} 10:00:00", 1 + number % 28));
        }));
    const workspace::Proposal proposal = proposed(file);
    QVERIFY(columnOf(proposal, ColumnRole::kTime) != nullptr);
    QCOMPARE(proposal.experiment.dataset.filter,
             std::optional<std::string>("`timestamp` is not missing"));
  }

  // Semicolons, decimal commas, days before months, Windows-1252.
  void anExportOfExcelIsRead() {
    const Folder folder;
    const auto file = folder.write(
        "export.csv", rowsWith("Datum;Artikel;Kunde;Bewertung", [](int user, int item, int number) {
          return fmt::format(
              "{:02}.03.2025 14:{:02};M\xf6"
              "bel {};K{};{},5",
              1 + number % 28, number % 60, item, user, 1 + number % 4);
        }));
    const workspace::Proposal proposal = proposed(file);
    QCOMPARE(columnOf(proposal, ColumnRole::kUser)->originName(), std::string("Kunde"));
    QCOMPARE(columnOf(proposal, ColumnRole::kItem)->originName(), std::string("Artikel"));
    QCOMPARE(columnOf(proposal, ColumnRole::kTime)->originName(), std::string("Datum"));
    QCOMPARE(proposal.experiment.dataset.label.column, std::optional<std::string>("Bewertung"));
    QCOMPARE(*proposal.experiment.dataset.label.scale, (std::array{1.5, 4.5}));
    QVERIFY(reasonAt(proposal, "/dataset/columns").find("Windows-1252") != std::string::npos);
  }

  // Every tenth label and every fourth price is NaN in place of an empty cell.
  void nanCountsAsMissing() {
    const Folder folder;
    const auto file = folder.write(
        "ratings.csv", rowsWith("user,item,rating,age", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," +
                 (number % 10 == 3 ? "nan" : text(1 + number % 5)) + "," +
                 (user % 4 == 0 ? "NaN" : text(20 + user) + ".5");
        }));
    const workspace::Proposal proposal = proposed(file);
    QCOMPARE(proposal.experiment.dataset.filter,
             std::optional<std::string>("`rating` is not missing"));
    const experiment::Column* age = columnOf(proposal, ColumnRole::kNumeric);
    QVERIFY(age && age->missing == experiment::MissingNumbers::kMean);
  }

  void aColumnOfPartsIsTheSplit_data() {
    QTest::addColumn<QStringList>("parts");
    QTest::addColumn<bool>("isSplit");
    QTest::addColumn<QString>("says");
    QTest::newRow("all three") << QStringList{"train", "train", "validation", "test"} << true
                               << "the split as given";
    QTest::newRow("no test") << QStringList{"train", "validation"} << true << "the split as given";
    QTest::newRow("no validation")
        << QStringList{"train", "train", "test"} << true << "the split as given";
    QTest::newRow("other words") << QStringList{"train", "validation", "late"} << false << "";
  }
  void aColumnOfPartsIsTheSplit() {
    QFETCH(QStringList, parts);
    QFETCH(bool, isSplit);
    QFETCH(QString, says);
    const Folder folder;
    const auto file = folder.write(
        "events.csv", rowsWith("user,item,fold,timestamp", [&](int user, int item, int number) {
          return text(user) + "," + text(item) + "," + parts[number % parts.size()].toStdString() +
                 "," + text(1'600'000'000 + number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const experiment::Split& split = proposal.experiment.dataset.split;
    QCOMPARE(split.kind == SplitKind::kColumn, isSplit);
    if (isSplit) {
      QCOMPARE(split.column, std::string("fold"));
      QCOMPARE(split.validation.value, parts.contains("validation") ? 0.0 : 0.1);
    }
    // Rows that are held out may come before others.
    for (const experiment::Feature& feature : proposal.experiment.features)
      if (feature.history)
        QCOMPARE(feature.history->rows == experiment::HistoryRows::kTrain, isSplit);
    const std::string reason =
        reasonAt(proposal, isSplit ? "/dataset/split/kind" : "/dataset/split");
    QVERIFY2(reason.find(says.toStdString()) != std::string::npos, reason.c_str());
    QCOMPARE(reason.empty(), says.isEmpty());
  }

  void filesOfPartsAreTheSplit() {
    const Folder folder;
    const auto rows = [](int first) {
      return rowsWith("user,item,timestamp", [first](int user, int item, int number) {
        return text(user) + "," + text(item) + "," + text(1'600'000'000 + first + number);
      });
    };
    const auto file = folder.write("train.csv", rows(0));
    static_cast<void>(folder.write("test.csv", rows(100'000)));
    const workspace::Proposal proposal = proposed(file.parent_path());
    const experiment::Split& split = proposal.experiment.dataset.split;
    QCOMPARE(split.kind, SplitKind::kFiles);
    QCOMPARE(split.testFile.value_or(""), std::string("test.csv"));
    QCOMPARE(split.validation.value, 0.1);
    QVERIFY(reasonAt(proposal, "/dataset/split/kind").find("train.csv and test.csv") !=
            std::string::npos);
    QVERIFY(!reasonAt(proposal, "/dataset/split/validation_rows").empty());
    const auto document = workspace::documentOf(proposal);
    QCOMPARE(document["dataset"]["split"]["validation_rows"].get<double>(), 0.1);
  }

  void titlesBesideTheDataAreProposed() {
    const Folder folder;
    std::string films = "movieId,title\n", genres = "movieId,genre\n";
    for (int item = 0; item < 20; ++item) {
      films += text(item) + ",The Film " + text(item) + "\n";
      genres += text(item) + ",g" + text(item % 3) + "\n";
    }
    for (const auto& [name, content] : {std::pair{"movies.csv", films}, {"genres.csv", genres}})
      QVERIFY(std::filesystem::exists(folder.write(name, content)));
    const auto file = folder.write(
        "ratings.csv", rowsWith("userId,movieId,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," + text(1'600'000'000 + number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const auto& catalogues = proposal.experiment.dataset.catalogues;
    QCOMPARE(catalogues.size(), std::size_t{1});
    QCOMPARE(catalogues[0].path, std::string("movies.csv"));
    QCOMPARE(catalogues[0].title.value_or(""), std::string("title"));
    QVERIFY(reasonAt(proposal, "/dataset/catalogues/0").find("movies.csv") != std::string::npos);
  }

  // An import would end with it.
  void titlesThatAnImportRejectsAreLeftOut_data() {
    QTest::addColumn<QByteArray>("broken");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("an open quote") << QByteArray("\"Two lines\n") << QByteArray("line 2");
    QTest::newRow("an id again") << QByteArray("Again\n0,Zero\n") << QByteArray("second time");
  }
  void titlesThatAnImportRejectsAreLeftOut() {
    QFETCH(QByteArray, broken);
    QFETCH(QByteArray, says);
    const Folder folder;
    std::string films = "movieId,title\n0," + broken.toStdString();
    for (int item = 1; item < 60; ++item) films += text(item) + ",The Film " + text(item) + "\n";
    (void)folder.write("movies.csv", films);
    const auto file = folder.write(
        "ratings.csv", rowsWith("userId,movieId,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," + text(1'600'000'000 + number);
        }));
    const workspace::Proposal proposal = proposed(file);
    QVERIFY(proposal.experiment.dataset.catalogues.empty());
    const std::string reason = reasonAt(proposal, "/dataset/catalogues");
    QVERIFY2(reason.find("movies.csv") != std::string::npos &&
                 reason.find(says.toStdString()) != std::string::npos,
             reason.c_str());
  }

  void withoutTimesRowsAreDrawnPerUser() {
    const Folder folder;
    const auto file =
        folder.write("pairs.tsv", rowsWith("customer\tproduct", [](int user, int item, int) {
                       return "c" + text(user) + "\tp" + text(item);
                     }));
    const workspace::Proposal proposal = proposed(file);
    QVERIFY(proposal.experiment.dataset.split.kind == SplitKind::kLeaveRandom);
    QVERIFY(std::ranges::none_of(proposal.experiment.features,
                                 [](const auto& each) { return each.history.has_value(); }));
    QCOMPARE(columnOf(proposal, ColumnRole::kUser)->originName(), std::string("customer"));
  }

  void ratingsGetAHeadOfTheirOwn() {
    const Folder folder;
    const auto file = folder.write(
        "ratings.csv",
        rowsWith("userId,movieId,rating,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," + text(1 + (user * item + number) % 5) + "," +
                 text(1'600'000'000 + number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const experiment::Experiment& out = proposal.experiment;
    QCOMPARE(out.dataset.label.column.value_or(""), std::string("rating"));
    QCOMPARE(*out.dataset.label.scale, (std::array{1.0, 5.0}));
    QCOMPARE(out.model.heads.size(), std::size_t{1});
    QVERIFY(out.model.heads.front().loss.kind == LossKind::kMse);
    QVERIFY(!reasonAt(proposal, "/model/heads/0").empty());
    // One star is not wanted.
    QCOMPARE(out.evaluation.relevanceThreshold, std::optional(4.0));
    QVERIFY(reasonAt(proposal, "/evaluation/relevance_threshold").find("rated 4 or more") !=
            std::string::npos);
  }

  void whatIsRelevantFollowsTheScale_data() {
    QTest::addColumn<QString>("labels");
    QTest::addColumn<double>("threshold");
    QTest::newRow("half stars") << "0.5 1 1.5 2 2.5 3 3.5 4 4.5 5" << 4.0;
    QTest::newRow("ten") << "1 2 3 4 5 6 7 8 9 10" << 8.0;
    QTest::newRow("around zero") << "-2 -1 0 1 2" << 1.0;
    QTest::newRow("three") << "0 1 2" << 2.0;
    QTest::newRow("no one star") << "2 3 4 5" << 4.0;
    QTest::newRow("no three stars") << "1 2 4 5" << 4.0;
    QTest::newRow("grades") << "1 2 3 4 5 6" << 5.0;
    QTest::newRow("the best two") << "4 5" << 5.0;
    QTest::newRow("damaged") << "1 2 3 4 5 1 2 3 4 5 ?" << 4.0;
  }
  void whatIsRelevantFollowsTheScale() {
    QFETCH(QString, labels);
    QFETCH(double, threshold);
    const QStringList all = labels.split(' ');
    const Folder folder;
    const auto file = folder.write(
        "ratings.csv", rowsWith("user,item,rating", [&](int user, int item, int number) {
          return text(user) + "," + text(item) + "," +
                 all[(user * item + number) % all.size()].toStdString();
        }));
    const workspace::Proposal proposal = proposed(file);
    QCOMPARE(
        reasonAt(proposal, "/dataset/label/column").find("are no numbers") != std::string::npos,
        labels.contains('?'));
    QCOMPARE(reasonAt(proposal, "/dataset/max_rejected_share").empty(), !labels.contains('?'));
    QVERIFY(proposal.experiment.evaluation.relevanceThreshold.has_value());
    QVERIFY(std::abs(*proposal.experiment.evaluation.relevanceThreshold - threshold) < 1e-9);
  }

  void aLabelOfTwoValuesIsRanked() {
    const Folder folder;
    const auto file = folder.write(
        "clicks.csv",
        rowsWith("user,item,device,price,click,time", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," + (number % 2 ? "tv" : "phone") + "," +
                 (number % 7 == 0 ? "" : text(item * 10)) + "," + text(number % 3 == 0) + "," +
                 text(1'600'000'000 + number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const experiment::Experiment& out = proposal.experiment;
    QVERIFY(out.model.kind == experiment::ModelKind::kRanking);
    QVERIFY(out.loss.kind == LossKind::kBce);
    QVERIFY(out.dataset.split.kind == SplitKind::kTemporal);
    const experiment::Column* price = columnOf(proposal, ColumnRole::kNumeric);
    QVERIFY(price != nullptr);
    QVERIFY(price->missing == experiment::MissingNumbers::kMean);
    QVERIFY(std::ranges::any_of(out.features, [](const experiment::Feature& each) {
      return each.transform == experiment::NumericTransform::kStandardize;
    }));
  }

  void aLabelThatIsAlwaysOneTellsNothing() {
    const Folder folder;
    const auto file =
        folder.write("likes.csv", rowsWith("user,item,liked", [](int user, int item, int) {
                       return text(user) + "," + text(item) + ",1";
                     }));
    const workspace::Proposal proposal = proposed(file);
    QVERIFY(!proposal.experiment.dataset.label.column);
    QVERIFY(proposal.experiment.loss.kind == LossKind::kInBatchSoftmax);
  }

  void featuresGoToTheTowerTheyDescribe() {
    const Folder folder;
    const auto file = folder.write(
        "rows.csv",
        rowsWith("user,item,gender,genres,year,duration", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," + (user % 2 ? "f" : "m") + ",g" +
                 text(item % 4) + "|g" + text(item % 3) + "," + text(1990 + item) + "," +
                 text(number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const auto towerOf = [&](const char* column) {
      const auto found = std::ranges::find(proposal.experiment.features, std::string(column),
                                           &experiment::Feature::column);
      if (found == proposal.experiment.features.end()) return -1;
      return found->tower == experiment::Tower::kQuery ? 0 : 1;
    };
    QCOMPARE(towerOf("gender"), 0);
    QCOMPARE(towerOf("genres"), 1);
    QCOMPARE(towerOf("year"), 1);
    // A column of neither user nor item is not known when a list is asked for.
    QCOMPARE(towerOf("duration"), -1);
    QVERIFY(reasonAt(proposal, "/dataset/columns").find("left out") != std::string::npos);
  }

  void aTinyFileGetsATinyBatch() {
    const Folder folder;
    std::string rows = "user,item,time\n";
    for (int row = 0; row < 20; ++row)
      rows += text(row % 4) + "," + text(row % 7) + "," + text(1'600'000'000 + row) + "\n";
    const workspace::Proposal proposal = proposed(folder.write("tiny.csv", rows));
    QVERIFY(*proposal.experiment.dataset.batch.size <= 10);
  }

  void whatIsNoInteractionIsRefused_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty") << QByteArray() << "is empty";
    QTest::newRow("header only") << QByteArray("user,item,time\n") << "row";
    QTest::newRow("two rows") << QByteArray("user,item\n1,2\n3,4\n") << "has 2 rows";
    QTest::newRow("one column") << QByteArray("user\n1\n2\n3\n") << "one column";
    QTest::newRow("prose") << QByteArray("It was a dark and stormy night.\nThe rain fell.\n")
                           << "column";
    QTest::newRow("zeros") << QByteArray("user,item\n1,\0\n", 14) << "neither text nor Parquet";
    QTest::newRow("no line that can be read")
        << QByteArray("user,item\n1,\xE9\n2,\xE9\n1,\xE9\n") << "line 2: bytes that are not UTF-8";
    QByteArray numbers("a,b,c\n");
    for (int row = 0; row < 40; ++row)
      numbers += QByteArray::number(row * 0.37) + "," + QByteArray::number(row * 1.01) + "," +
                 QByteArray::number(row) + "\n";
    QTest::newRow("no ids") << numbers << "shows no";
  }
  void whatIsNoInteractionIsRefused() {
    QFETCH(QByteArray, content);
    QFETCH(QString, message);
    const Folder folder;
    const auto proposal =
        workspace::proposeExperiment(folder.write("data.csv", content.toStdString()), {});
    QVERIFY(!proposal);
    QVERIFY2(proposal.error().code == ErrorCode::kData, proposal.error().text().c_str());
    const QString said = QString::fromStdString(proposal.error().text());
    QVERIFY2(said.contains(message), qPrintable(said));
    QVERIFY(said.contains("data.csv"));
  }

  void textsGetAMaskedLanguageModel() {
    const Folder folder;
    std::string lines;
    for (int line = 0; line < 40; ++line) lines += "The fox jumps over the lazy dog again .\n";
    const auto file = folder.write("prose.txt", lines);
    workspace::Proposal proposal = proposed(file);
    QVERIFY(proposal.experiment.dataset.isText());
    QVERIFY(proposal.experiment.model.kind == experiment::ModelKind::kMaskedLm);
    QCOMPARE(proposal.experiment.name, std::string("prose"));
    QCOMPARE(proposal.experiment.dataset.text->minBytes, std::int64_t{0});
    const auto pieces = [&proposal] {
      return QString::fromStdString(reasonAt(proposal, "/dataset/text/vocabulary"));
    };
    QVERIFY2(pieces().contains("parapet-cli vocabulary"), qPrintable(pieces()));
    (void)folder.write("my-vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nfox\n");
    proposal = proposed(file);
    QCOMPARE(proposal.experiment.dataset.text->vocabulary, std::string("my-vocab.txt"));
    QVERIFY2(pieces().contains("beside the texts"), qPrintable(pieces()));
  }

  void whatIsNotThereIsNotFound() {
    const auto proposal = workspace::proposeExperiment("/no/such/file.csv", {});
    QVERIFY(!proposal);
    QVERIFY(proposal.error().code == ErrorCode::kNotFound);
  }

  // Each item names the next one, so that the last one of a user says more than a mean of many.
  void orderedRowsGetTheirLastItems() {
    const Folder folder;
    const workspace::Proposal rule = proposed(folder.write("walks.csv", walks(300)));
    QVERIFY(!hasFeature(rule.experiment, "query/ids/last"));
    const workspace::RaceBudget budget{.steps = 240};
    const workspace::Proposal raced = workspace::raceProposal(rule, {}, budget);
    QVERIFY(hasFeature(raced.experiment, "query/ids/last"));
    QVERIFY(hasFeature(raced.experiment, "query/ids/recent"));
    QVERIFY(reasonsHold(raced));
    const QString why = QString::fromStdString(reasonAt(raced, "/features/2/history"));
    QVERIFY2(why.contains("val_ndcg@10"), qPrintable(why));
    // A setting that is no variant stays as the rule has it.
    experiment::Experiment same = raced.experiment;
    same.features = rule.experiment.features;
    same.tables = rule.experiment.tables;
    same.loss.temperature = rule.experiment.loss.temperature;
    QCOMPARE(experiment::canonicalText(same), experiment::canonicalText(rule.experiment));
    const workspace::Proposal again = workspace::raceProposal(rule, {}, budget);
    QCOMPARE(workspace::documentOf(again).dump(), workspace::documentOf(raced).dump());
  }

  void aCancelledRaceLeavesTheRule() {
    const Folder folder;
    const workspace::Proposal rule = proposed(folder.write("walks.csv", walks(300)));
    std::stop_source stop;
    const WorkContext context{[&stop](std::string_view stage, std::int64_t, std::int64_t) {
                                if (stage.starts_with("comparing")) stop.request_stop();
                              },
                              stop.get_token()};
    const workspace::Proposal raced = workspace::raceProposal(rule, context, {.steps = 240});
    QVERIFY(stop.stop_requested());
    QCOMPARE(experiment::canonicalText(raced.experiment),
             experiment::canonicalText(rule.experiment));
    QVERIFY(reasonAt(raced, "/training").find("not compared") != std::string::npos);
    QVERIFY(reasonsHold(raced));
  }

  void fewUsersAreNotRaced() {
    const Folder folder;
    const workspace::Proposal rule = proposed(folder.write("walks.csv", walks(60)));
    const workspace::Proposal raced = workspace::raceProposal(rule, {});
    QCOMPARE(experiment::canonicalText(raced.experiment),
             experiment::canonicalText(rule.experiment));
    const QString why = QString::fromStdString(reasonAt(raced, "/training"));
    QVERIFY2(why.contains("fewer than 200 validation rows"), qPrintable(why));
  }

  void theShortDocumentMeansTheSame() {
    const Folder folder;
    const auto file = folder.write(
        "events.csv", rowsWith("user_id,item_id,timestamp", [](int user, int item, int number) {
          return text(user) + "," + text(item) + "," + text(1'600'000'000 + 3600 * number);
        }));
    const workspace::Proposal proposal = proposed(file);
    const auto whole = experiment::toJson(proposal.experiment);
    const auto compact = experiment::compactJson(proposal.experiment, {"/optimizer/weight_decay"});
    QVERIFY(compact.dump().size() * 2 < whole.dump().size());
    const auto parsed = experiment::parse(nlohmann::json(compact));
    QVERIFY(parsed.findings.problems.empty());
    QCOMPARE(experiment::toJson(parsed.experiment).dump(), whole.dump());
    QVERIFY(compact["optimizer"].contains("weight_decay"));
  }
};

QTEST_GUILESS_MAIN(ProposalTest)
#include "proposal_test.moc"
