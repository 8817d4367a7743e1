// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/ingest/import/train_pieces.h"
#include "engine/data/split/split.h"
#include "engine/data/text/masking.h"
#include "engine/experiment/text_data.h"

using namespace parapet;
using namespace parapet::data;

// The validation and test texts of wikitext-2 with BERT's vocabulary; the training text is not among
// the data that tests have.
class WikitextTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path corpus_;
  experiment::Dataset spec_;

 private Q_SLOTS:
  void initTestCase() {
    const char* folder = std::getenv("PARAPET_DATA_DIR");
    if (!folder) QSKIP("PARAPET_DATA_DIR is not set");
    corpus_ = std::filesystem::path(folder) / "wikitext-2";
    const auto vocabulary = std::filesystem::path(folder) / "bert" / "vocab.txt";
    if (!std::filesystem::exists(corpus_ / "valid.txt") || !std::filesystem::exists(vocabulary))
      QSKIP("there is no wikitext-2/valid.txt, or no bert/vocab.txt");
    spec_.source = experiment::SourceKind::kText;
    spec_.path = corpus_.string();
    experiment::useTextDefaults(spec_);
    spec_.text->vocabulary = vocabulary.string();
  }

  // The counts of ids are those of tokenizers 0.23, two more for each line that has any.
  void everyLineHasThePiecesOfTokenizers() {
    spec_.text->maxLength = 1 << 16;
    const auto report = importDataset(spec_, folder_.path().toStdString(), {}, makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    const Dataset& dataset = *report->dataset;
    QCOMPARE(report->quarantined, std::int64_t{0});
    QCOMPARE(std::ssize(dataset.ids("tokens")) - 2 * dataset.rows(),
             std::ptrdiff_t{260'172 + 299'307});
    QCOMPARE(dataset.vocabulary("tokens").size(), std::int64_t{30'522});
    QCOMPARE(report->warnings.size(), std::size_t{1});
    QVERIFY(report->warnings[0].find("(3,384 of 3,760 lines)") != std::string::npos);
  }

  void longLinesAreSplitByTheirFiles() {
    spec_.text->maxLength = 128;
    spec_.text->minBytes = 101;
    const auto report = importDataset(spec_, folder_.path().toStdString(), {}, makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    const auto split = makeSplit(EventColumns(*report->dataset), {.split = spec_.split});
    QVERIFY2(split.ok(), split ? "" : split.error().text().c_str());
    QCOMPARE(split->train.size() + split->validation.size() + split->test.size(), report->rows);
    QVERIFY(split->train.size() > 7 * split->validation.size());
    QVERIFY(MaskingPieces::of(report->dataset->vocabulary("tokens")).ok());
  }

  void aTrainedVocabularyCoversIt() {
    const auto trained = trainPieces(corpus_, {.size = 4000}, {});
    QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    QCOMPARE(trained->pieces.size(), std::size_t{4000});
    QCOMPARE(trained->lines, std::int64_t{3'384});
    for (const char* piece : {"the", "of", "##ing", "##ed", "was"})
      QVERIFY2(std::ranges::find(trained->pieces, piece) != trained->pieces.end(), piece);
  }
};

QTEST_APPLESS_MAIN(WikitextTest)
#include "wikitext_test.moc"
