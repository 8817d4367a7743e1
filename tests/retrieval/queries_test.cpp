// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/queries.h"

#include <QTest>

#include "engine/data/split/split.h"
#include "engine/retrieval/interactions.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::ColumnRole;

namespace {

/// Reads a device and a number, and the last two items if asked.
struct FakeSide : QuerySide {
  std::vector<ContextColumn> columns{{"device", false}, {"hour", true}};
  bool history = false;

  [[nodiscard]] std::span<const ContextColumn> contexts() const override { return columns; }
  [[nodiscard]] std::vector<ContextCell> lastContext(std::int32_t user) const override {
    return {{user > 0 ? 2 : 1, 0.0f}, {0, user > 0 ? 7.0f : 12.0f}};
  }
  [[nodiscard]] bool readsHistory() const override { return history; }
  [[nodiscard]] std::vector<std::int32_t> historyOf(const EncoderQuery& query) const override {
    std::vector<std::int32_t> items = query.history.value_or(std::vector<std::int32_t>{1});
    if (items.size() > 2) items.erase(items.begin(), items.end() - 2);
    return items;
  }
};

constexpr const char* kRows =
    "user,item,device,hour\n"
    "ann,x,phone,1\nann,y,tv,2\nbob,x,phone,3\nbob,z,phone,4\ncid,y,tv,5\n";

}  // namespace

class QueriesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    fixture_.write("rows.csv", kRows);
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture_.source() / "rows.csv").string();
    spec.label.column.reset();
    spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                    {.name = "item", .role = ColumnRole::kItem},
                    {.name = "device", .role = ColumnRole::kContext},
                    {.name = "hour", .role = ColumnRole::kNumeric}};
    for (const char* name : {"user", "item", "device"}) {
      experiment::Vocabulary vocabulary;
      vocabulary.name = name;
      vocabulary.kind = experiment::VocabularyKind::kCompressed;
      spec.vocabularies.push_back(vocabulary);
    }
    const auto report = fixture_.import(spec);
    QVERIFY_OK(report);
    dataset_ = report->dataset;
    // The last row, which is cid's, is held out.
    data::Split split;
    split.train = data::RowSet(std::vector<std::int64_t>{0, 1, 2, 3});
    split.validation = data::RowSet(std::vector<std::int64_t>{4});
    interactions_ = std::make_unique<Interactions>(*dataset_, "user", "item", split);
  }

  void combinationsTakeOneValueOfEachName() {
    const auto all = combinations({{"device", {"phone", "tv"}}, {"hour", {"1", "2"}}});
    QCOMPARE(all.size(), std::size_t{4});
    QCOMPARE(all[1][0].value, std::string("phone"));  // the last name changes first
    QCOMPARE(all[1][1].value, std::string("2"));
    QCOMPARE(combinations({}).size(), std::size_t{1});
    QVERIFY(combinations({})[0].empty());
  }

  void whatIsNotGivenIsAsInTheLastRow() {
    const auto found = reader().resolve({"ann", {{"hour", "3.5"}}});
    QVERIFY_OK(found);
    QVERIFY(found->fromLastRow && found->warnings.empty());
    QCOMPARE(found->context.size(), std::size_t{2});
    QVERIFY(!found->context[0].given && found->context[1].given);
    QCOMPARE(found->encoder.context[0].row, 2);
    QCOMPARE(found->encoder.context[1].number, 3.5f);
  }

  void aValueWithoutARowIsOutOfVocabularyAndSaid() {
    const auto found = reader().resolve({"ann", {{"device", "radio"}}});
    QVERIFY_OK(found);
    QCOMPARE(found->encoder.context[0].row, 0);
    QCOMPARE(found->warnings.size(), std::size_t{1});
    QVERIFY(found->warnings[0].find("\"radio\"") != std::string::npos);
  }

  void wrongContextsAreRefused_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown") << "devise"
                             << "tv"
                             << "did you mean \"device\"";
    QTest::newRow("no number") << "hour"
                               << "noon"
                               << "a number";
    QTest::newRow("not finite") << "hour"
                                << "1e60"
                                << "a number";
  }
  void wrongContextsAreRefused() {
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, says);
    const auto found = reader().resolve({"ann", {{name.toStdString(), value.toStdString()}}});
    QVERIFY(!found.ok());
    QCOMPARE(found.error().code, ErrorCode::kInvalidDocument);
    QVERIFY2(QString::fromStdString(found.error().message).contains(says),
             found.error().message.c_str());
  }

  void aContextGivenTwiceIsRefused() {
    const auto found = reader().resolve({"ann", {{"hour", "1"}, {"hour", "2"}}});
    QVERIFY(!found.ok() && found.error().message.find("twice") != std::string::npos);
  }

  // Nothing but the user is known of it then.
  void anUnknownUserNeedsAContext() {
    const auto alone = reader().resolve({"nobody"});
    QVERIFY(!alone.ok());
    QCOMPARE(alone.error().code, ErrorCode::kNotFound);
    const auto found = reader().resolve({"nobody", {{"device", "tv"}}});
    QVERIFY_OK(found);
    QCOMPARE(found->encoder.user, 0);
    QVERIFY(!found->fromLastRow);
    QVERIFY(found->warnings[0].find("not in the data") != std::string::npos);
    QVERIFY(found->warnings[0].find("the context") != std::string::npos);
  }

  void aUserWithoutTrainingRowsHasTheUsualContext() {
    const auto found = reader().resolve({"cid"});
    QVERIFY_OK(found);
    QVERIFY(!found->fromLastRow);
    QVERIFY(found->warnings[0].find("no training rows") != std::string::npos);
    const auto usual = reader().usualContext();
    QCOMPARE(usual[1].value, std::string("12"));
    QVERIFY(!usual[1].given);
  }

  void aGivenHistoryStandsForTheUsersOwn() {
    QVERIFY(!reader().resolve(withHistory("ann", {"x"})).ok());  // the model reads none
    side_.history = true;
    const auto found = reader().resolve(withHistory("ann", {"z", "gone", "y", "x"}));
    side_.history = false;
    QVERIFY_OK(found);
    QVERIFY(found->history && found->history->given);
    QCOMPARE(found->history->items, (std::vector<std::string>{"y", "x"}));
    QCOMPARE(found->warnings.size(), std::size_t{2});
    QVERIFY(found->warnings[0].find("\"gone\" is not in the catalogue") != std::string::npos);
    QVERIFY(found->warnings[1].find("the last 2 of 3") != std::string::npos);
  }

  void aHundredUnknownItemsAreNotAllNamed() {
    std::vector<std::string> items{"gone 0"};
    for (int item = 0; item < 100; ++item) items.push_back("gone " + std::to_string(item));
    side_.history = true;
    const auto found = reader().resolve(withHistory("ann", items));
    side_.history = false;
    QVERIFY_OK(found);
    const std::string& warning = found->warnings.at(0);
    QVERIFY2(warning.starts_with("history: \"gone 0\", \"gone 1\","), warning.c_str());
    QVERIFY2(warning.find("\"gone 9\" and 90 more are not in") != std::string::npos,
             warning.c_str());
  }

  void aRowIsAQueryInItsOwnContext() {
    const EncoderQuery query = reader().queryOf(1, 2);
    QCOMPARE(query.row, std::int64_t{2});
    QCOMPARE(query.context[1].number, 3.0f);
    QCOMPARE(query.context[0].row, dataset_->vocabularyOf("device").row("phone").value());
  }

 private:
  [[nodiscard]] QueryReader reader() const {
    return {*dataset_, dataset_->vocabularyOf("user"), dataset_->vocabularyOf("item"),
            *interactions_, &side_};
  }
  static Query withHistory(const char* user, std::vector<std::string> items) {
    Query query(user);
    query.history = std::move(items);
    return query;
  }

  data::ImportFixture fixture_;
  std::shared_ptr<const data::Dataset> dataset_;
  std::unique_ptr<Interactions> interactions_;
  FakeSide side_;
};

QTEST_APPLESS_MAIN(QueriesTest)
#include "queries_test.moc"
