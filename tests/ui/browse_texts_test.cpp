// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "tests/ui/browse_fixture.h"
#include "tests/ui/window_look.h"
#include "ui/forms/card.h"
#include "ui/pages/browse/attention_view.h"
#include "ui/pages/browse/fill_mask_panel.h"
#include "ui/pages/browse/model_picker.h"
#include "ui/style/theme.h"

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
      "training": {"epochs": 2, "seed": 1, "checkpoints": {"every": 1, "keep": 5, "best": null}}})")
                    .value();
    json["dataset"]["path"] = folder_.path().toStdString();
    return experiment::parse(json).experiment;
  }

  static experiment::CheckpointWritten writtenAt(std::int64_t step) {
    experiment::CheckpointWritten written;
    written.step = step;
    return written;
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
    run_ = trainRun(*bench_->workspace, document());
    QVERIFY(!run_.empty());
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->showUser(QString::fromStdString(run_), QString());
    QTRY_VERIFY_WITH_TIMEOUT(page_->asksTexts(), kPatienceMs);
    QVERIFY2(page_->bar().strip().contains(QString::fromStdString(run_).left(6)),
             qPrintable(page_->bar().strip()));
    QTRY_VERIFY_WITH_TIMEOUT(page_->fillMask().caption().contains("type a text"), kPatienceMs);
  }

  void whatIsOfListsAloneIsNotOffered() {
    BrowseBar& bar = page_->bar();
    QVERIFY(!bar.findChild<QSpinBox*>()->isVisible());
    for (const QAction* action : bar.exports()) QVERIFY(!action->isEnabled());
    const std::int64_t step = page_->fillMask().first().step();
    QVERIFY(step > 0);
    QVERIFY2(bar.strip().endsWith(QString("step %1").arg(step)), qPrintable(bar.strip()));
  }

  void theSliderLeadsThroughTheCheckpoints() {
    BrowseBar& bar = page_->bar();
    QTRY_VERIFY_WITH_TIMEOUT(bar.shown().steps().size() > 1, kPatienceMs);
    const std::int64_t first = bar.shown().steps().front(), last = bar.shown().steps().back();
    auto* slider = bar.replay().findChild<QSlider*>();
    QTRY_COMPARE(slider->value(), slider->maximum());
    slider->setValue(0);
    QTRY_COMPARE_WITH_TIMEOUT(page_->fillMask().first().step(), first, kPatienceMs);
    // A newer one is offered, and answers when asked for.
    emit bench_->bridge.checkpointWritten(QString::fromStdString(run_), writtenAt(last));
    QVERIFY(bar.offersNewer());
    QTest::mouseClick(bar.findChild<QPushButton*>("updateModel"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(page_->fillMask().first().step(), last, kPatienceMs);
    QTRY_COMPARE(slider->value(), slider->maximum());
  }

  void aPageThatComesBackHasTheNewestModel() {
    BrowseBar& bar = page_->bar();
    QTRY_VERIFY_WITH_TIMEOUT(bar.shown().steps().size() > 1, kPatienceMs);
    const std::int64_t first = bar.shown().steps().front(), last = bar.shown().steps().back();
    const QString run = QString::fromStdString(run_);
    page_->fillMask().open({run, {workspace::WhichCheckpoint::kStep, first}}, run);
    QTRY_COMPARE_WITH_TIMEOUT(page_->fillMask().first().step(), first, kPatienceMs);
    page_->hide();
    emit bench_->bridge.checkpointWritten(run, writtenAt(last));
    page_->show();
    QTRY_COMPARE_WITH_TIMEOUT(page_->fillMask().first().step(), last, kPatienceMs);
    QVERIFY(!bar.offersNewer());
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
    QToolButton* dog = wordButton("dog");
    QTest::mouseClick(dog, Qt::LeftButton);
    // A masked word stands out in either theme.
    for (const QPalette& theme : {lightPalette(), darkPalette()}) {
      dog->setPalette(theme);
      QCOMPARE(dog->grab().toImage().pixelColor(dog->width() / 2, 2),
               theme.color(QPalette::Highlight));
    }
    dog->setPalette({});
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
      QCOMPARE(shown.masked, QString("dog"));
      QCOMPARE(shown.guess.piece, guesses[static_cast<std::size_t>(row)].piece);
      QCOMPARE(shown.guess.probability, guesses[static_cast<std::size_t>(row)].probability);
    }
    QTest::mouseClick(wordButton("cat"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(panel.pieces().rowCount(), 10, kPatienceMs);
    QCOMPARE(panel.maskedWords(), (QStringList{"cat", "dog"}));
    // One that was typed hides no word.
    text->setText("the [MASK] sees the dog .");
    QCOMPARE(panel.maskedWords(), (QStringList{QString(), "dog"}));
    QTRY_COMPARE_WITH_TIMEOUT(panel.pieces().rows().front().masked, QString(), kPatienceMs);
    QCOMPARE(panel.pieces().index(9, FilledPiecesModel::kMasked).data().toString(), QString("dog"));
  }

  void aTextAndItsMasksComeBack() {
    FillMaskPanel& panel = page_->fillMask();
    panel.findChild<QLineEdit*>()->setText("the cat sees the bird .");
    QTest::mouseClick(wordButton("bird"), Qt::LeftButton);
    panel.findChild<QSpinBox*>("count")->setValue(4);
    auto* views = panel.findChild<QTabBar*>();
    views->setCurrentIndex(1);
    panel.findChild<QSpinBox*>("head")->setValue(2);
    nlohmann::json state = nlohmann::json::parse(page_->saveState().dump());
    panel.findChild<QSpinBox*>("head")->setValue(1);
    views->setCurrentIndex(0);
    panel.findChild<QSpinBox*>("count")->setValue(5);
    // Users of lists before do not keep the slider from the step that answers.
    state["columns"] = {{{"user", "1"}}};
    BrowsePage again(bench_->workbench);
    again.restoreState(state);
    emit again.session().answered();
    QTRY_VERIFY_WITH_TIMEOUT(again.asksTexts(), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(again.fillMask().first().step(), page_->fillMask().first().step(),
                              kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(again.bar().shown().steps().size() > 1, kPatienceMs);
    const auto* slider = again.bar().replay().findChild<QSlider*>();
    QTRY_COMPARE(slider->value(), slider->maximum());
    QCOMPARE(again.fillMask().prompt(), QString("the cat sees the [MASK] ."));
    QCOMPARE(again.fillMask().maskedWords(), QStringList{"bird"});
    QCOMPARE(again.fillMask().findChild<QSpinBox*>("count")->value(), 4);
    QCOMPARE(again.fillMask().findChild<QTabBar*>()->currentIndex(), 1);
    QCOMPARE(again.fillMask().findChild<QSpinBox*>("head")->value(), 2);
    QCOMPARE(again.terminalCommand(),
             QString("parapet-cli predict %1 --text 'the cat sees the [MASK] .' --attention 1,2")
                 .arg(QString::fromStdString(run_)));
    again.restoreState(nlohmann::json::parse(R"({"texts": {"text": 3, "masked": ["x"]}})"));
  }

  void whatCannotBeAskedIsTold() {
    FillMaskPanel& panel = page_->fillMask();
    auto* text = panel.findChild<QLineEdit*>();
    text->setText("[MASK] the cat sees the dog the cat sees the dog");
    QTRY_COMPARE_WITH_TIMEOUT(
        panel.caption().section(" · ", 2),
        QString("the text has 13 tokens, [CLS] and [SEP] among them; the model reads 10"),
        kPatienceMs);
    QCOMPARE(panel.pieces().rowCount(), 0);
    // All of it is read where the column is narrow.
    const auto* caption = panel.first().findChild<QuietLabel*>();
    QCOMPARE(caption->toolTip(), panel.caption());
    page_->resize(400, 720);
    QTRY_VERIFY(caption->height() > caption->fontMetrics().height());
    QVERIFY(caption->height() >= caption->heightForWidth(caption->width()));
    page_->resize(1280, 720);
  }

  void aHeadOfTheAttentionIsAPicture() {
    FillMaskPanel& panel = page_->fillMask();
    panel.findChild<QLineEdit*>()->setText("the cat sees the [MASK] .");
    auto* views = panel.findChild<QTabBar*>();
    QTest::mouseClick(views, Qt::LeftButton, {}, views->tabRect(1).center());
    auto* head = panel.findChild<QSpinBox*>("head");
    auto* layer = panel.findChild<QSpinBox*>("layer");
    QVERIFY(head->isVisible() && layer->isVisible());
    QCOMPARE(layer->maximum(), 1);
    QCOMPARE(head->maximum(), 2);
    AttentionView& view = panel.first().attention();
    QTRY_COMPARE_WITH_TIMEOUT(view.map().pieces.size(), std::size_t{8}, kPatienceMs);
    const auto model = bench_->workspace->maskedModel(run_, {}).value();
    const auto first = model->attention("the cat sees the [MASK] .", 0, 0).value();
    QCOMPARE(view.map().probabilities, first.probabilities);
    for (std::size_t reader = 0; reader < 8; ++reader) {
      double sum = 0.0;
      for (std::size_t read = 0; read < 8; ++read) sum += first.at(reader, read);
      QVERIFY(std::abs(sum - 1.0) < 1e-12);
    }
    // All of a short text is seen.
    QTRY_VERIFY(view.visibleRegion().boundingRect().contains(view.cellRect(7, 7)));
    // The table beside it is about the row that is clicked.
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellRect(5, 2).center());
    QCOMPARE(view.reader(), 5);
    const ReadPiecesModel& read = panel.first().readPieces();
    QCOMPARE(read.rowCount(), 8);
    QCOMPARE(read.rows().front().probability,
             *std::max_element(&first.probabilities[40], &first.probabilities[48]));
    QTest::keyClick(&view, Qt::Key_Up);
    QCOMPARE(view.reader(), 4);
    // The largest weight of the head has the full colour, however small it is.
    const float largest = static_cast<float>(std::ranges::max(first.probabilities));
    QCOMPARE(static_cast<float>(view.largest()), largest);
    QVERIFY2(view.legend().contains(QString::number(100.0 * view.largest(), 'f', 1)),
             qPrintable(view.legend()));
    workspace::AttentionMap faint = first;
    for (double& each : faint.probabilities) each /= 10.0;
    const QImage strong = view.grab().toImage();
    view.setMap(faint);
    QCOMPARE(view.grab().toImage(), strong);
    view.setMap(first);
    // More of it is darker.
    head->setValue(2);
    const auto second = model->attention("the cat sees the [MASK] .", 0, 1).value();
    QTRY_COMPARE_WITH_TIMEOUT(view.map().probabilities, second.probabilities, kPatienceMs);
    const auto& row = second.probabilities;
    const auto most = std::max_element(&row[32], &row[40]) - &row[32];
    const auto least = std::min_element(&row[32], &row[40]) - &row[32];
    const QImage picture = view.grab().toImage();
    const auto shade = [&](std::ptrdiff_t column) {
      return picture.pixelColor(view.cellRect(4, static_cast<int>(column)).center()).lightness();
    };
    QVERIFY(shade(most) < shade(least));
    QVERIFY(!model->attention("the", 1, 0).ok());
    QCOMPARE(model->attention("the", 0, 2).error().text(),
             std::string("head 3 of layer 1 is asked for; accepted: 1 to 2"));
    QTest::mouseClick(views, Qt::LeftButton, {}, views->tabRect(0).center());
    QVERIFY(!head->isVisible());
  }

  void twoCheckpointsAnswerSideBySide() {
    FillMaskPanel& panel = page_->fillMask();
    panel.findChild<QLineEdit*>()->setText("the cat sees the [MASK] .");
    QVERIFY(!panel.second().isVisible());
    auto* runs = panel.picker().findChild<QComboBox*>();
    QTRY_VERIFY_WITH_TIMEOUT(runs->findData(QString::fromStdString(run_)) > 0, kPatienceMs);
    runs->setCurrentIndex(runs->findData(QString::fromStdString(run_)));
    emit runs->activated(runs->currentIndex());
    QTRY_VERIFY_WITH_TIMEOUT(panel.second().isVisible(), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(panel.second().pieces().rowCount(), 5, kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(panel.pieces().rowCount(), 5, kPatienceMs);
    QCOMPARE(panel.second().pieces().rows().front().guess.piece,
             panel.pieces().rows().front().guess.piece);
    QVERIFY2(runs->toolTip().endsWith(runs->currentText()), qPrintable(runs->toolTip()));
    // In a low window numbers are whole in both, of pieces and of attention; a piece that is cut is told.
    page_->resize(870, 400);
    auto* views = panel.findChild<QTabBar*>();
    for (const int view : {0, 1}) {
      views->setCurrentIndex(view);
      QTRY_VERIFY_WITH_TIMEOUT(panel.second().readPieces().rowCount() > 0 || view == 0,
                               kPatienceMs);
      QTRY_COMPARE_WITH_TIMEOUT(elidedOf(panel), QStringList(), 5000);
    }
    const auto isTold = [](const QModelIndex& piece) {
      return !piece.data().toString().isEmpty() &&
             piece.data(Qt::ToolTipRole).toString() == piece.data().toString();
    };
    QVERIFY(isTold(panel.pieces().index(0, FilledPiecesModel::kPiece)));
    QVERIFY(isTold(panel.second().readPieces().index(0, ReadPiecesModel::kPiece)));
    views->setCurrentIndex(0);
    page_->resize(1280, 720);
    runs->setCurrentIndex(0);
    emit runs->activated(0);
    QTRY_VERIFY(!panel.second().isVisible());
  }

  void aSecondModelIsOneOfTextsToo() {
    const std::string lists = trainRun(*bench_->workspace, smallSample(42, 80));
    ModelPicker& picker = page_->fillMask().picker();
    QSignalSpy loaded(&picker, &ModelPicker::loaded);
    picker.reload();
    QVERIFY(loaded.wait(kPatienceMs));
    const auto* runs = picker.findChild<QComboBox*>();
    QVERIFY(runs->findData(QString::fromStdString(run_)) > 0);
    QCOMPARE(runs->findData(QString::fromStdString(lists)), -1);
    QVERIFY(page_->bar().shown().findChild<QComboBox*>() != nullptr);
  }

  void theCountOfPiecesIsAsked() {
    FillMaskPanel& panel = page_->fillMask();
    panel.findChild<QLineEdit*>()->setText("the [MASK] sees");
    panel.findChild<QSpinBox*>("count")->setValue(3);
    QTRY_COMPARE_WITH_TIMEOUT(panel.pieces().rowCount(), 3, kPatienceMs);
    QVERIFY2(page_->terminalCommand().endsWith("--text 'the [MASK] sees' -k 3"),
             qPrintable(page_->terminalCommand()));
    const std::int64_t first = page_->bar().shown().steps().front();
    page_->bar().replay().findChild<QSlider*>()->setValue(0);
    QTRY_COMPARE_WITH_TIMEOUT(panel.first().step(), first, kPatienceMs);
    QVERIFY2(page_->terminalCommand().endsWith(QString("-k 3 --checkpoint %1").arg(first)),
             qPrintable(page_->terminalCommand()));
  }
};

QTEST_MAIN(BrowseTextsTest)
#include "browse_texts_test.moc"
