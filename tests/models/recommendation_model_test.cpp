// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recommendation_model.h"

#include <QAbstractItemModelTester>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "ui/models/table_text.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

using Rows = std::vector<std::int32_t>;

// A list of item rows, best first; the score of rank r is 1/r.
std::vector<retrieval::RecommendedItem> itemsOf(const Rows& rows) {
  std::vector<retrieval::RecommendedItem> items;
  for (const std::int32_t row : rows) {
    const auto rank = static_cast<std::int64_t>(items.size()) + 1;
    items.push_back({rank, row, std::to_string(row), "Title " + std::to_string(row),
                     1.0f / static_cast<float>(rank), 10 * rank, 0.5, false, false});
  }
  return items;
}

retrieval::Recommendation listOf(const std::vector<std::int32_t>& rows) {
  return {"7", "", 40, 100, itemsOf(rows)};
}

}  // namespace

class RecommendationModelTest : public QObject {
  Q_OBJECT

 private slots:
  void isAProperModel() {
    RecommendationModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setList(listOf({5, 6, 7}));
    QCOMPARE(model.rowCount(), 3);
    model.setList(listOf({6, 5}), retrieval::movesSince(Rows{5, 6}, Rows{6, 5}));
    QCOMPARE(model.rowCount(), 2);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
  }

  void saysWhichRanksTheScoresDoNotDecide() {
    RecommendationModel model;
    auto list = listOf({5, 6, 7, 8});
    model.setList(list);
    QVERIFY(model.note().isEmpty());
    list.items[1].score = list.items[2].score;
    list.items[3].rowShared = 2;
    model.setList(list);
    QCOMPARE(model.note(),
             QString("equal scores, ordered by a hash of the id: 2 · scores of a shared row: 1"));
    const auto tip = [&](int row) {
      return model.index(row, RecommendationModel::kScore).data(Qt::ToolTipRole).toString();
    };
    QVERIFY(!tip(0).contains("hash"));
    QVERIFY(tip(1).contains("a hash of the id") && tip(2).contains("a hash of the id"));
    QVERIFY(tip(3).contains("2 more items"));
  }

  void showsTextAndKeepsExactValues() {
    RecommendationModel model;
    auto list = listOf({5, 6, 7});
    list.items[1].heldOutHit = true;
    list.items[2].seen = true;
    list.items[2].score = -0.25f;
    list.items[2].title.clear();
    model.setList(list);
    using M = RecommendationModel;
    const auto text = [&](int row, int column) {
      return model.index(row, column).data().toString();
    };
    QCOMPARE(text(0, M::kRank), QStringLiteral("1"));
    QCOMPARE(text(0, M::kTitle), QStringLiteral("Title 5"));
    QCOMPARE(text(2, M::kTitle), QStringLiteral("Item 7"));
    QCOMPARE(text(2, M::kScore), QStringLiteral("−0.2500"));
    QCOMPARE(text(0, M::kPopularity), QStringLiteral("50 %"));
    QCOMPARE(text(0, M::kHeldOut), QString());
    QCOMPARE(text(1, M::kHeldOut), QStringLiteral("hit"));
    QCOMPARE(text(2, M::kHeldOut), QStringLiteral("seen"));
    QCOMPARE(model.index(1, M::kScore).data(Qt::EditRole).toFloat(), 0.5f);
    QCOMPARE(model.index(1, M::kHeldOut).data(M::kHitRole).toBool(), true);
    QCOMPARE(model.index(1, M::kTitle).data(M::kItemIdRole).toString(), QStringLiteral("6"));
    QVERIFY(model.index(0, M::kScore).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
  }

  void tintsOnlyRowsThatMoved() {
    RecommendationModel model;
    model.setList(listOf({5, 6, 9}), retrieval::movesSince(Rows{5, 7, 6}, Rows{5, 6, 9}));
    QVERIFY(!model.index(0, 0).data(Qt::BackgroundRole).isValid());
    QVERIFY(model.index(1, 0).data(Qt::BackgroundRole).isValid());
    QCOMPARE(model.index(1, RecommendationModel::kMove).data().toString(), QStringLiteral("▲ 1"));
    QCOMPARE(model.index(2, RecommendationModel::kMove).data().toString(), QStringLiteral("new"));
  }

  void refusesMovesOfAnotherLength() {
    RecommendationModel model;
    QVERIFY_EXCEPTION_THROWN(model.setList(listOf({1, 2}), {Move{}}), InvalidArgument);
  }

  void keepsTitlesOfAnyScript() {
    RecommendationModel model;
    auto list = listOf({5});
    list.items[0].title = "Cité des enfants perdus, 七人の侍";
    model.setList(list);
    QCOMPARE(model.index(0, RecommendationModel::kTitle).data().toString(),
             QString::fromUtf8("Cité des enfants perdus, 七人の侍"));
  }

  void copiesRowsAsTabbedText() {
    RecommendationModel model;
    auto list = listOf({5, 6});
    list.items[1].title = "A\tB\nC";
    model.setList(list);
    const QStringList lines = tableAsTsv(model, {1}).split('\n');
    QCOMPARE(lines.size(), 3);  // header, row, nothing after the last line end
    QCOMPARE(lines[1].split('\t')[RecommendationModel::kTitle], QStringLiteral("A B C"));
    QCOMPARE(tableAsTsv(model).count('\n'), 3);
  }

  void writesCsvWithExactNumbersAndQuotes() {
    RecommendationModel model;
    auto list = listOf({5, 6, 7});
    list.items[0].title = "Say \"yes\", twice";
    model.setList(list);
    QCOMPARE(tableAsCsv(model),
             std::string("rank,move,title,score,popularity_percentile,held_out_hit\n"
                         "1,,\"Say \"\"yes\"\", twice\",1,0.5,false\n"
                         "2,,Title 6,0.5,0.5,false\n"
                         "3,,Title 7,0.33333334,0.5,false\n"));
  }

  void writesJsonThatReadsBack() {
    RecommendationModel model;
    auto list = listOf({5});
    list.items[0].score = std::numeric_limits<float>::quiet_NaN();
    model.setList(list);
    const auto json = nlohmann::json::parse(tableAsJson(model));
    QCOMPARE(json.size(), std::size_t{1});
    QVERIFY(json[0]["score"].is_null());
    QCOMPARE(json[0]["rank"].get<int>(), 1);
    QCOMPARE(json[0]["held_out_hit"].get<bool>(), false);
  }
};

QTEST_GUILESS_MAIN(RecommendationModelTest)
#include "recommendation_model_test.moc"
