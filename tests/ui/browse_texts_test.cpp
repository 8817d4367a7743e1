// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSpinBox>
#include <array>
#include <fstream>

#include "tests/ui/browse_fixture.h"
#include "ui/pages/browse/fill_mask_panel.h"

using namespace parapet;
using namespace parapet::ui;

/// Browse of a masked language model: a text in place of lists.
class BrowseTextsTest : public BrowseFixture {
  Q_OBJECT

  static void write(const QString& path, const QString& text) {
    std::ofstream(path.toStdString()) << text.toStdString();
  }

  // "the cat sees the cat .": a line of four animals.
  experiment::Experiment document() const {
    QString lines;
    for (int line = 0; line < 200; ++line) {
      const char* const animal = std::array{"cat", "dog", "bird", "horse"}[line % 4];
      lines += QString("the %1 sees the %1 .\n").arg(animal);
    }
    write(folder_.filePath("train.txt"), lines);
    write(folder_.filePath("valid.txt"), lines.left(600));
    write(folder_.filePath("vocab.txt"),
          "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nsees\n.\ncat\ndog\nbird\nhorse\n");
    auto json = experiment::parseJson(R"({"parapet": 1, "name": "animals",
      "dataset": {"source": "text", "text": {"vocabulary": "vocab.txt", "max_length": 10},
        "batch": {"size": 20, "shuffle": "epoch"}},
      "tables": [{"name": "tokens", "vocabulary": "tokens", "embedding_dim": 8}],
      "features": [{"name": "tokens", "column": "tokens", "table": "tokens", "sequence": true,
        "max_length": 10}],
      "model": {"kind": "masked_lm",
        "layers": [{"kind": "position"}, {"kind": "transformer_block", "heads": 2, "units": 8}],
        "masking": {"rate": 0.2, "max_selections": 2}},
      "loss": {"kind": "vocabulary_softmax", "reduction": "weighted_mean"},
      "optimizer": {"kind": "adam", "learning_rate": 0.01},
      "training": {"epochs": 2, "seed": 1}})")
                    .value();
    json["dataset"]["path"] = folder_.path().toStdString();
    return experiment::parse(json).experiment;
  }

  QToolButton* wordButton(const QString& word) {
    for (auto* button : page_->fillMask().findChildren<QToolButton*>())
      if (button->text() == word && !button->isChecked()) return button;
    return nullptr;
  }

 private slots:
  void initTestCase() {
    qRegisterMetaType<Error>();
    QVERIFY(folder_.isValid());
    bench_ = std::make_unique<Bench>(folder_.filePath("workspace"));
    run_ = train(*bench_->workspace, document());
    QVERIFY(!run_.empty());
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->showUser(QString::fromStdString(run_), QString());
    QTRY_VERIFY_WITH_TIMEOUT(page_->asksTexts(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(page_->fillMask().caption().contains("type a text"), kPatienceMs);
  }

  void everyControlHasANameAndATip() {
    QCOMPARE(controlWithoutAName(page_->fillMask()), QString());
  }

  void aClickOnAWordMasksIt() {
    FillMaskPanel& panel = page_->fillMask();
    auto* text = panel.findChild<QLineEdit*>();
    text->clear();
    QTest::keyClicks(text, "the cat sees the dog .");
    QVERIFY(panel.caption().contains("click the words"));
    QCOMPARE(panel.pieces().rowCount(), 0);
    QTest::mouseClick(wordButton("dog"), Qt::LeftButton);
    QCOMPARE(panel.prompt(), QString("the cat sees the [MASK] ."));
    QCOMPARE(page_->terminalCommand(),
             QString("parapet-cli predict %1 --text 'the cat sees the [MASK] .'")
                 .arg(QString::fromStdString(run_)));
    QTRY_COMPARE_WITH_TIMEOUT(panel.pieces().rowCount(), 5, kPatienceMs);
    const auto expected =
        bench_->workspace->maskedModel(run_, {}).value()->fill("the cat sees the [MASK] .", 5);
    const auto& guesses = expected.value().masked.at(0).pieces;
    for (int row = 0; row < 5; ++row) {
      const auto& shown = panel.pieces().rows()[static_cast<std::size_t>(row)];
      QCOMPARE(shown.position, 5);
      QCOMPARE(shown.guess.piece, guesses[static_cast<std::size_t>(row)].piece);
      QCOMPARE(shown.guess.probability, guesses[static_cast<std::size_t>(row)].probability);
    }
    QTest::mouseClick(wordButton("cat"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(panel.pieces().rowCount(), 10, kPatienceMs);
  }

  void whatCannotBeAskedIsTold() {
    FillMaskPanel& panel = page_->fillMask();
    auto* text = panel.findChild<QLineEdit*>();
    text->setText("[MASK] the cat sees the dog the cat sees the dog");
    QTRY_COMPARE_WITH_TIMEOUT(
        panel.caption().section(" · ", 2),
        QString("the text has 13 pieces, [CLS] and [SEP] among them; the model reads 10"),
        kPatienceMs);
    QCOMPARE(panel.pieces().rowCount(), 0);
  }

  void theCountOfPiecesIsAsked() {
    FillMaskPanel& panel = page_->fillMask();
    panel.findChild<QLineEdit*>()->setText("the [MASK] sees");
    panel.findChild<QSpinBox*>()->setValue(3);
    QTRY_COMPARE_WITH_TIMEOUT(panel.pieces().rowCount(), 3, kPatienceMs);
  }
};

QTEST_MAIN(BrowseTextsTest)
#include "browse_texts_test.moc"
