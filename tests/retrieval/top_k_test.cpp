// SPDX-License-Identifier: Apache-2.0
// Vectors hold small integers, so scores are exact in f32 and a naive search in double precision
// must agree to the last tie.
#include "engine/retrieval/top_k.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/data/dataset/vocabulary_writer.h"

using namespace parapet;
using retrieval::Scored;

namespace {

using Lists = std::vector<std::vector<Scored>>;
using Rows = std::vector<std::int32_t>;

struct Problem {
  std::int64_t dim = 4, k = 10;
  std::vector<float> queries, candidates;
  std::vector<std::uint8_t> eligible;
  std::vector<Rows> excluded;  ///< by query, ascending; empty: none at all

  [[nodiscard]] std::int64_t queryCount() const {
    return static_cast<std::int64_t>(queries.size()) / dim;
  }
  [[nodiscard]] const float* candidate(std::size_t row) const {
    return candidates.data() + row * static_cast<std::size_t>(dim);
  }
};

/// Entries from −3 … 3: a score takes one of few values, so ties abound.
std::vector<float> smallIntegers(std::uint64_t seed, std::int64_t count) {
  const Random random(seed, RandomPurpose::kSampling);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(random.below(i, 7)) - 3.0f;
  return values;
}

Problem problemOf(std::int64_t queries, std::int64_t candidates, std::int64_t k,
                  std::int64_t dim = 4) {
  Problem problem;
  problem.dim = dim;
  problem.k = k;
  problem.queries = smallIntegers(1, queries * dim);
  problem.candidates = smallIntegers(2, candidates * dim);
  problem.eligible.assign(static_cast<std::size_t>(candidates), 1);
  return problem;
}

Lists search(const Problem& problem, int workerCount = 2) {
  Workers workers(workerCount);
  std::function<std::span<const std::int32_t>(std::int64_t)> excluded;
  if (!problem.excluded.empty())
    excluded = [&](std::int64_t query) -> std::span<const std::int32_t> {
      return problem.excluded[static_cast<std::size_t>(query)];
    };
  return retrieval::topK(problem.queries, problem.candidates, problem.dim, problem.eligible,
                         problem.k, excluded, workers);
}

// Scores everything, sorts everything. NaN counts as −∞.
Lists naive(const Problem& problem) {
  Lists lists;
  for (std::int64_t q = 0; q < problem.queryCount(); ++q) {
    std::vector<Scored>& list = lists.emplace_back();
    for (std::size_t v = 0; v < problem.eligible.size(); ++v) {
      const auto row = static_cast<std::int32_t>(v);
      const Rows* out =
          problem.excluded.empty() ? nullptr : &problem.excluded[static_cast<std::size_t>(q)];
      if (!problem.eligible[v] || (out && std::ranges::count(*out, row))) continue;
      double score = 0.0;
      for (std::int64_t d = 0; d < problem.dim; ++d)
        score +=
            static_cast<double>(problem.queries[static_cast<std::size_t>(q * problem.dim + d)]) *
            static_cast<double>(problem.candidate(v)[d]);
      if (std::isnan(score)) score = -std::numeric_limits<double>::infinity();
      list.push_back({row, static_cast<float>(score)});
    }
    std::ranges::sort(list, [](const Scored& a, const Scored& b) {
      return a.score != b.score ? a.score > b.score : a.item < b.item;
    });
    list.resize(std::min(list.size(), static_cast<std::size_t>(problem.k)));
  }
  return lists;
}

/// Ids "0", "1", … in rows by their hash.
data::ItemIndex hashedItems(int rows, int ids) {
  data::VocabularyWriter writer({});
  std::map<std::int32_t, std::vector<std::string>> byRow;
  for (int id = 0; id < ids; ++id)
    byRow[data::hashedRow(hash64(std::to_string(id)), rows)].push_back(std::to_string(id));
  const auto entryOf = [](const std::string& id) {
    return data::Vocabulary::Entry{id, "", {}, 1, true};
  };
  for (std::int32_t row = 0; row < rows; ++row)
    writer.add(byRow.contains(row) ? entryOf(byRow[row].front()) : data::Vocabulary::Entry{});
  for (const auto& [row, of] : byRow)
    for (std::size_t i = 1; i < of.size(); ++i) writer.addShared(entryOf(of[i]), row);
  writer.hashUnknown();
  const QTemporaryDir folder;
  const std::filesystem::path path = folder.path().toStdString();
  if (const Status written = writer.write(path, "item"); !written)
    throw InternalError(written.error().text());
  return data::ItemIndex(data::Vocabulary::open(path, "item").value());
}

std::vector<std::int32_t> rowsOf(const std::vector<Scored>& list) {
  std::vector<std::int32_t> rows;
  for (const Scored& scored : list) rows.push_back(scored.item);
  return rows;
}

}  // namespace

class TopKTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreesWithTheNaiveSearch_data() {
    QTest::addColumn<int>("queries");
    QTest::addColumn<int>("candidates");
    QTest::addColumn<int>("k");
    for (const int queries : {0, 1, 63, 64, 65, 130})
      QTest::addRow("%d queries", queries) << queries << 300 << 10;
    for (const int candidates : {0, 1, 1023, 1024, 1025, 2048, 65'535, 65'537, 140'000})
      QTest::addRow("%d candidates", candidates) << 3 << candidates << 50;
    for (const int k : {1, 2, 31, 32, 33, 1999, 2000, 2001, 1'000'000})
      QTest::addRow("k = %d", k) << 5 << 2000 << k;
    QTest::addRow("two ranges by three query blocks") << 130 << 66'000 << 7;
  }
  void agreesWithTheNaiveSearch() {
    QFETCH(int, queries);
    QFETCH(int, candidates);
    QFETCH(int, k);
    const Problem problem = problemOf(queries, candidates, k);
    QCOMPARE(search(problem), naive(problem));
  }

  /// Items of a vocabulary that hashes: many share a row, scores and ties abound.
  void itemsThatShareARowAreListedOneByOne_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("ids");
    QTest::addColumn<int>("k");
    QTest::newRow("no row is shared") << 900 << 5 << 3;
    QTest::newRow("few are") << 50 << 40 << 7;
    QTest::newRow("most are") << 9 << 60 << 10;
    QTest::newRow("all items are asked for") << 9 << 60 << 1000;
    QTest::newRow("one row") << 2 << 30 << 4;
  }
  void itemsThatShareARowAreListedOneByOne() {
    QFETCH(int, rows);
    QFETCH(int, ids);
    QFETCH(int, k);
    const data::ItemIndex index = hashedItems(rows, ids);
    QCOMPARE(index.size(), ids + 1);
    const auto vectors = smallIntegers(5, static_cast<std::int64_t>(index.layout().size()) * 2);
    Problem problem = problemOf(40, index.size(), k, 2);
    for (std::int32_t item = 0; item < index.size(); ++item)
      for (std::size_t d = 0; d < 2; ++d)
        problem.candidates[static_cast<std::size_t>(item) * 2 + d] =
            vectors[static_cast<std::size_t>(index.vectorOf(item)) * 2 + d];
    problem.eligible[0] = 0;
    const Random random(9, RandomPurpose::kSampling);
    for (std::size_t item = 1; item < problem.eligible.size(); ++item)
      problem.eligible[item] = random.below(item, 5) > 0;
    problem.excluded.resize(40);
    for (std::size_t query = 0; query < 40; ++query)
      for (std::int32_t item = 1; item < index.size(); ++item)
        if (random.below(1000 * query + static_cast<std::size_t>(item), 4) == 0)
          problem.excluded[query].push_back(item);
    Workers workers(2);
    const auto lists = retrieval::ItemSearch(index, problem.eligible)
                           .top(
                               problem.queries, vectors, 2, k,
                               [&](std::int64_t query) -> std::span<const std::int32_t> {
                                 return problem.excluded[static_cast<std::size_t>(query)];
                               },
                               workers);
    QCOMPARE(lists, naive(problem));
  }

  void agreesForEveryWidth_data() {
    QTest::addColumn<int>("dim");
    for (const int dim : {1, 3, 16, 33, 64}) QTest::addRow("%d", dim) << dim;
  }
  void agreesForEveryWidth() {
    QFETCH(int, dim);
    const Problem problem = problemOf(65, 1500, 20, dim);
    QCOMPARE(search(problem), naive(problem));
  }

