// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/word_piece.h"

#include <QtTest>
#include <string>
#include <string_view>
#include <vector>

#include "tests/data/text/small_pieces.h"

using namespace parapet;
using namespace parapet::data;
using namespace std::string_view_literals;

namespace {

using Ids = std::vector<std::int32_t>;
using Ranges = std::vector<ByteRange>;

const std::string_view kLongWord =
    "foxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxfoxf"
    "ox"
    "foxfox fox"sv;

struct Golden {
  std::string_view text;
  Ids uncased, cased;
  Ranges ranges;  // uncased
};

// Results of tokenizers 0.23 of PyPI with kSmallPieces: WordPiece after BertNormalizer and
// BertPreTokenizer.
const std::vector<Golden>& goldens() {
  static const std::vector<Golden> all{
      {"The quick fox jumps over the lazy dog."sv,
       {5, 6, 7, 8, 9, 11, 5, 12, 13, 26},
       {1, 6, 7, 8, 9, 11, 5, 12, 13, 26},
       {{0, 3},
        {4, 9},
        {10, 13},
        {14, 18},
        {18, 19},
        {20, 24},
        {25, 28},
        {29, 33},
        {34, 37},
        {37, 38}}},
      {"UNBELIEVABLY  lazy!"sv, {1, 12, 24}, {1, 12, 24}, {{0, 12}, {14, 18}, {18, 19}}},
      {"Caf\303\251 na\303\257ve CAFE\314\201"sv,
       {18, 19, 18},
       {42, 1, 1},
       {{0, 5}, {6, 12}, {13, 17}}},
      {"don't jump-ed (x=3.14)"sv,
       {43, 28, 44, 8, 29, 1, 30, 37, 32, 52, 26, 53, 31},
       {43, 28, 44, 8, 29, 1, 30, 37, 32, 52, 26, 53, 31},
       {{0, 3},
        {3, 4},
        {4, 5},
        {6, 10},
        {10, 11},
        {11, 13},
        {14, 15},
        {15, 16},
        {16, 17},
        {17, 18},
        {18, 19},
        {19, 21},
        {21, 22}}},
      {"\346\235\261\344\272\254 fox\346\235\261"sv,
       {22, 23, 7, 22},
       {22, 23, 7, 22},
       {{0, 3}, {3, 6}, {7, 10}, {10, 13}}},
      {"the\302\240fox\342\200\203dog\342\200\213s"sv,
       {5, 7, 13, 9},
       {5, 7, 13, 9},
       {{0, 3}, {5, 8}, {11, 14}, {17, 18}}},
      {"<unk> un<unk>"sv,
       {34, 14, 38, 35, 14, 34, 14, 38, 35},
       {34, 14, 38, 35, 14, 34, 14, 38, 35},
       {{0, 1}, {1, 3}, {3, 4}, {4, 5}, {6, 8}, {8, 9}, {9, 11}, {11, 12}, {12, 13}}},
      {"\320\277\321\200\320\270\320\262\320\265\321\202 \320\237\321\200\320\270\320\262\320\265\321\202"sv,
       {49, 49},
       {49, 1},
       {{0, 12}, {13, 25}}},
      {"\316\237\316\224\316\245\316\243\316\243\316\225\316\245\316\243 \316\264\317\205\317\203\317\202 \317\211"sv,
       {1, 59, 57, 60, 56},
       {1, 59, 57, 60, 56},
       {{0, 16}, {17, 21}, {21, 23}, {23, 25}, {26, 28}}},
      {"a\000fox\357\277\275 \007dog\033"sv, {1, 13}, {1, 13}, {{0, 5}, {10, 13}}},
      {"x\314\270=\342\211\240 \342\211\240"sv,
       {37, 32, 32, 32},
       {1, 32, 1, 1},
       {{0, 1}, {3, 4}, {4, 7}, {8, 11}}},
      {""sv, {}, {}, {}},
      {" \011 \015\012 "sv, {}, {}, {}},
      {kLongWord, {1, 7}, {1, 7}, {{0, 102}, {103, 106}}},
      {"stra\303\237e STRASSE"sv, {21, 20}, {21, 1}, {{0, 7}, {8, 15}}},
      {"[MASK] fox"sv, {1, 1, 1, 7}, {1, 1, 1, 7}, {{0, 1}, {1, 5}, {5, 6}, {7, 10}}},
      {"##s #s fox#"sv,
       {36, 36, 1, 36, 1, 7, 36},
       {36, 36, 1, 36, 1, 7, 36},
       {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {5, 6}, {7, 10}, {10, 11}}},
      {"\341\271\251 \341\271\251s\314\243\314\207"sv, {1, 1}, {1, 1}, {{0, 3}, {4, 8}}},
      {"3\302\26014 144"sv, {1, 53, 54}, {1, 53, 54}, {{0, 5}, {6, 8}, {8, 9}}},
      {"jum\314\201ps"sv, {8, 9}, {1}, {{0, 6}, {6, 7}}},
  };
  return all;
}

WordPiece encoderOf(Casing casing) {
  return WordPiece(PieceVocabulary::parse(kSmallPieces, "small").value(), casing);
}

Ids encoded(const WordPiece& encoder, std::string_view text) {
  Ids ids;
  encoder.encode(text, ids);
  return ids;
}

void addGoldens() {
  QTest::addColumn<int>("index");
  for (std::size_t index = 0; index < goldens().size(); ++index)
    QTest::addRow("%zu", index) << static_cast<int>(index);
}

}  // namespace

class WordPieceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void givesTheIdsOfTokenizers_data() { addGoldens(); }
  void givesTheIdsOfTokenizers() {
    QFETCH(int, index);
    const Golden& golden = goldens()[static_cast<std::size_t>(index)];
    QCOMPARE(encoded(encoderOf(Casing::kUncased), golden.text), golden.uncased);
    QCOMPARE(encoded(encoderOf(Casing::kCased), golden.text), golden.cased);
  }

  void givesTheOffsetsOfTokenizers_data() { addGoldens(); }
  void givesTheOffsetsOfTokenizers() {
    QFETCH(int, index);
    const Golden& golden = goldens()[static_cast<std::size_t>(index)];
    if (golden.text.find('[') != std::string_view::npos) return;  // a prompt has a mask there
    const EncodedText found = encoderOf(Casing::kUncased).encodePrompt(golden.text);
    QCOMPARE(found.ids, golden.uncased);
    QVERIFY(found.ranges == golden.ranges);
  }

  void masksOfPromptsArePieces() {
    const EncodedText found = encoderOf(Casing::kUncased).encodePrompt("the [MASK]fox [UNK]");
    QCOMPARE(found.ids, (Ids{5, 4, 7, 1}));
    QVERIFY((found.ranges == Ranges{{0, 3}, {4, 10}, {10, 13}, {14, 19}}));
  }

  void sequencesAreTruncatedBeforeTheSeparator() {
    const WordPiece encoder = encoderOf(Casing::kUncased);
    Ids ids;
    QVERIFY(encoder.encodeSequence("the quick fox", 5, ids));
    QCOMPARE(ids, (Ids{2, 5, 6, 7, 3}));
    ids.clear();
    QVERIFY(!encoder.encodeSequence("the jumps", 4, ids));
    QCOMPARE(ids, (Ids{2, 5, 8, 3}));
    ids.clear();
    QVERIFY(encoder.encodeSequence("", 3, ids));
    QCOMPARE(ids, (Ids{2, 3}));
  }

  void bytesThatAreNotUtf8AreRemoved() {
    const WordPiece encoder = encoderOf(Casing::kUncased);
    QCOMPARE(encoded(encoder, "fo\xFFx"), (Ids{7}));
    QCOMPARE(encoded(encoder, "fox\xC3"), (Ids{7}));
    QCOMPARE(encoded(encoder, "\xE2\x82 fox \xF0\x9F"), (Ids{7}));
  }

  void aWordOfAMillionLettersIsUnknown() {
    const WordPiece encoder = encoderOf(Casing::kUncased);
    const std::string word(1'000'000, 'x');
    QCOMPARE(encoded(encoder, word + " fox"), (Ids{1, 7}));
    const std::string text = "fox " + word;
    const EncodedText found = encoder.encodePrompt(text);
    QCOMPARE(found.ids, (Ids{7, 1}));
  }

  void aHundredCharactersAreNotTooMany() {
    const WordPiece encoder = encoderOf(Casing::kUncased);
    Ids expected{37};
    expected.insert(expected.end(), 98, 9);
    QCOMPARE(encoded(encoder, "x" + std::string(98, 's')), expected);
    expected.push_back(9);
    QCOMPARE(encoded(encoder, "x" + std::string(99, 's')), expected);
    QCOMPARE(encoded(encoder, "x" + std::string(100, 's')), (Ids{1}));
  }

  void blanksOfUnicodeCostNoStack() {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += "\u00a0";
    QCOMPARE(encoded(encoderOf(Casing::kUncased), text + "fox"), (Ids{7}));
  }

  void wordsComeBack() {
    const WordPiece encoder = encoderOf(Casing::kUncased);
    const std::string_view text = "the quick fox jumps over lazy dog !";
    QCOMPARE(encoder.decode(encoded(encoder, text)), std::string(text));
    QCOMPARE(encoder.decode(Ids{9, 9, 4}), std::string("##ss [MASK]"));
    QVERIFY_EXCEPTION_THROWN((void)encoder.decode(Ids{-1}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)encoder.decode(Ids{1000}), InvalidArgument);
  }
};

QTEST_APPLESS_MAIN(WordPieceTest)
#include "word_piece_test.moc"
