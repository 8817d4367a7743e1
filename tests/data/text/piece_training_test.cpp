// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/piece_training.h"

#include <QtTest>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/data/text/word_piece.h"

using namespace parapet;
using namespace parapet::data;

namespace {

using Pieces = std::vector<std::string>;

Pieces trained(const std::vector<std::string>& lines, PieceTraining training) {
  PieceTrainer trainer(training);
  for (const std::string& line : lines) trainer.add(line);
  auto pieces = trainer.train({});
  return pieces.ok() ? *pieces : Pieces{pieces.error().message};
}

// Pieces by counting every pair again after each merge.
Pieces naive(Pieces pieces, std::vector<PieceMerger::Word> words, std::size_t size,
             std::int64_t minCount) {
  while (pieces.size() < size) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> pairs;
    for (const auto& [own, count] : words)
      for (std::size_t at = 0; at + 1 < own.size(); ++at) pairs[{own[at], own[at + 1]}] += count;
    const auto best = std::ranges::max_element(
        pairs, {}, &std::pair<const std::pair<std::int32_t, std::int32_t>, std::int64_t>::second);
    if (best == pairs.end() || best->second < minCount) break;
    const auto [left, right] = best->first;
    const std::string text =
        pieces[static_cast<std::size_t>(left)] + pieces[static_cast<std::size_t>(right)].substr(2);
    auto found = std::ranges::find(pieces, text);
    if (found == pieces.end()) {
      pieces.push_back(text);
      found = pieces.end() - 1;
    }
    const auto merged = static_cast<std::int32_t>(found - pieces.begin());
    for (auto& [own, count] : words)
      for (std::size_t at = 0; at + 1 < own.size(); ++at)
        if (own[at] == left && own[at + 1] == right) {
          own[at] = merged;
          own.erase(own.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
  }
  return pieces;
}

}  // namespace

class PieceTrainingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void mergesTheMostFrequentPairFirst() {
    // Pairs: l ##o 7, ##o ##w 7, then lo ##w; ties go to the earlier pieces.
    const Pieces pieces =
        trained({"low low low low low", "lower lower", "NEW"}, {.size = 5 + 6 + 2});
    QCOMPARE(pieces, (Pieces{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "##e", "##o", "##r",
                             "##w", "l", "n", "##ow", "low"}));
  }

  void aStopSaysWhatIsNotThere() {
    PieceTrainer trainer({.size = 100, .minCount = 1});
    trainer.add("low lower new");
    std::stop_source stop;
    stop.request_stop();
    WorkContext context;
    context.stop = stop.get_token();
    const auto stopped = trainer.train(context);
    QVERIFY(!stopped.ok());
    QCOMPARE(stopped.error().code, ErrorCode::kCancelled);
    QCOMPARE(stopped.error().message, std::string("the vocabulary is not complete"));
  }

  void agreesWithCountingEveryPairAnew() {
    const Pieces letters{"##a", "##b", "##c", "a", "b", "c"};
    std::vector<PieceMerger::Word> words;
    std::uint32_t state = 1;
    const auto next = [&state](std::uint32_t bound) {
      state = state * 1664525u + 1013904223u;
      return (state >> 16) % bound;
    };
    for (int i = 0; i < 200; ++i) {
      PieceMerger::Word word{{static_cast<std::int32_t>(3 + next(3))}, 1 + next(9)};
      for (auto rest = next(9); rest > 0; --rest)
        word.pieces.push_back(static_cast<std::int32_t>(next(3)));
      words.push_back(word);
    }
    PieceMerger merger(letters, words);
    while (merger.pieces().size() < 120 && merger.merge(2)) {
    }
    QCOMPARE(merger.pieces(), naive(letters, words, 120, 2));
  }

  void theOrderOfLinesDoesNotMatter() {
    std::vector<std::string> lines;
    for (int i = 0; i < 300; ++i)
      lines.push_back("walk walking walked talk talking " + std::to_string(i * 7 % 90));
    const Pieces forward = trained(lines, {.size = 60});
    std::ranges::reverse(lines);
    QCOMPARE(trained(lines, {.size = 60}), forward);
    QCOMPARE(forward.size(), std::size_t{60});
  }

  void theVocabularyEncodesItsCorpus() {
    const std::vector<std::string> lines{"the fox jumps over the dog", "The dogs jumped!"};
    std::string file;
    for (const std::string& piece : trained(lines, {.size = 80, .minCount = 1}))
      file += piece + "\n";
    const auto vocabulary = PieceVocabulary::parse(file, "trained");
    QVERIFY(vocabulary.ok());
    const WordPiece encoder(*vocabulary, Casing::kUncased);
    std::vector<std::int32_t> ids;
    encoder.encode(lines[0], ids);
    QCOMPARE(ids.size(), std::size_t{6});
    QCOMPARE(encoder.decode(ids), lines[0]);
  }

  void stopsWhereNoPairIsLeft() {
    QCOMPARE(trained({"ab"}, {.size = 100, .minCount = 1}).size(), std::size_t{8});
    QCOMPARE(trained({"ab"}, {.size = 100, .minCount = 2}).size(), std::size_t{7});
  }

  void keepsCaseWhereItIsAsked() {
    const Pieces cased = trained({"Aa"}, {.size = 7, .casing = Casing::kCased});
    QCOMPARE(cased.back(), std::string("A"));
    QCOMPARE(trained({"Aa"}, {.size = 7}).back(), std::string("a"));
  }

  void rareCharactersAreLeftOut() {
    const Pieces pieces =
        trained({"a b a b a b", "c", "ac"}, {.size = 100, .minCount = 1, .alphabet = 2});
    QCOMPARE(pieces.size(), std::size_t{7});
    QVERIFY(std::ranges::find(pieces, "c") == pieces.end());
  }

  void refusesWhatCannotBe() {
    PieceTrainer empty({});
    empty.add(" \n ");
    QCOMPARE(empty.train({}).error().code, ErrorCode::kData);
    PieceTrainer small({.size = 6});
    small.add("abc");
    const auto refused = small.train({});
    QCOMPARE(refused.error().code, ErrorCode::kInvalidDocument);
    QVERIFY(refused.error().message.find("at least 8 are accepted") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(PieceTrainingTest)
#include "piece_training_test.moc"
