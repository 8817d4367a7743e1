// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QtTest>
#include <algorithm>

#include "engine/base/files.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

namespace {

constexpr int kUsers = 20, kItems = 12;

/// Ratings of a dozen books, and a catalogue with one more that nobody has read.
experiment::Experiment bookRatings(const std::string& folder) {
  std::string ratings = "user,book,stars\n", books = "book,title\n";
  for (int row = 0; row < kUsers * kItems; ++row)
    ratings += fmt::format("{},{},{}\n", row % kUsers, 100 + row * 5 % kItems, 1 + row % 5);
  for (int book = 0; book <= kItems; ++book) books += fmt::format("{},Book {}\n", 100 + book, book);
  if (!writeFileAtomically(folder + "/ratings.csv", ratings).ok() ||
      !writeFileAtomically(folder + "/books.csv", books).ok())
    qFatal("the data cannot be written");
  auto document = experiment::toJson(testing::smallSample());
  document["dataset"]["source"] = "csv";
  document["dataset"]["path"] = folder + "/ratings.csv";
  document["dataset"]["generator"] = nullptr;
  document["dataset"]["label"] = {{"column", "stars"}, {"scale", {1, 5}}};
  document["dataset"]["columns"] = {{{"name", "user"}, {"role", "user"}},
                                    {{"name", "item"}, {"role", "item"}, {"from", "book"}}};
  document["dataset"]["vocabularies"] = {{{"name", "user"}, {"kind", "compressed"}},
                                         {{"name", "item"}, {"kind", "compressed"}}};
  document["dataset"]["catalogues"] = {
      {{"of", "item"}, {"path", "books.csv"}, {"id", "book"}, {"title", "title"}}};
  const auto parsed = experiment::parse(document);
  for (const experiment::Problem& problem : parsed.findings.problems)
    qWarning("%s: %s", problem.pointer.c_str(), problem.message.c_str());
  return parsed.experiment;
}

bool tellsOfColdItems(const std::vector<std::string>& warnings) {
  return std::ranges::any_of(warnings, [](const std::string& warning) {
    return warning.find(" no training row") != std::string::npos;
  });
}

}  // namespace

/// Items of a catalogue that no row has.
class ColdItemsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void coldItemsAreToldToThoseWhoAsk() {
    testing::TemporaryWorkspace place;
    const auto outcome = place.train(bookRatings(place.folder.path().toStdString()));
    QVERIFY2(outcome.state == experiment::RunState::kFinished,
             outcome.error ? outcome.error->text().c_str() : "");
    place.warnings.clear();
    std::vector<std::string> warnings;
    QVERIFY(place->recommender(outcome.runId, {}, &warnings).ok());
    QVERIFY(tellsOfColdItems(warnings));
    // No event of the workspace, which would be shown beside it.
    QVERIFY(place->recommender(outcome.runId, {}).ok());
    QVERIFY(!tellsOfColdItems(place.warnings));
  }
};

QTEST_GUILESS_MAIN(ColdItemsTest)
#include "cold_items_test.moc"
