// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <charconv>
#include <map>

#include "engine/base/clock.h"
#include "engine/data/generate/event_generator.h"
#include "engine/experiment/query_context.h"
#include "engine/workspace/workspace.h"

using namespace parapet;

namespace {

constexpr std::size_t kTop = 10;

std::int64_t numberOf(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The law of order and how popular items are: what is best known of a next listen by whoever knows
/// nothing of users but their last listen, and not where sessions begin.
class Oracle {
 public:
  Oracle(const data::EventGenerator& events, std::vector<double> popularity)
      : events_(events), popularity_(std::move(popularity)) {}

  [[nodiscard]] std::vector<std::int64_t> best(std::int64_t before) const {
    const double order = events_.settings().orderStrength;
    std::vector<std::pair<double, std::int64_t>> items;
    for (std::size_t i = 0; i < popularity_.size(); ++i) {
      const auto item = static_cast<std::int64_t>(10 * (i + 1));
      items.emplace_back(order * events_.followShare(before, item) + (1 - order) * popularity_[i],
                         item);
    }
    std::ranges::partial_sort(items, items.begin() + kTop, std::greater<>());
    std::vector<std::int64_t> best;
    for (std::size_t i = 0; i < kTop; ++i) best.push_back(items[i].second);
    return best;
  }

 private:
  const data::EventGenerator& events_;
  std::vector<double> popularity_;  // share of the training rows by item
};

}  // namespace

/// Does a model that reads sequences learn a known law of order, by either objective?
class OrderTest : public QObject {
  Q_OBJECT

  static experiment::Experiment document(experiment::Objective objective) {
    const auto recipe = experiment::findRecipe("sasrec").value();
    experiment::Experiment document =
        experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
    document.dataset.generator->users = 1'000;
    document.dataset.generator->items = 200;
    document.dataset.generator->events = 80'000;
    document.tables[0].embeddingDim = 32;
    document.features[0].history->length = 8;
    document.training.objective = objective;
    const bool each = objective == experiment::Objective::kEachRow;
    document.training.epochs = each ? 5 : 30;
    document.training.validateEvery = 0;
    document.training.checkpoints.best.reset();
    document.dataset.batch.size = each ? 256 : 32;
    return document;
  }

 private Q_SLOTS:
  void eachObjectiveReachesTheOracle_data() {
    QTest::addColumn<bool>("each");
    QTest::newRow("each row") << true;
    QTest::newRow("all positions") << false;
  }
  void eachObjectiveReachesTheOracle();
};

void OrderTest::eachObjectiveReachesTheOracle() {
  QFETCH(bool, each);
  const QTemporaryDir folder;
  const auto place = workspace::Workspace::open(folder.path().toStdString()).value();
  const experiment::Experiment of =
      document(each ? experiment::Objective::kEachRow : experiment::Objective::kAllPositions);
  const auto run = place->start(of, {}).value();
  const Stopwatch clock;
  const workspace::RunOutcome outcome = run->wait();
  QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
  workspace::EvaluateOptions test;
  test.part = experiment::SplitPart::kTest;
  const auto found = place->evaluate(outcome.runId, test, {}).value();
  double hit = 0.0;
  for (const auto& [name, value] : found.metrics)
    if (name == "hit@10") hit = value;

  const data::Dataset& dataset = *run->dataset();
  const data::EventGenerator events(*of.dataset.generator);
  const auto users = dataset.ids("user"), items = dataset.ids("item");
  const auto idOf = [&](const char* column, std::int32_t row) {
    return numberOf(dataset.vocabularyOf(column).rawId(row));
  };
  std::vector<double> popularity(static_cast<std::size_t>(of.dataset.generator->items));
  const data::RowSet& training = run->split()->train;
  training.forEach([&](std::int64_t row) {
    const std::int64_t item = idOf("item", items[static_cast<std::size_t>(row)]);
    popularity[static_cast<std::size_t>(item / 10 - 1)] +=
        1.0 / static_cast<double>(training.size());
  });
  const Oracle oracle(events, std::move(popularity));
  std::map<std::int32_t, std::vector<std::int64_t>> rowsOf;
  for (std::int64_t row = 0; row < dataset.rows(); ++row)
    rowsOf[users[static_cast<std::size_t>(row)]].push_back(row);
  std::int64_t hits = 0, examples = 0;
  run->split()->test.forEach([&](std::int64_t row) {
    const std::int32_t user = users[static_cast<std::size_t>(row)];
    const auto& rows = rowsOf.at(user);
    const auto own = std::ranges::find(rows, row);
    if (own == rows.begin()) return;
    const auto best = oracle.best(idOf("item", items[static_cast<std::size_t>(*(own - 1))]));
    hits +=
        std::ranges::find(best, idOf("item", items[static_cast<std::size_t>(row)])) != best.end();
    ++examples;
  });
  QCOMPARE(examples, found.queries);
  const double best = static_cast<double>(hits) / static_cast<double>(examples);
  qInfo("hit@10 %.4f, oracle %.4f, in %.1f s", hit, best, clock.seconds());
  QVERIFY(best > 0.4);
  QVERIFY(hit >= 0.97 * best);
}

QTEST_GUILESS_MAIN(OrderTest)
#include "order_test.moc"
