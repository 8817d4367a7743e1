// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cstdlib>

#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using SizeKind = experiment::VocabularySize::Kind;

// MovieLens-100K as it is published; its licence forbids to ship it.
class MovielensTest : public QObject {
  Q_OBJECT

 private:
  ImportFixture fixture_;
  std::optional<ImportReport> report_;

 private Q_SLOTS:
  void initTestCase() {
    const char* folder = std::getenv("PARAPET_DATA_DIR");
    if (!folder) QSKIP("PARAPET_DATA_DIR is not set");
    auto spec = fixture_.spec(SizeKind::kCataloguePlusOne);
    spec.path = (std::filesystem::path(folder) / "ml-100k").string();
    auto report = fixture_.import(spec);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    report_ = std::move(report).value();
  }

  void hasThePublishedCounts() {
    QCOMPARE(report_->rows, std::int64_t{100000});
    QCOMPARE(report_->quarantined, std::int64_t{0});
    QVERIFY(report_->warnings.empty());
    QCOMPARE(report_->dataset->vocabulary("user").size(), std::int64_t{944});
    QCOMPARE(report_->dataset->vocabulary("item").size(), std::int64_t{1683});
  }

  void hasTitlesAndAttributes() {
    const Vocabulary& items = report_->dataset->vocabulary("item");
    QCOMPARE(items.title(1), std::string_view("Toy Story (1995)"));
    QCOMPARE(items.attribute(0, 1), std::string_view("Animation|Children's|Comedy"));
    QCOMPARE(items.title(543), std::string_view("Misérables, Les (1995)"));
    QCOMPARE(report_->dataset->vocabulary("user").attribute(2, 1), std::string_view("technician"));
  }

  // E[y²] of the scaled ratings: the loss of a model that predicts 0.
  void labelsHaveTheKnownSecondMoment() {
    double sum = 0;
    for (const float label : report_->dataset->labels()) sum += double(label) * double(label);
    QCOMPARE(sum, 47920.75);  // exact: every square is a multiple of 1/16
  }
};

QTEST_GUILESS_MAIN(MovielensTest)
#include "movielens_test.moc"
