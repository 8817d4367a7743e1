// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/watched_users_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace parapet;
using namespace parapet::ui;

namespace {

retrieval::Recommendation listOf(const char* user, std::int64_t step,
                                 const std::vector<int>& items) {
  retrieval::Recommendation list;
  list.user = user;
  list.step = step;
  list.candidates = 300;
  for (const int item : items)
    list.items.push_back({.rank = std::int64_t(list.items.size()) + 1,
                          .item = item,
                          .id = std::to_string(item),
                          .title = "item " + std::to_string(item)});
  return list;
}

QStringList moves(const WatchedUsersModel& model, int user) {
  const QModelIndex parent = model.index(user, 0);
  QStringList texts;
  for (int row = 0; row < model.rowCount(parent); ++row)
    texts << model.index(row, WatchedUsersModel::kMove, parent).data().toString();
  return texts;
}

}  // namespace

class WatchedUsersModelTest : public QObject {
  Q_OBJECT

 private slots:
  void tellsWhatMoved() {
    WatchedUsersModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(model.addUser("7"));
    QVERIFY(!model.addUser("7"));
    model.setList(listOf("7", 10, {1, 2, 3}));
    QCOMPARE(moves(model, 0), (QStringList{"", "", ""}));
    model.setList(listOf("7", 20, {3, 1, 4}));
    QCOMPARE(moves(model, 0), (QStringList{"▲ 2", "▼ 1", "new"}));
    // A step that is asked again has not moved.
    model.setList(listOf("7", 20, {3, 1, 4}));
    QCOMPARE(moves(model, 0), (QStringList{"▲ 2", "▼ 1", "new"}));
    QVERIFY(model.index(0, 0, model.index(0, 0)).data(Qt::BackgroundRole).isValid());
  }

  void saysStepAndCandidates() {
    WatchedUsersModel model;
    model.addUser("7");
    QVERIFY(model.index(0, 0).data().toString().contains("waiting"));
    model.setList(listOf("7", 1234, {1}));
    const QString text = model.index(0, 0).data().toString();
    QVERIFY2(text.contains("step 1,234") && text.contains("300 candidates"), qPrintable(text));
  }

  void growsShrinksAndForgets() {
    WatchedUsersModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.addUser("7");
    model.addUser("8");
    model.setList(listOf("8", 1, {1, 2, 3, 4}));
    model.setList(listOf("8", 2, {1, 2}));
    QCOMPARE(model.rowCount(model.index(1, 0)), 2);
    model.setProblem("8", "unknown user");
    QCOMPARE(model.rowCount(model.index(1, 0)), 0);
    QVERIFY(model.index(1, 0).data().toString().contains("unknown user"));
    model.setList(listOf("9", 2, {1, 2}));  // nobody watches 9
    model.setList(listOf("8", 3, {1, 2, 3}));
    model.removeUser("7");
    QCOMPARE(model.users(), QStringList{"8"});
    QCOMPARE(model.rowCount(model.index(0, 0)), 3);
    model.clearLists();
    QCOMPARE(model.rowCount(model.index(0, 0)), 0);
  }

  void writesEveryListAsCsv() {
    WatchedUsersModel model;
    model.addUser("7");
    model.setList(listOf("7", 1, {1, 2}));
    model.setList(listOf("7", 2, {2, 5}));
    QCOMPARE(model.csv().split('\n').at(1), QString("7,2,300,1,2,item 2,0,1"));
    QCOMPARE(model.csv().split('\n').at(2), QString("7,2,300,2,5,item 5,0,new"));
  }
};

QTEST_GUILESS_MAIN(WatchedUsersModelTest)
#include "watched_users_model_test.moc"
