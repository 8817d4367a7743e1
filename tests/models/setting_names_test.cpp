// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/setting_names.h"

#include <QTest>

using namespace parapet::ui;

class SettingNamesTest : public QObject {
  Q_OBJECT

 private slots:
  void aSettingIsCalledAsTheFormsCallIt_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("section");
    QTest::addColumn<QString>("name");
    const auto row = [](const char* pointer, const char* section, const char* name) {
      QTest::newRow(pointer) << pointer << section << name;
    };
    row("/dataset/batch/size", "Training", "Global batch size");
    row("/optimizer/learning_rate", "Model", "Optimizer: learning rate");
    row("/training/seed", "Training", "Seed");
    row("/loss/kind", "Model", "Loss");
    row("/mesh/devices", "Devices & placement", "Devices");
    row("/tables/1/embedding_dim", "Tables & features", "Table item: embedding dim");
    row("/model/query/0/units", "Model", "Query layer 1: units");
    row("/name", "Experiment", "Name");
    row("", "Experiment", "Document");
  }
  void aSettingIsCalledAsTheFormsCallIt() {
    QFETCH(QString, pointer);
    const SettingName found =
        settingName(pointer.toStdString(),
                    {{"tables", {{{"name", "user"}}, {{"name", "item"}, {"embedding_dim", 8}}}},
                     {"model", {{"query", {{{"kind", "dense"}, {"units", 4}}}}}}});
    QTEST(found.section, "section");
    QTEST(found.name, "name");
  }

  // A document may lack the entry, or have names that are no texts.
  void anEntryWithoutANameHasItsNumber() {
    QCOMPARE(settingName("/tables/2/placement", {}).name, QString("Table 3: placement"));
    QCOMPARE(settingName("/tables/0/placement", {{"tables", {{{"name", 7}}}}}).name,
             QString("Table 1: placement"));
    QCOMPARE(settingName("/tables/99/placement", {{"tables", "none"}}).name,
             QString("Table 100: placement"));
  }

  void escapedKeysAreShownAsTheyAre() {
    QVERIFY(settingName("/layout/user~1id", {}).name.contains("user/id", Qt::CaseInsensitive));
  }

  void sectionsAreInTheOrderOfTheSteps() {
    int before = -1;
    for (const char* pointer :
         {"/name", "/dataset/path", "/tables", "/model", "/training", "/mesh"}) {
      const int rank = sectionRank(settingName(pointer, {}).section);
      QVERIFY2(rank > before, pointer);
      before = rank;
    }
    QVERIFY(sectionRank("no section") > before);
  }
};

QTEST_APPLESS_MAIN(SettingNamesTest)
#include "setting_names_test.moc"
