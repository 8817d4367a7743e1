// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/differing_settings.h"

#include <QtTest>

#include "engine/experiment/experiment.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {

QStringList pointersOf(const std::vector<DifferingSetting>& settings) {
  QStringList pointers;
  for (const DifferingSetting& setting : settings)
    pointers << QString::fromStdString(setting.pointer);
  return pointers;
}

}  // namespace

class DifferingSettingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsNothingBetweenEqualDocuments() {
    const Experiment sample = recipe("sample");
    QVERIFY(differingSettings({sample, sample, sample}).empty());
  }

  void matchesEntriesByTheirNames() {
    const Experiment all = recipe("yambda-context");
    Experiment without = all;
    std::erase_if(without.features, [](const Feature& feature) {
      return feature.column == "is_organic" || feature.column == "time_of_day";
    });
    without.features.back().sequence = true;
    without.optimizer.learningRate = 0.25;
    const auto found = differingSettings({all, without});
    QCOMPARE(pointersOf(found),
             QStringList({"/features/item/sequence", "/features/query~1is_organic",
                          "/features/query~1time_of_day", "/optimizer/learning_rate"}));
    QCOMPARE(found[1].values[0].at("column"), nlohmann::json("is_organic"));
    QVERIFY(found[1].values[1].is_null());
    QCOMPARE(found[3].values, (std::vector<nlohmann::json>{0.005, 0.25}));
  }

  void listsWithoutNamesDifferByPosition() {
    const Experiment left = recipe("yambda-context");
    Experiment right = left;
    right.model.query[1].units = 16;
    QCOMPARE(pointersOf(differingSettings({left, right, left})),
             QStringList{"/model/query/1/units"});
  }

  // Features are concatenated in their order.
  void anotherOrderIsADifference() {
    const Experiment left = recipe("yambda-context");
    Experiment right = left;
    std::swap(right.features[0], right.features[1]);
    const auto found = differingSettings({left, right});
    QCOMPARE(pointersOf(found), QStringList{"/features"});
    QCOMPARE(found[0].values[1].at(0), nlohmann::json("query/is_organic"));
  }

  void leadsBackToAPointerOfADocument() {
    const auto document = toJson(recipe("yambda-context"));
    QCOMPARE(indexPointer("/features/query~1is_organic/table", document),
             std::string("/features/1/table"));
    QCOMPARE(indexPointer("/tables/item_id", document), std::string("/tables/3"));
    QCOMPARE(indexPointer("/model/query/1/units", document), std::string("/model/query/1/units"));
    QCOMPARE(indexPointer("/tables/nobody", document), std::string());
  }

 private:
  static Experiment recipe(const char* name) { return parse(test::recipeJson(name)).experiment; }
};

QTEST_GUILESS_MAIN(DifferingSettingsTest)
#include "differing_settings_test.moc"
