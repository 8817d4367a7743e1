// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <array>

#include "engine/data/dataset/batches.h"
#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/data/ingest/import/text_sample.h"
#include "engine/data/ingest/import/train_pieces.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/split/leakage.h"
#include "engine/data/split/split.h"
#include "engine/data/text/masking.h"
#include "engine/experiment/text_data.h"
#include "tests/data/ingest/import_fixture.h"
#include "tests/data/ingest/packed_bytes.h"
#include "tests/data/ingest/zip_fixture.h"
#include "tests/data/text/small_pieces.h"

using namespace parapet;
using namespace parapet::data;
using experiment::SplitKind;
using experiment::SplitPart;

namespace {

using Ids = std::vector<std::int32_t>;

experiment::Dataset specOf(const ImportFixture& fixture) {
  fixture.write("pieces.txt", kSmallPieces);
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kText;
  spec.path = fixture.source().string();
  experiment::useTextDefaults(spec);
  spec.text->vocabulary = "pieces.txt";
  return spec;
}

experiment::Dataset wholeSpec(const ImportFixture& fixture) {
  fixture.write("wiki.train.tokens", "The fox jumps .\n\n \nthe lazy dog\n");
  fixture.write("wiki.valid.tokens", "quick fox\n");
  fixture.write("wiki.test.tokens", "fox fox\r\nover");
  return specOf(fixture);
}

Ids rowOf(const Dataset& dataset, std::int64_t row) {
  const auto offsets = dataset.bagOffsets("tokens");
  const auto ids = dataset.ids("tokens");
  const auto at = static_cast<std::size_t>(row);
  return {ids.begin() + offsets[at], ids.begin() + offsets[at + 1]};
}

std::vector<SplitPart> partsOf(const Dataset& dataset) {
  std::vector<SplitPart> parts;
  for (const std::uint8_t part : dataset.parts()) parts.push_back(static_cast<SplitPart>(part));
  return parts;
}

bool says(const std::vector<std::string>& warnings, std::string_view what) {
  return std::ranges::any_of(warnings, [&](const std::string& warning) {
    return warning.find(what) != std::string::npos;
  });
}

std::string numbered(int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line) text += "fox " + std::string(line % 3, '!') + "\n";
  return text;
}

}  // namespace

class CorpusTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// A sample before the import is what the training would read of the same example.
  void aSampleIsMaskedAsTheTrainingMasks() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    std::string lines;
    for (int line = 0; line < 30; ++line) lines += "the quick fox jumps over the lazy dog .\nfox\n";
    fixture.write("wiki.train.tokens", lines);
    spec.text->minBytes = 10;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const auto sample = TextSample::read(spec, 20, {});
    QVERIFY_OK(sample);
    QCOMPARE((*sample)->size(), std::int64_t{20});
    const experiment::Masking masking{.rate = 0.4, .mask = 0.5, .random = 0.25};
    const auto texts = (*sample)->masked(masking, 9, 3);
    const auto pieces = MaskingPieces::of(report->dataset->vocabularyOf("tokens"));
    QVERIFY_OK(pieces);
    SequenceMasker masker(masking, *pieces, 9, 64);
    std::array<int, 4> fates{};
    for (std::int64_t line = 0; line < 20; ++line) {
      const MaskedText& text = texts[static_cast<std::size_t>(line)];
      QCOMPARE(text.text, std::string("the quick fox jumps over the lazy dog ."));
      const Ids ids = rowOf(*report->dataset, line);
      std::vector<std::string> shown;
      for (const std::int32_t id : ids)
        shown.emplace_back(report->dataset->vocabularyOf("tokens").rawId(id));
      for (const auto& selected : masker.select(ids, 3, line))
        shown[static_cast<std::size_t>(selected.position)] =
            report->dataset->vocabularyOf("tokens").rawId(selected.replacement);
      QCOMPARE(text.pieces.size(), shown.size());
      for (std::size_t at = 0; at < shown.size(); ++at) {
        QCOMPARE(text.pieces[at].shown, shown[at]);
        ++fates[static_cast<std::size_t>(text.pieces[at].fate)];
      }
    }
    for (const int count : fates) QVERIFY(count > 0);
    spec.filter = "bytes < 10";
    QCOMPARE(TextSample::read(spec, 20, {}).value()->size(), std::int64_t{0});
  }

  void anArchiveIsItsFolder() {
    const ImportFixture fixture;
    const auto folder = fixture.import(wholeSpec(fixture));
    QVERIFY_OK(folder);
    const ImportFixture zipped;
    experiment::Dataset spec = specOf(zipped);
    const auto archive = zipped.source() / "corpus.zip";
    writeZip(archive, {{"wikitext/wiki.train.tokens", "The fox jumps .\n\n \nthe lazy dog\n"},
                       {"wikitext/wiki.valid.tokens", "quick fox\n"},
                       {"wikitext/wiki.test.tokens", "fox fox\r\nover"}});
    spec.path = archive.string();
    const auto report = zipped.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->dataset->rows(), folder->dataset->rows());
    for (std::int64_t row = 0; row < report->dataset->rows(); ++row)
      QCOMPARE(rowOf(*report->dataset, row), rowOf(*folder->dataset, row));
    QVERIFY(partsOf(*report->dataset) == partsOf(*folder->dataset));
    // A vocabulary is trained on the training lines alone.
    const auto trained = trainPieces(archive, {.size = 100, .minCount = 1}, {});
    QVERIFY_OK(trained);
    QCOMPARE(trained->lines, std::int64_t{4});
    QVERIFY(std::ranges::find(trained->pieces, "quick") == trained->pieces.end());
    writeZip(archive, {{"readme", "no corpus\n"}});
    const auto refused = zipped.import(spec);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().pointer, std::string("/dataset/path"));
  }

  void linesBecomeSequences() {
    const ImportFixture fixture;
    const auto report = fixture.import(wholeSpec(fixture));
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    QCOMPARE(dataset.rows(), std::int64_t{5});
    QCOMPARE(rowOf(dataset, 0), (Ids{2, 5, 7, 8, 9, 26, 3}));
    QCOMPARE(rowOf(dataset, 1), (Ids{2, 5, 12, 13, 3}));
    QCOMPARE(rowOf(dataset, 3), (Ids{2, 7, 7, 3}));
    QCOMPARE(rowOf(dataset, 4), (Ids{2, 11, 3}));
    using enum SplitPart;
    QVERIFY((partsOf(dataset) == std::vector{kTrain, kTrain, kValidation, kTest, kTest}));
    QVERIFY(report->warnings.empty());
    QCOMPARE(report->quarantined, std::int64_t{0});
  }

  void aDataSetOfTextsHasNothingElse() {
    const ImportFixture fixture;
    const auto report = fixture.import(wholeSpec(fixture));
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    QVERIFY(!dataset.hasInteractions());
    QVERIFY(dataset.labels().empty());
    QCOMPARE(dataset.columns().size(), std::size_t{1});
    QCOMPARE(dataset.columns()[0].longestBag, std::int64_t{7});
    QVERIFY_OK(dataset.verify());
    QVERIFY_OK(Dataset::open(dataset.folder()));
  }

  void rowsOfTheVocabularyAreTheLinesOfItsFile() {
    const ImportFixture fixture;
    const auto report = fixture.import(wholeSpec(fixture));
    QVERIFY_OK(report);
    const Vocabulary& vocabulary = report->dataset->vocabulary("tokens");
    QCOMPARE(vocabulary.rawId(0), std::string_view("[PAD]"));
    QCOMPARE(vocabulary.rawId(7), std::string_view("fox"));
    QCOMPARE(vocabulary.row("##s").value(), 9);
    QCOMPARE(vocabulary.row("[PAD]").value(), 0);
    QCOMPARE(vocabulary.count(7), std::int64_t{4});
    const auto pieces = MaskingPieces::of(vocabulary);
    QVERIFY_OK(pieces);
    QCOMPARE(pieces->size, vocabulary.size());
    QCOMPARE(pieces->id(SpecialPiece::kMask), 4);
  }

  void aSecondImportIsThatOfBefore() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    const auto first = fixture.import(spec);
    QVERIFY_OK(first);
    const auto second = fixture.import(spec);
    QVERIFY_OK(second);
    QVERIFY(second->reused);
    for (int setting = 0; setting < 4; ++setting) {
      experiment::Dataset other = spec;
      if (setting == 0) other.text->maxLength = 5;
      if (setting == 1) other.text->lowercase = false;
      if (setting == 2) other.text->minBytes = 6;
      if (setting == 3) fixture.write("pieces.txt", std::string(kSmallPieces) + "more\n");
      const auto changed = fixture.import(other);
      QVERIFY_OK(changed);
      QVERIFY(!changed->reused);
    }
  }

  void shortLinesAreLeftOutAndLongOnesTruncated() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    spec.text->minBytes = 12;
    spec.text->maxLength = 5;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{2});
    QCOMPARE(report->filteredOut, std::int64_t{3});
    QCOMPARE(rowOf(*report->dataset, 0), (Ids{2, 5, 7, 8, 3}));
    QVERIFY(says(report->warnings, "1 sequences were truncated to 5 tokens"));
    // "the lazy dog" has 12 bytes.
    spec.text->minBytes = 13;
    QCOMPARE(fixture.import(spec)->rows, std::int64_t{1});
  }

  void theStartOfTheValidationFileTrainsWhereNothingElseDoes() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    fixture.write("valid.txt", numbered(25));
    fixture.write("test.txt", numbered(3));
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const auto parts = partsOf(*report->dataset);
    QCOMPARE(std::ranges::count(parts, SplitPart::kTrain), std::ptrdiff_t{22});
    QCOMPARE(std::ranges::count(parts, SplitPart::kValidation), std::ptrdiff_t{3});
    QCOMPARE(std::ranges::count(parts, SplitPart::kTest), std::ptrdiff_t{3});
    QVERIFY(std::ranges::is_sorted(parts));
    QVERIFY(says(report->warnings, "the first 90 % of valid.txt (22 of 25 lines) train"));
  }

  void oneFileIsCutAlike() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    fixture.write("prose.txt", numbered(10));
    spec.path = (fixture.source() / "prose.txt").string();
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(std::ranges::count(partsOf(*report->dataset), SplitPart::kTrain), std::ptrdiff_t{9});
    QVERIFY(says(report->warnings, "(9 of 10 lines)"));
  }

  void cutsInsideAnyPiece() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    // Several pieces of a mebibyte; a line that cannot be read counts as a line.
    std::string text;
    for (int line = 0; line < 60'000; ++line)
      text += line == 7
                  ? "f\xFFox\n"
                  : "the quick fox jumps over the lazy dog " + std::to_string(line % 7) + "\n";
    fixture.write("valid.txt", text);
    spec.maxRejectedShare = 1;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->quarantined, std::int64_t{1});
    QCOMPARE(report->rejectedLines.front().line, std::int64_t{8});
    QCOMPARE(std::ranges::count(partsOf(*report->dataset), SplitPart::kTrain),
             std::ptrdiff_t{53'999});
    QCOMPARE(report->rows, std::int64_t{59'999});
  }

  void namedFilesAreThoseOfTheParts() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    fixture.write("a.txt", "fox\n");
    fixture.write("b.txt", "dog\n");
    spec.split.trainFile = "b.txt";
    spec.split.testFile = "a.txt";
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QVERIFY((partsOf(*report->dataset) == std::vector{SplitPart::kTrain, SplitPart::kTest}));
    QCOMPARE(rowOf(*report->dataset, 0), (Ids{2, 13, 3}));
    spec.split.testFile = "c.txt";
    const auto missing = fixture.import(spec);
    QVERIFY(!missing.ok());
    QCOMPARE(missing.error().pointer, std::string("/dataset/split/test"));
  }

  void randomSplitsNeedNoParts() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    fixture.write("valid.txt", numbered(20));
    spec.split.kind = SplitKind::kRandom;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QVERIFY(report->dataset->parts().empty());
    const EventColumns events(*report->dataset);
    const auto split = makeSplit(events, {.split = spec.split});
    QVERIFY_OK(split);
    QCOMPARE(split->train.size(), std::int64_t{16});
    QVERIFY(findLeakage(events, *split).findings().empty());
    for (const SplitKind kind :
         {SplitKind::kLeaveLast, SplitKind::kLeaveRandom, SplitKind::kTemporal}) {
      spec.split.kind = kind;
      const auto refused = makeSplit(events, {.split = spec.split});
      QVERIFY(!refused.ok());
      QCOMPARE(refused.error().pointer, std::string("/dataset/split/kind"));
    }
  }

  void onlyRowsThatStayCountAsTruncated() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    fixture.write("wiki.train.tokens",
                  "fox ! ! ! !\nthe quick lazy fox jumps\nfox ! ! ! !\nfox fox\n");
    spec.text->maxLength = 5;
    spec.text->minBytes = 12;
    const auto filtered = fixture.import(spec);
    QVERIFY_OK(filtered);
    QVERIFY(says(filtered->warnings, "1 sequences were truncated to 5 tokens"));
    spec.text->minBytes = 0;
    spec.slice = "[:1]";
    const auto sliced = fixture.import(spec);
    QVERIFY_OK(sliced);
    QVERIFY(says(sliced->warnings, "1 sequences were truncated to 5 tokens"));
    const auto preview = previewSource(spec, 2, {}, makeGenerator);
    QVERIFY_OK(preview);
    QVERIFY(says(preview->warnings, "of the first 2 lines 2 sequences were truncated"));
  }

  void aVocabularyOfOtherTextsIsTold() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    fixture.write("wiki.train.tokens", "fox and hound\nthe fox and a hare\n");
    const auto most = fixture.import(spec);
    QVERIFY_OK(most);
    QVERIFY(!says(most->warnings, "[UNK]"));  // 5 of 12
    fixture.write("wiki.train.tokens", "a fox and hound\na fox and a hare\n");
    fixture.write("wiki.valid.tokens", "a fox\n");
    fixture.write("wiki.test.tokens", "a fox\n");
    const auto few = fixture.import(spec);
    QVERIFY_OK(few);
    QVERIFY2(says(few->warnings, "69 % of the tokens of the texts are [UNK] (9 of 13)"),
             few->warnings.empty() ? "" : few->warnings.front().c_str());
    fixture.write("pieces.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n");
    const auto none = fixture.import(spec);
    QVERIFY(!none.ok());
    QCOMPARE(none.error().pointer, std::string("/dataset/text/vocabulary"));
    QVERIFY2(none.error().message.find("all 13 tokens of the texts are [UNK]") != std::string::npos,
             none.error().message.c_str());
  }

  void aFileOfTrainingLinesWithoutARowEndsTheImport() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    fixture.write("wiki.train.tokens", " \n");
    const auto blank = fixture.import(spec);
    QVERIFY(!blank.ok());
    QCOMPARE(blank.error().code, ErrorCode::kData);
    QCOMPARE(blank.error().pointer, std::string("/dataset/path"));
    QCOMPARE(blank.error().path, (fixture.source() / "wiki.train.tokens").string());
    QVERIFY2(blank.error().message.find("has no line of text; at least one") != std::string::npos,
             blank.error().message.c_str());
    fixture.write("wiki.train.tokens", "fox\n");
    spec.text->minBytes = 4;
    const auto filtered = fixture.import(spec);
    QVERIFY(!filtered.ok());
    QVERIFY2(filtered.error().message.find("min_bytes or the filter leaves out all") !=
                 std::string::npos,
             filtered.error().message.c_str());
    spec.text->minBytes = 0;
    spec.slice = "[1:]";
    const auto sliced = fixture.import(spec);
    QVERIFY(!sliced.ok());
    QCOMPARE(sliced.error().pointer, std::string("/dataset/slice"));
    QCOMPARE(fixture.leftBehind(), 0);
  }

  void noValidationRowIsAWarning() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    spec.slice = "[:2]";
    const auto sliced = fixture.import(spec);
    QVERIFY_OK(sliced);
    QVERIFY(says(sliced->warnings, "wiki.valid.tokens has no line of text in the slice [:2]"));
    spec.slice.reset();
    fixture.write("wiki.valid.tokens", "");
    const auto empty = fixture.import(spec);
    QVERIFY_OK(empty);
    QVERIFY(says(empty->warnings, "no validation row"));
    std::filesystem::remove(fixture.source() / "wiki.valid.tokens");
    const auto none = fixture.import(spec);
    QVERIFY_OK(none);
    QVERIFY(none->warnings.empty());
  }

  void badInputIsToldWhereItIs_data() {
    QTest::addColumn<QByteArray>("valid");
    QTest::addColumn<QByteArray>("pieces");
    QTest::addColumn<int>("minBytes");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("message");
    const QByteArray pieces(kSmallPieces.data(), static_cast<qsizetype>(kSmallPieces.size()));
    QTest::newRow("empty") << QByteArray() << pieces << 0 << "/dataset/path"
                           << "no line of text";
    QTest::newRow("blank") << QByteArray(" \n\n\n") << pieces << 0 << "/dataset/path"
                           << "no line of text";
    QTest::newRow("short") << QByteArray("fox\ndog\n") << pieces << 50 << "/dataset/text/min_bytes"
                           << "2 lines have fewer than 50 bytes";
    QTest::newRow("no utf-8") << QByteArray("\xFF\n\xFE\n") << pieces << 0 << ""
                              << "2 of 2 lines were rejected";
    QTest::newRow("no mask") << QByteArray("fox\n") << QByteArray("[PAD]\n[UNK]\n[CLS]\n[SEP]\n")
                             << 0 << "/dataset/text/vocabulary"
                             << "is [MASK]";
    QTest::newRow("twice") << QByteArray("fox\n") << pieces + "fox\n"
                           << 0 << "/dataset/text/vocabulary"
                           << "is on line 8 already";
  }
  void badInputIsToldWhereItIs() {
    QFETCH(QByteArray, valid);
    QFETCH(QByteArray, pieces);
    QFETCH(int, minBytes);
    QFETCH(QString, pointer);
    QFETCH(QString, message);
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    fixture.write("valid.txt", valid.toStdString());
    fixture.write("pieces.txt", pieces.toStdString());
    spec.text->minBytes = minBytes;
    const auto report = fixture.import(spec);
    QVERIFY(!report.ok());
    QCOMPARE(QString::fromStdString(report.error().pointer), pointer);
    QVERIFY2(QString::fromStdString(report.error().message).contains(message),
             report.error().message.c_str());
    QCOMPARE(fixture.leftBehind(), 0);
  }

  void missingFilesAreTold() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    QCOMPARE(fixture.import(spec).error().pointer, std::string("/dataset/path"));
    fixture.write("test.txt", "fox\n");
    QVERIFY(fixture.import(spec).error().message.find("test lines alone") != std::string::npos);
    spec.text->vocabulary = "none.txt";
    QCOMPARE(fixture.import(spec).error().pointer, std::string("/dataset/text/vocabulary"));
    spec.text->vocabulary.clear();
    QCOMPARE(fixture.import(spec).error().pointer, std::string("/dataset/text/vocabulary"));
    spec.path.reset();
    spec.text->vocabulary = (fixture.source() / "pieces.txt").string();
    QCOMPARE(fixture.import(spec).error().pointer, std::string("/dataset/path"));
  }

  void aWordOfAMillionLettersIsOnePiece() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture);
    fixture.write("valid.txt", "fox\n" + std::string(1'000'000, 'x') + "\n");
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(rowOf(*report->dataset, 1), (Ids{2, 1, 3}));
    QVERIFY(report->vocabularies[0].oovShare > 0.0);
  }

  void previewShowsLinesWithTheirPieces() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    const auto preview = previewSource(spec, 2, {}, makeGenerator);
    QVERIFY_OK(preview);
    QCOMPARE(preview->columns.size(), std::size_t{4});
    QCOMPARE(preview->columns[0].name, std::string("text"));
    QCOMPARE(preview->rows.size(), std::size_t{2});
    QCOMPARE(*preview->rows[0][0], std::string("The fox jumps ."));
    QCOMPARE(*preview->rows[0][1], std::string("[CLS], the, fox, jump, ##s, ., [SEP]"));
    QCOMPARE(*preview->rows[0][2], std::string("15"));
    QCOMPARE(*preview->rows[0][3], std::string("2, 5, 7, 8, 9, 26, 3"));
    spec.text->minBytes = 12;
    const auto count = countRows(spec, 0, {}, makeGenerator);
    QVERIFY_OK(count);
    QCOMPARE(count->rows, std::int64_t{5});
    QCOMPARE(count->kept, std::int64_t{2});
  }

  void aCorpusIsRecognised() {
    const ImportFixture fixture;
    fixture.write("train.txt",
                  "The quick fox jumps over the dog .\n\nThe lazy dog sleeps again .\n");
    const auto alone = detectSource(fixture.source());
    QVERIFY_OK(alone);
    QVERIFY(alone->isText());
    QVERIFY(alone->text->vocabulary.empty());
    fixture.write("bert-base-cased-vocab.txt", kSmallPieces);
    const auto beside = detectSource(fixture.source() / "train.txt");
    QVERIFY_OK(beside);
    QVERIFY(beside->isText());
    QCOMPARE(beside->text->vocabulary, std::string("bert-base-cased-vocab.txt"));
    QVERIFY(!beside->text->lowercase);
    fixture.write("vocab.txt", kSmallPieces);
    QCOMPARE(detectSource(fixture.source())->text->vocabulary, std::string("vocab.txt"));
  }

  void packedFilesAreThoseOfTheFolder() {
    const ImportFixture fixture;
    const auto plain = fixture.import(wholeSpec(fixture));
    QVERIFY_OK(plain);
    const ImportFixture packed;
    const experiment::Dataset spec = specOf(packed);
    packed.write("wiki.train.tokens.gz", gzip("The fox jumps .\n\n \nthe lazy dog\n"));
    packed.write("wiki.valid.tokens", "quick fox\n");
    packed.write("wiki.test.tokens.zst", zstd("fox fox\r\nover"));
    const auto report = packed.import(spec);
    QVERIFY_OK(report);
    QVERIFY(report->warnings.empty());
    QCOMPARE(report->dataset->rows(), plain->dataset->rows());
    for (std::int64_t row = 0; row < report->dataset->rows(); ++row)
      QCOMPARE(rowOf(*report->dataset, row), rowOf(*plain->dataset, row));
    QVERIFY(partsOf(*report->dataset) == partsOf(*plain->dataset));
    const auto trained = trainPieces(packed.source(), {.size = 100, .minCount = 1}, {});
    QVERIFY_OK(trained);
    QCOMPARE(trained->lines, std::int64_t{4});
    // The plain file is read where both are there.
    packed.write("wiki.train.tokens", "lazy dog\n");
    const auto both = packed.import(spec);
    QVERIFY_OK(both);
    QCOMPARE(rowOf(*both->dataset, 0), (Ids{2, 12, 13, 3}));
    QVERIFY(says(both->warnings, "wiki.train.tokens is read, not wiki.train.tokens.gz"));
  }

  void packedTextsAreRecognised() {
    const ImportFixture fixture;
    fixture.write("train.txt.gz",
                  gzip("The quick fox jumps over the dog .\nThe lazy dog sleeps .\n"));
    const auto alone = detectSource(fixture.source());
    QVERIFY_OK(alone);
    QVERIFY(alone->isText());
    fixture.write("valid.txt.zst", zstd("The quick fox jumps over the dog .\n"));
    QVERIFY(detectSource(fixture.source())->isText());
  }

  void whatIsWrongWithAFileOfACorpusIsTold_data() {
    QTest::addColumn<QByteArray>("train");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("empty") << QByteArray() << QByteArray("train.txt is empty");
    QTest::newRow("blank") << QByteArray("\n \n") << QByteArray("begins with blank lines alone");
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFEt\0h\0", 6) << QByteArray("is UTF-16");
    QTest::newRow("NUL") << QByteArray("\1\0\2\0", 4) << QByteArray("is not text");
    QTest::newRow("bytes") << QByteArray("\xC3(\xA0\xA1\n\xFF\xFE\xFA\n")
                           << QByteArray("is not UTF-8");
    QTest::newRow("ids") << QByteArray("0\n1\n2\n")
                         << QByteArray("does not begin with lines of words");
  }
  void whatIsWrongWithAFileOfACorpusIsTold() {
    QFETCH(QByteArray, train);
    QFETCH(QByteArray, reason);
    const ImportFixture fixture;
    fixture.write("train.txt", train.toStdString());
    fixture.write("valid.txt", "The quick fox jumps over the dog .\n");
    const auto refused = detectSource(fixture.source());
    QVERIFY(!refused);
    QVERIFY2(QByteArray::fromStdString(refused.error().message).contains(reason),
             refused.error().message.c_str());
    QCOMPARE(refused.error().path, (fixture.source() / "train.txt").string());
  }

  void aWordWithoutEndHidesNoSentences() {
    const ImportFixture fixture;
    const std::string word(1'000'000, 'x');
    for (const std::string& start : {word, word + word})
      for (const char* name : {"", "train.txt"}) {
        fixture.write("train.txt", start + "\nThe quick fox jumps over the dog .\n");
        const auto found = detectSource(fixture.source() / name);
        QVERIFY_OK(found);
        QVERIFY(found->isText());
      }
  }

  void tablesAreNoSentences_data() {
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<bool>("sentences");
    QTest::newRow("a text with commas")
        << QByteArray("One, two and three are numbers , she said .\nHe did not agree with her .\n")
        << true;
    QTest::newRow("wiki text")
        << QByteArray(
               " \n = Homarus gammarus = \n \n Homarus gammarus , known as the "
               "European lobster , is a species of clawed lobster .\n")
        << true;
    QTest::newRow("ids") << QByteArray("0 1 2 3 4\n1 2 3 4 5\n") << false;
    QTest::newRow("names of columns")
        << QByteArray("user,item,review\n1,2,\"a film , well made , that I liked a lot\"\n")
        << false;
    QTest::newRow("fields")
        << QByteArray("Anna likes;a very good film indeed\nBen has;seen the other one\n") << false;
    QTest::newRow("pieces") << QByteArray("[PAD]\n[UNK]\nfox\ndog\n") << false;
    QTest::newRow("nothing") << QByteArray("\n \n") << false;
  }
  void tablesAreNoSentences() {
    QFETCH(QByteArray, head);
    QFETCH(bool, sentences);
    QCOMPARE(looksLikeSentences(head.toStdString()), sentences);
  }

  void rowsAndTextsAreNotTakenForEachOther() {
    const ImportFixture fixture;
    const experiment::Dataset texts = wholeSpec(fixture);
    experiment::Dataset table;
    table.source = experiment::SourceKind::kCsv;
    const auto lines =
        chooseData(table, fixture.source(), OtherColumns::kSuggest, 5, {}, makeGenerator);
    QVERIFY(!lines);
    QVERIFY2(lines.error().message.find("is a corpus of texts") != std::string::npos,
             lines.error().message.c_str());
    std::filesystem::create_directory(fixture.source() / "rows");
    fixture.write("rows/u.data", "1\t2\t3\t4\n");
    const auto rows =
        chooseData(texts, fixture.source() / "rows", OtherColumns::kKeep, 5, {}, makeGenerator);
    QVERIFY(!rows);
    QVERIFY2(rows.error().message.find("reads texts") != std::string::npos,
             rows.error().message.c_str());
  }

  void otherTextsLeaveTheSettings() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    spec.text->minBytes = 3;
    std::filesystem::create_directory(fixture.source() / "more");
    fixture.write("more/train.txt", "lazy fox\n");
    spec.text->vocabulary = (fixture.source() / "pieces.txt").string();
    const auto chosen =
        chooseData(spec, fixture.source() / "more", OtherColumns::kSuggest, 5, {}, makeGenerator);
    QVERIFY_OK(chosen);
    QVERIFY(chosen->dataset.isText());
    QCOMPARE(chosen->dataset.text->minBytes, std::int64_t{3});
    QCOMPARE(*chosen->preview.rows[0][0], std::string("lazy fox"));
    QVERIFY(chosen->changes.empty());
  }

  void filtersReadTheText() {
    const ImportFixture fixture;
    experiment::Dataset spec = wholeSpec(fixture);
    spec.filter = "text contains \"fox\"";
    spec.text->minBytes = 9;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{2});
  }

  void batchesComeWithoutLabels() {
    const ImportFixture fixture;
    const auto report = fixture.import(wholeSpec(fixture));
    QVERIFY_OK(report);
    BatchLoader loader(report->dataset, RowSet::all(5), {"tokens"},
                       {.batchRows = 3, .order = experiment::BatchOrder::kEpoch, .seed = 4});
    const auto pieces = MaskingPieces::of(report->dataset->vocabulary("tokens")).value();
    BatchMasker masker({}, pieces, 1, {.examples = 3, .positions = 21, .length = 7});
    loader.begin(1);
    std::int64_t rows = 0;
    while (const data::Batch* batch = loader.next()) {
      QVERIFY(batch->labels.empty());
      const FeatureIds& tokens = batch->features[0];
      QCOMPARE(std::ssize(tokens.offsets), batch->rows + 1);
      const MaskedBatch& masked = masker.mask(tokens, 1, rows);
      QCOMPARE(masked.ids.size(), tokens.ids.size());
      rows += batch->rows;
    }
    QCOMPARE(rows, std::int64_t{5});
  }
};

QTEST_APPLESS_MAIN(CorpusTest)
#include "corpus_test.moc"