  void tiesGoToTheLowerRow() {
    Problem problem = problemOf(2, 70'000, 100);
    std::ranges::fill(problem.candidates, 1.0f);
    const Lists lists = search(problem);
    for (const auto& list : lists) {
      QCOMPARE(list.size(), std::size_t{100});
      for (std::int32_t row = 0; row < 100; ++row)
        QCOMPARE(list[static_cast<std::size_t>(row)].item, row);
    }
  }

  // Every candidate beats all before it, then none does.
  void ascendingAndDescendingScores() {
    Problem problem = problemOf(1, 5000, 40, 1);
    problem.queries = {1.0f};
    for (const float sign : {1.0f, -1.0f}) {
      for (std::size_t v = 0; v < problem.candidates.size(); ++v)
        problem.candidates[v] = sign * static_cast<float>(v);
      QCOMPARE(search(problem), naive(problem));
    }
  }

  void notANumberRanksLast() {
    Problem problem = problemOf(1, 6, 6, 1);
    problem.queries = {1.0f};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    problem.candidates = {nan, 2.0f, nan, -5.0f, 3.0f, -std::numeric_limits<float>::max()};
    QCOMPARE(rowsOf(search(problem)[0]), (Rows{4, 1, 3, 5, 0, 2}));
    problem.k = 3;
    QCOMPARE(rowsOf(search(problem)[0]), (Rows{4, 1, 3}));
  }

  // More than the pool of kept candidates holds, all of them NaN, before the first number.
  void manyNotANumberLoseToOneNumber() {
    Problem problem = problemOf(1, 3000, 5, 1);
    problem.queries = {1.0f};
    std::ranges::fill(problem.candidates, std::numeric_limits<float>::quiet_NaN());
    problem.candidates[2900] = -7.0f;
    QCOMPARE(rowsOf(search(problem)[0]), (Rows{2900, 0, 1, 2, 3}));
  }

  void onlyEligibleRowsAreListed() {
    Problem problem = problemOf(65, 3000, 10);
    for (std::size_t v = 0; v < problem.eligible.size(); ++v)
      problem.eligible[v] = v % 700 == 3 ? 1 : 0;
    const Lists lists = search(problem);
    QCOMPARE(lists, naive(problem));
    for (const auto& list : lists) QCOMPARE(list.size(), std::size_t{5});
    std::ranges::fill(problem.eligible, std::uint8_t{0});
    for (const auto& list : search(problem)) QVERIFY(list.empty());
  }

  void excludedRowsDifferByQuery() {
    Problem problem = problemOf(130, 2100, 15);
    const Random random(3, RandomPurpose::kSampling);
    for (std::uint64_t q = 0; q < 130; ++q) {
      Rows& rows = problem.excluded.emplace_back();
      for (std::int32_t row = 0; row < 2100; ++row)
        if (random.below(q * 2100 + static_cast<std::uint64_t>(row), 10) < q % 10)
          rows.push_back(row);
    }
    QCOMPARE(search(problem), naive(problem));
  }

  void everythingExcludedGivesAnEmptyList() {
    Problem problem = problemOf(2, 100, 5);
    problem.excluded.resize(2);
    for (std::int32_t row = 0; row < 100; ++row) problem.excluded[0].push_back(row);
    const Lists lists = search(problem);
    QVERIFY(lists[0].empty());
    QCOMPARE(lists, naive(problem));
  }

  // Looks for a stop are 2²⁸ products apart: some candidates are scored after the second.
  void looksForAStopChangeNothing() {
    const Problem problem = problemOf(504, 1'100, 10, 512);
    Problem few = problem;
    few.queries.resize(static_cast<std::size_t>(4 * few.dim));
    Lists found = search(problem, 1);
    found.resize(4);
    QCOMPARE(found, naive(few));
  }

  void aStopEndsASearch() {
    const Problem problem = problemOf(1'008, 100, 3);
    Workers workers(1);
    std::stop_source stop;
    std::int64_t asked = 0;
    const auto excluded = [&](std::int64_t query) -> std::span<const std::int32_t> {
      asked = query + 1;
      if (query == 504) stop.request_stop();  // in the second block of queries
      return {};
    };
    QVERIFY_THROWS_EXCEPTION(
        data::PassStopped,
        (void)retrieval::topK(problem.queries, problem.candidates, problem.dim, problem.eligible,
                              problem.k, excluded, workers, stop.get_token()));
    QCOMPARE(asked, std::int64_t{1'008});
  }

  // Real-valued scores: rounding may order near-ties one way or the other, but always the same.
  void workersChangeNothing() {
    Problem problem = problemOf(70, 70'000, 25, 3);
    const Random random(4, RandomPurpose::kSampling);
    for (std::size_t i = 0; i < problem.candidates.size(); ++i)
      problem.candidates[i] = random.uniform(i) - 0.5f;
    const Lists alone = search(problem, 1);
    for (const int count : {2, 3, 4}) QCOMPARE(search(problem, count), alone);
  }

  void refusesWhatDoesNotFit_data() {
    QTest::addColumn<int>("k");
    QTest::addColumn<int>("dim");
    QTest::addColumn<int>("flags");
    QTest::addColumn<QString>("says");
    QTest::newRow("k") << 0 << 2 << 2 << "[retrieval.topK] k is 0";
    QTest::newRow("negative k") << -4 << 2 << 2 << "[retrieval.topK] k is -4";
    QTest::newRow("dim") << 1 << 0 << 2 << "[retrieval.topK] dim is 0";
    QTest::newRow("queries") << 1 << 3 << 2 << "do not fit dim 3";
    QTest::newRow("flags") << 1 << 2 << 3 << "4 candidate elements, 3 flags";
  }
  void refusesWhatDoesNotFit() {
    QFETCH(int, k);
    QFETCH(int, dim);
    QFETCH(int, flags);
    QFETCH(QString, says);
    Problem problem = problemOf(1, 2, k, 2);
    problem.dim = dim;
    problem.eligible.resize(static_cast<std::size_t>(flags), 1);
    std::string message;
    try {
      search(problem);
    } catch (const InvalidArgument& exception) {
      message = exception.what();
    }
    QVERIFY2(message.find(says.toStdString()) != std::string::npos, message.c_str());
  }
};

QTEST_GUILESS_MAIN(TopKTest)
#include "top_k_test.moc"
