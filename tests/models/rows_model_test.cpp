// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/rows_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

using namespace parapet::ui;

namespace {

struct Person {
  QString name;
  int age = 0;
};

/// Opens what a model of its own uses.
class People : public RowsModel<Person> {
 public:
  People() {
    setColumns(
        {{.title = "Name",
          .fileKey = "name",
          .tip = "As it is called",
          .text = [](const Person& of, int) { return of.name; },
          .toolTip = [](const Person& of,
                        int row) { return QString("%1. %2").arg(row).arg(of.name); }},
         {.title = "Age",
          .alignment = Qt::AlignRight,
          .text = [](const Person& of, int) { return QString("%1 years").arg(of.age); },
          .value = [](const Person& of, int) { return QVariant(of.age); }},
         {.title = "Exact", .value = [](const Person& of, int) { return QVariant(of.age); }}});
  }
  using RowsModel::appendColumns;
  using RowsModel::changeRow;
  using RowsModel::insertRowAt;
  using RowsModel::insertRowsAt;
  using RowsModel::removeRowsAt;
  using RowsModel::replaceAll;
  using RowsModel::replaceRows;

 protected:
  [[nodiscard]] QVariant more(const Person& row, int column, int role) const override {
    return role == Qt::UserRole ? QVariant(row.age + column) : QVariant();
  }
};

QStringList names(const People& model) {
  QStringList found;
  for (int row = 0; row < model.rowCount(); ++row) found << model.index(row, 0).data().toString();
  return found;
}

}  // namespace

class RowsModelTest : public QObject {
  Q_OBJECT

  using Tester = QAbstractItemModelTester;
  static constexpr auto kStrict = Tester::FailureReportingMode::QtTest;

 private slots:
  void columnsSayWhatAModelShows() {
    People model;
    Tester tester(&model, kStrict);
    model.replaceRows({{"Ada\x1b", 36}, {"Alan", 41}});
    QCOMPARE(model.columnCount(), 3);
    const auto cell = [&](int column, int role) { return model.index(0, column).data(role); };
    QVERIFY(!cell(0, Qt::DisplayRole).toString().contains('\x1b'));  // made visible
    QCOMPARE(cell(0, Qt::EditRole).toString(), QString("Ada\x1b"));
    QVERIFY(cell(0, Qt::ToolTipRole).toString().startsWith("0. Ada"));
    QCOMPARE(cell(1, Qt::DisplayRole).toString(), QString("36 years"));
    QCOMPARE(cell(1, Qt::EditRole), QVariant(36));
    QCOMPARE(cell(1, Qt::TextAlignmentRole).value<Qt::Alignment>(),
             Qt::AlignVCenter | Qt::AlignRight);
    QVERIFY(!cell(1, Qt::ToolTipRole).isValid());
    QCOMPARE(cell(1, Qt::UserRole).toInt(), 37);
    // Without a text a cell shows its value, as views format it.
    QCOMPARE(cell(2, Qt::DisplayRole).userType(), int(QMetaType::Int));
    const auto header = [&](int column, int role) {
      return model.headerData(column, Qt::Horizontal, role);
    };
    QCOMPARE(header(0, kFileKeyRole).toString(), QString("name"));
    QVERIFY(!header(1, kFileKeyRole).isValid());  // files take the title
    QCOMPARE(header(0, Qt::ToolTipRole).toString(), QString("As it is called"));
    QVERIFY(!model.headerData(0, Qt::Vertical, Qt::DisplayRole).isValid());
    QVERIFY(!header(3, Qt::DisplayRole).isValid());
  }

  void rowsChangeOneByOneWithoutReset() {
    People model;
    Tester tester(&model, kStrict);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    model.insertRowsAt(0, {{"a", 1}, {"d", 4}});
    const QPersistentModelIndex last = model.index(1, 0);
    model.insertRowAt(1, {"c", 3});
    model.insertRowsAt(1, {{"b", 2}});
    QCOMPARE(names(model), (QStringList{"a", "b", "c", "d"}));
    QCOMPARE(last.row(), 3);
    model.changeRow(2, {"C", 3});
    QCOMPARE(changes.count(), 1);
    QCOMPARE(changes[0][0].toModelIndex(), model.index(2, 0));
    QCOMPARE(changes[0][1].toModelIndex(), model.index(2, 2));
    model.removeRowsAt(0, 2);
    QCOMPARE(names(model), (QStringList{"C", "d"}));
    model.removeRowsAt(1, 0);
    model.removeRowsAt(1, -3);
    model.insertRowsAt(1, {});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(last.row(), 1);
    QCOMPARE(resets.count(), 0);
  }

  void columnsComeAfterThoseThatAreThere() {
    People model;
    Tester tester(&model, kStrict);
    model.replaceRows({{"Ada", 36}});
    QSignalSpy inserted(&model, &QAbstractItemModel::columnsInserted);
    model.appendColumns({});
    QCOMPARE(inserted.count(), 0);
    model.appendColumns(
        {{.title = "Twice", .value = [](const Person& of, int) { return QVariant(2 * of.age); }}});
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(model.index(0, 3).data().toInt(), 72);
    model.replaceAll({{.title = "Only", .text = [](const Person& of, int) { return of.name; }}},
                     {{"Alan", 41}});
    QCOMPARE(model.columnCount(), 1);
    QCOMPARE(names(model), QStringList{"Alan"});
  }
};

QTEST_GUILESS_MAIN(RowsModelTest)
#include "rows_model_test.moc"
