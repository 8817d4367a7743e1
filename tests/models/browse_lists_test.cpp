// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QtTest>
#include <cmath>

#include "ui/models/explanation_models.h"
#include "ui/models/table_text.h"
#include "ui/models/user_models.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

QString cell(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

}  // namespace

class BrowseListsTest : public QObject {
  Q_OBJECT

 private slots:
  void historyShowsLabelPartAndDay() {
    HistoryModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.setHistory({{3, "3", "Alien", 4.0, 86400, experiment::SplitPart::kTrain},
                      {4, "4", "", 2.5, 0, experiment::SplitPart::kTest}});
    QCOMPARE(cell(model, 0, HistoryModel::kTitle), QStringLiteral("Alien"));
    QCOMPARE(cell(model, 0, HistoryModel::kLabel), QStringLiteral("4"));
    QCOMPARE(cell(model, 0, HistoryModel::kTime), QStringLiteral("1970-01-02"));
    QCOMPARE(cell(model, 1, HistoryModel::kTitle), QStringLiteral("Item 4"));
    QCOMPARE(cell(model, 1, HistoryModel::kLabel), QStringLiteral("2.5"));
    QCOMPARE(cell(model, 1, HistoryModel::kPart), QStringLiteral("test"));
    QCOMPARE(cell(model, 1, HistoryModel::kTime), QString());
    model.setHistory({});
    QCOMPARE(model.rowCount(), 0);
  }

  void usersWithoutHeldOutRowsHaveNoRecall() {
    UserListModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.setUsers({{1, "17", "24 · M · artist", 1234, 0.25}, {2, "18", "", 3, std::nan("")}});
    QCOMPARE(model.userAt(0), QStringLiteral("17"));
    QCOMPARE(model.userAt(2), QString());
    QCOMPARE(model.userAt(-1), QString());
    QCOMPARE(cell(model, 0, UserListModel::kActivity), QStringLiteral("1,234"));
    QCOMPARE(cell(model, 0, UserListModel::kRecall), QStringLiteral("25 %"));
    QCOMPARE(cell(model, 1, UserListModel::kRecall), QStringLiteral("–"));
    QCOMPARE(tableAsCsv(model),
             std::string("user,attributes,training_rows,recall@10,context_sensitivity\n"
                         "17,24 · M · artist,1234,0.25,\n18,,3,,\n"));
  }

  void similarItemsKeepTheirOrder() {
    SimilarItemsModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.setItems({{3, "3", "Alien", 0.98765}, {4, "4", "Brazil", -0.5}});
    QCOMPARE(cell(model, 0, SimilarItemsModel::kRank), QStringLiteral("1"));
    QCOMPARE(cell(model, 0, SimilarItemsModel::kCosine), QStringLiteral("0.9877"));
    QCOMPARE(cell(model, 1, SimilarItemsModel::kCosine), QStringLiteral("−0.5000"));
    QCOMPARE(model.index(1, 0).data(SimilarItemsModel::kItemIdRole).toString(),
             QStringLiteral("4"));
  }

  void termsAreSortedBySizeAndSumUp() {
    ExplanationModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.setTerms({0.25f, -2.0f, 0.5f, 1.0f});
    QCOMPARE(model.rowCount(), 4);
    const int expected[] = {1, 3, 2, 0};
    const double sums[] = {-2.0, -1.0, -0.5, -0.25};
    for (int row = 0; row < 4; ++row) {
      QCOMPARE(model.terms()[static_cast<std::size_t>(row)].dimension, expected[row]);
      QCOMPARE(model.index(row, ExplanationModel::kRunningSum).data(Qt::EditRole).toDouble(),
               sums[row]);
    }
    QCOMPARE(model.sum(), -0.25);
    model.setTerms({});
    QCOMPARE(model.sum(), 0.0);
  }

  void itemRanksTellRankGapAndExclusion() {
    ItemRanksModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    using M = ItemRanksModel;
    model.setRows({{"1", retrieval::ItemRank{3, 1200, 0.75f, 0.5f, 0.25f, false}},
                   {"2", retrieval::ItemRank{11, 1200, 0.25f, 0.5f, -0.25f, false}},
                   {"3", retrieval::ItemRank{1, 1199, 0.75f, 0.5f, 0.25f, true}},
                   {"4", Error{ErrorCode::kNotFound, "user \"4\" is not in the data"}}},
                  10);
    QCOMPARE(cell(model, 0, M::kRank), QStringLiteral("3 of 1,200"));
    QCOMPARE(cell(model, 0, M::kGap), QStringLiteral("+0.2500"));
    QCOMPARE(cell(model, 0, M::kStatus), QStringLiteral("in the list"));
    QCOMPARE(cell(model, 1, M::kGap), QStringLiteral("−0.2500"));
    QCOMPARE(cell(model, 1, M::kStatus), QStringLiteral("outside the list"));
    QVERIFY(cell(model, 2, M::kStatus).startsWith("excluded"));
    QCOMPARE(cell(model, 3, M::kRank), QString());
    QVERIFY(cell(model, 3, M::kStatus).contains("is not in the data"));
    QCOMPARE(model.headerData(M::kGap, Qt::Horizontal).toString(), QStringLiteral("Gap to #10"));
  }
};

QTEST_GUILESS_MAIN(BrowseListsTest)
#include "browse_lists_test.moc"
