// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/data_page.h"

#include <fmt/format.h>

#include <QAbstractItemModelTester>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTextBrowser>
#include <QUndoStack>
#include <QUrl>
#include <array>
#include <atomic>

#include "engine/base/files.h"
#include "engine/workspace/proposal.h"
#include "tests/ui/test_bench.h"
#include "ui/forms/document_table.h"
#include "ui/models/document_edits.h"
#include "ui/pages/data/side_files_panel.h"
#include "ui/pages/home/recipe_tile.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr int kSoonMs = 20'000;
constexpr std::int64_t kDay = 86'400;

/// Ratings a day apart; the third line is none.
QString writeRatings(const TestBench& bench, int rows) {
  std::string text = "userId,movieId,rating,timestamp\n";
  for (int i = 0; i < rows; ++i) {
    text += fmt::format("{},{},{},{}\n", i % 7 + 1, i % 5 + 1, i % 5 + 1, i * kDay);
    if (i == 0) text += "broken\n";
  }
  const QString path = bench.folder.path() + "/ratings.csv";
  if (!writeFileAtomically(path.toStdString(), text)) qFatal("the test cannot write its files");
  return path;
}

/// Titles of the items of writeRatings().
QString writeMovies(const TestBench& bench) {
  std::string text = "movieId,title,genres\n";
  for (int i = 1; i <= 5; ++i) text += fmt::format("{},Film {} (1999),Drama\n", i, i);
  const QString path = bench.folder.path() + "/movies.csv";
  if (!writeFileAtomically(path.toStdString(), text)) qFatal("the test cannot write its files");
  return path;
}

/// The layout of MovieLens "latest": ids of movies have gaps.
QString writeLatest(const TestBench& bench) {
  std::string ratings = "userId,movieId,rating,timestamp\n", movies = "movieId,title,genres\n";
  for (int i = 0; i < 400; ++i)
    ratings += fmt::format("{},{},{},{}\n", i % 7 + 1, 900 * (i % 5) + 1, 0.5 * (i % 10 + 1), i);
  for (int i = 0; i < 5; ++i) movies += fmt::format("{},Movie {} (1999),Drama\n", 900 * i + 1, i);
  const QString path = bench.folder.path() + "/latest";
  if (!QDir().mkpath(path) ||
      !writeFileAtomically((path + "/ratings.csv").toStdString(), ratings) ||
      !writeFileAtomically((path + "/movies.csv").toStdString(), movies))
    qFatal("the test cannot write its files");
  return path;
}

nlohmann::json recipeDocument(const char* name) {
  return experiment::parseJson(experiment::findRecipe(name).value().text).value();
}

void drop(QWidget& page, const QString& path) {
  QMimeData mime;
  mime.setUrls({QUrl::fromLocalFile(path)});
  QDragEnterEvent enter({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&page, &enter);
  QDropEvent event({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&page, &event);
}

/// The page over the recipe `sample`, shown.
struct Shown {
  Shown() : page(bench.bench) {
    bench.editor.load(sampleDocument(2), "sample");
    page.resize(1200, 900);
    page.show();
  }
  bool dropRatings(int rows) {
    drop(page, writeRatings(bench, rows));
    return QTest::qWaitFor(
        [this] {
          return bench.editor.value("/dataset/source") == "csv" && page.watch().count() &&
                 page.watch().count()->complete;
        },
        kSoonMs);
  }
  QLineEdit* filterLine() { return page.findChild<QLineEdit*>("/dataset/filter"); }

  TestBench bench;
  DataPage page;
};

}  // namespace

class DataPageTest : public QObject {
  Q_OBJECT

 private slots:
  /// The viewer masks as the training does, and follows rate, method, seed and epoch.
  void masksOfTextsFollowTheirSettings() {
    TestBench bench;
    std::string lines;
    for (int line = 0; line < 60; ++line)
      lines +=
          fmt::format("the {} sees the dog and the bird again {} .\n", line % 2 ? "cat" : "horse",
                      std::string(static_cast<std::size_t>(line % 5), '!'));
    const std::string folder = bench.folder.path().toStdString();
    QVERIFY(writeFileAtomically(folder + "/train.txt", lines).ok());
    QVERIFY(writeFileAtomically(folder + "/valid.txt", "the cat\n").ok());
    QVERIFY(writeFileAtomically(folder + "/vocab.txt",
                                "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nsees\n.\ncat\ndog\nbird\n"
                                "horse\nand\nagain\n!\n")
                .ok());
    nlohmann::json document = recipeDocument("bert-tiny-mlm");
    document["dataset"]["path"] = folder;
    document["dataset"]["text"]["min_bytes"] = 0;
    DataPage page(bench.bench);
    page.resize(1200, 900);
    page.show();
    bench.editor.load(sampleDocument(2), "sample");
    auto* steps = page.findChild<QListWidget*>("dataSteps");
    QVERIFY(steps->item(steps->count() - 1)->isHidden());
    bench.editor.load(document, "bert-tiny-mlm");
    QVERIFY(!steps->item(steps->count() - 1)->isHidden());
    page.showStep(steps->count() - 1);
    const MaskingPanel& panel = page.masking();
    QTRY_COMPARE_WITH_TIMEOUT(panel.texts().size(), std::size_t{MaskingPanel::kLines}, kSoonMs);
    std::uint64_t seed = bench.editor.experiment().training.seed;
    const auto expected = [&](std::int64_t epoch) {
      const auto& experiment = bench.editor.experiment();
      return workspace::TextSample::read(experiment.dataset, MaskingPanel::kLines, {})
          .value()
          ->masked(experiment.model.masking.value(), seed, epoch);
    };
    const auto shown = [&](std::int64_t epoch) {
      const auto wanted = expected(epoch);
      return QTest::qWaitFor(
          [&] {
            return std::ranges::equal(panel.texts(), wanted, [](const auto& a, const auto& b) {
              return std::ranges::equal(a.pieces, b.pieces, [](const auto& x, const auto& y) {
                return x.shown == y.shown && x.fate == y.fate;
              });
            });
          },
          kSoonMs);
    };
    QVERIFY(shown(1));
    const auto before = panel.texts();
    const int few = panel.selections().rowCount();
    QVERIFY(few > 0);
    const auto edit = [&](const char* pointer, const QString& text) {
      auto* line = page.findChild<QLineEdit*>(pointer);
      if (line == nullptr) return false;
      line->selectAll();
      QTest::keyClicks(line, text);
      QTest::keyClick(line, Qt::Key_Return);
      return true;
    };
    QVERIFY(edit("/model/masking/rate", "0.5"));
    QCOMPARE(bench.editor.experiment().model.masking->rate, 0.5);
    QVERIFY(shown(1));
    QVERIFY(panel.selections().rowCount() > 2 * few);
    // A maximum that keeps the rate from being reached is told.
    QVERIFY2(!panel.summary().contains("at most"), qPrintable(panel.summary()));
    QVERIFY(edit("/model/masking/max_selections", "3"));
    QTRY_VERIFY_WITH_TIMEOUT(
        panel.summary().contains("at most 3 are selected (Max. of a sequence)"), kSoonMs);
    QVERIFY2(panel.summary().endsWith("less than 50 % in 50 of the lines."),
             qPrintable(panel.summary()));
    bench.editor.undoStack().undo();
    QVERIFY(shown(1));
    // Another seed is tried, and the document keeps its own.
    panel.seed().setValue(7);
    QCOMPARE(bench.editor.experiment().training.seed, seed);
    seed = 7;
    QVERIFY(shown(1));
    panel.epoch().setValue(2);
    QVERIFY(shown(2));
    QCOMPARE(panel.terminalOptions(), QString("--masks 50 --epoch 2 --set /training/seed=7"));
    // Masked pieces stand there struck through, beside those that the model reads instead.
    QVERIFY(panel.view().toHtml().contains("line-through"));
    QVERIFY(panel.view().toPlainText().contains("[MASK]"));
    // A link to a setting of the masks leads to this step.
    page.showStep(0);
    QVERIFY(page.reveal("/model/masking/method"));
    QCOMPARE(page.currentStep(), steps->count() - 1);
    // A setting that cannot be is told instead.
    QVERIFY(edit("/model/masking/rate", "3"));
    QTRY_VERIFY_WITH_TIMEOUT(panel.texts().empty() && !panel.summary().isEmpty(), kSoonMs);
    bench.editor.undoStack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(!panel.texts().empty(), kSoonMs);
    bench.editor.setValue("/dataset/text/vocabulary", "gone.txt", "x");
    QTRY_VERIFY_WITH_TIMEOUT(panel.summary().contains("gone.txt"), kSoonMs);
  }

  /// Nothing is asked of users, items and labels, which texts do not have.
  void textsHaveTheirOwnWords() {
    Shown shown;
    ExperimentEditor& editor = shown.bench.editor;
    const auto* users = shown.page.findChild<QWidget*>("/dataset/split/cold_users")->parentWidget();
    const auto* train = shown.page.findChild<QLineEdit*>("/dataset/split/train");
    const auto note = [&](const QString& begin) {
      for (const QLabel* label : shown.page.findChildren<QLabel*>())
        if (label->text().startsWith(begin)) return label;
      return static_cast<const QLabel*>(nullptr);
    };
    editor.setValue("/dataset/source", "csv", "source");
    editor.setValue("/dataset/split/kind", "files", "kind");
    QVERIFY(!users->isHidden());
    QVERIFY(!note("Two numbers")->isHidden());
    QVERIFY(note("A folder of texts")->isHidden());
    editor.load(recipeDocument("bert-tiny-mlm"), "bert-tiny-mlm");
    QVERIFY(users->isHidden());
    QVERIFY(note("Two numbers")->isHidden());
    QVERIFY(!note("A folder of texts")->isHidden());
    QVERIFY(note("Files with the same")->isHidden());
    QCOMPARE(train->placeholderText(), QString("that of the corpus"));
    QVERIFY(note("Interactions (a text file")->text().contains("corpus of texts"));
    editor.load(sampleDocument(2), "sample");
    QCOMPARE(train->placeholderText(), QString("not set"));
  }

  void aDroppedFileIsPreviewedWithRolesInOneUndoStep() {
    Shown shown;
    const auto before = shown.bench.editor.document();
    QVERIFY(shown.dropRatings(500));
    PreviewPanel& preview = shown.page.preview();
    QCOMPARE(preview.model().columnCount(), 4);
    QCOMPARE(preview.model().rowCount(), 200);
    QVERIFY2(preview.summary().contains("500 rows"), qPrintable(preview.summary()));
    QCOMPARE(preview.rejectedLines().rowCount(), 1);
    QCOMPARE(preview.rejectedLines().index(0, 0).data().toString(), QString("3"));
    const QStringList uses{"user", "item", "label", "time"};
    for (int column = 0; column < 4; ++column)
      QCOMPARE(preview.header().box(column)->currentData().toString(), uses[column]);
    QVERIFY2(shown.bench.editor.findingsAt("/dataset").problems.empty(),
             qPrintable(parapet::ui::findingsText(shown.bench.editor.findingsAt("/dataset"))));
    shown.bench.editor.undoStack().undo();
    QVERIFY(shown.bench.editor.document() == before);
  }

  void aNewExperimentIsTheProposalOfInit_data() {
    QTest::addColumn<QString>("rows");
    QTest::newRow("ratings") << "userId,movieId,rating,timestamp";
    QTest::newRow("no label") << "visitor,book,,when";
    QTest::newRow("contexts") << "user,item,daytime,timestamp";
  }
  void aNewExperimentIsTheProposalOfInit() {
    QFETCH(QString, rows);
    Shown shown;
    constexpr std::array kDaytimes{"morning", "noon", "evening", "night"};
    const QStringList names = rows.split(',');
    std::string text;
    for (int row = -1; row < 800; ++row) {
      QStringList cells = names;
      if (row >= 0)
        cells = {QString::number(row % 40), QString::number(row * 7 % 60),
                 names[2] == "daytime" ? QString(kDaytimes[static_cast<std::size_t>(row) % 4])
                                       : QString::number(row % 5 + 1),
                 QString::number(1'400'000'000 + row * 997)};
      if (names[2].isEmpty()) cells.removeAt(2);
      text += cells.join(',').toStdString() + '\n';
    }
    const QString file = shown.bench.folder.path() + "/My shop.2024.csv";
    QVERIFY(writeFileAtomically(file.toStdString(), text).ok());
    const auto proposal = workspace::proposeExperiment(file.toStdString(), {});
    QVERIFY(proposal.ok());
    ProposalPanel& panel = shown.page.proposal();
    const QAbstractItemModelTester tester(&panel.reasons());
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.showStep(0);
    shown.page.openData(file, SourceWatch::Into::kNewExperiment);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kSoonMs);
    const ExperimentEditor& editor = shown.bench.editor;
    QVERIFY(editor.document() == completed(workspace::documentOf(*proposal)));
    QCOMPARE(editor.experiment().name, std::string("My-shop"));
    // The origin is the file that was dropped, not the one that the document was begun with.
    QCOMPARE(editor.origin(), QString("My shop.2024.csv"));
    QVERIFY2(editor.findings().problems.empty(),
             qPrintable(parapet::ui::findingsText(editor.findings())));
    QCOMPARE(editor.findings().warnings.size(), std::size_t{0});
    // The preview shows why.
    QCOMPARE(shown.page.currentStep(), 1);
    QCOMPARE(panel.reasons().rowCount(), static_cast<int>(proposal->reasons.size()));
    QVERIFY(panel.reasonView().isVisible());
    QCOMPARE(panel.reasons().index(0, 1).data().toString(),
             QString::fromStdString(proposal->reasons.front().reason));
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.preview().header().box(0) != nullptr, kSoonMs);
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.preview().header().box(0)->toolTip().startsWith("Proposed"),
                             kSoonMs);
  }

  void aRaceIsOneUndoStepAndCanBeCancelled() {
    Shown shown;
    std::string rows = "user,item,timestamp\n";
    for (int row = 0; row < 1600; ++row)
      rows += QString("%1,%2,%3\n")
                  .arg(row % 220)
                  .arg((row % 220 * 3 + row / 220 * 7) % 50)
                  .arg(1'400'000'000 + row * 997)
                  .toStdString();
    const QString file = shown.bench.folder.path() + "/walks.csv";
    QVERIFY(writeFileAtomically(file.toStdString(), rows).ok());
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.openData(file, SourceWatch::Into::kNewExperiment);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kSoonMs);
    ExperimentEditor& editor = shown.bench.editor;
    ProposalPanel& panel = shown.page.proposal();
    const auto rule = editor.document();

    SourceWatch& watch = shown.page.watch();
    QSignalSpy work(&shown.page, &DataPage::workChanged),
        news(&shown.page, &Page::messageRequested);
    QTest::mouseClick(&panel.raceButton(), Qt::LeftButton);
    QVERIFY(watch.racing());
    QVERIFY(work.back().front().toString().startsWith("Racing variants of walks.csv"));
    // The preview stays in sight, and the button ends it.
    QVERIFY(shown.page.preview().isVisibleTo(&shown.page));
    QCOMPARE(panel.raceButton().text(), QString("Stop racing"));
    QTest::mouseClick(&panel.raceButton(), Qt::LeftButton);
    QVERIFY(!watch.racing());
    QCOMPARE(work.back().front().toString(), QString());
    QVERIFY(news.isEmpty());
    QVERIFY(editor.document() == rule);
    // An edit ends it as well, and that is said.
    watch.race();
    editor.setValue("/training/epochs", 3, "epochs");
    QVERIFY(!watch.racing());
    QCOMPARE(news.size(), 1);
    QVERIFY(news.back().front().toString().contains("settings were changed"));
    editor.undoStack().undo();
    watch.race();
    editor.setValue("/name", "other", "name");
    QVERIFY(watch.racing());
    editor.undoStack().undo();
    const nlohmann::json now(editor.document());
    editor.load(now, "again");
    QVERIFY(!watch.racing());
    QVERIFY(news.back().front().toString().contains("another experiment"));
    QVERIFY(editor.document() == rule);
    editor.setReasons({});

    constexpr int kRaceMs = 120'000;
    QTest::mouseClick(&panel.raceButton(), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 2, kRaceMs);
    bool isTold = false;
    for (int row = 0; row < panel.reasons().rowCount(); ++row)
      isTold =
          isTold || panel.reasons().index(row, 1).data().toString().contains("race on validation");
    QVERIFY(isTold);
    QVERIFY(news.back().front().toString().startsWith("The race of variants is over and "));
    QVERIFY2(editor.findings().problems.empty(),
             qPrintable(parapet::ui::findingsText(editor.findings())));
    if (editor.document() != rule) editor.undoStack().undo();
    QVERIFY(editor.document() == rule);
  }

  void aRaceFollowsAProposalWhereItIsWanted() {
    Shown shown;
    shown.page.watch().setRacesProposals(true);
    QVERIFY(shown.dropRatings(500));
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.watch().racing(), kSoonMs);
    shown.page.watch().stopRacing();
    QVERIFY(!shown.page.watch().racing());
  }

  void rejectedLinesOfAllRowsAreSaidBeforeAnImport() {
    Shown shown;
    std::string rows = "user,item,rating,time\n";
    for (int row = 0; row < 3000; ++row)
      rows += row < 600 || row % 2 == 0 ? fmt::format("{},{},{},{}\n", row % 40, row % 30,
                                                      1 + row % 5, 1'500'000'000 + row)
                                        : std::string("torn line\n");
    const QString file = shown.bench.folder.path() + "/torn.csv";
    QVERIFY(writeFileAtomically(file.toStdString(), rows).ok());
    shown.page.openData(file, SourceWatch::Into::kNewExperiment);
    ExperimentEditor& editor = shown.bench.editor;
    const auto told = [&] {
      return !editor.findingsAt("/dataset/max_rejected_share").problems.empty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(told(), kSoonMs);
    QVERIFY(!editor.runnable());
    QVERIFY(editor.findingsAt("/dataset/max_rejected_share")
                .problems.front()
                .message.starts_with("1,200 of 3,000 lines are rejected"));
    // The finding stays through other edits, and goes where it is accepted.
    editor.setValue("/training/epochs", 3, "epochs");
    QVERIFY(told());
    editor.setValue("/dataset/max_rejected_share", 0.5, "share");
    QVERIFY(!told());
  }

  void aProposalIsOneUndoStepWithItsReasons() {
    Shown shown;
    QVERIFY(!shown.page.proposal().button().isVisibleTo(&shown.page));  // generated data need none
    QVERIFY(shown.dropRatings(500));
    ExperimentEditor& editor = shown.bench.editor;
    ProposalPanel& panel = shown.page.proposal();
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    const auto press = [&](QPushButton& button) {
      const auto count = opened.count();
      QTest::mouseClick(&button, Qt::LeftButton);
      return QTest::qWaitFor([&] { return opened.count() == count + 1; }, kSoonMs);
    };
    // The sample is the exception.
    const auto proposed = editor.document();
    QVERIFY(press(panel.sampleButton()));
    QVERIFY(editor.value("/tables/0/embedding_dim") == 16);
    QVERIFY(editor.value("/dataset/split/kind") == "random");
    QVERIFY(editor.value("/name") == proposed["name"]);
    QVERIFY(editor.value("/dataset/path") == proposed["dataset"]["path"]);
    QCOMPARE(panel.reasons().rowCount(), 0);
    const auto before = editor.document();
    QVERIFY(press(panel.button()));
    QCOMPARE(panel.findingsText(), QString());
    QVERIFY(panel.reasons().rowCount() > 8);
    QVERIFY(editor.value("/loss/kind") == "in_batch_softmax");
    QVERIFY(editor.value("/dataset/split/kind") == "leave_last");
    QVERIFY(editor.document() == proposed);
    editor.undoStack().undo();
    QVERIFY(editor.document() == before);
    editor.undoStack().undo();
    QVERIFY(editor.document() == proposed);
    editor.setValue("/dataset/path", "/no/such/file.csv", "path");
    QTRY_COMPARE_WITH_TIMEOUT(panel.reasons().rowCount(), 0, kSoonMs);
    panel.button().click();
    QVERIFY(
        QTest::qWaitFor([&] { return panel.findingsText().contains("does not exist"); }, kSoonMs));
  }

  void aProposalKeepsTheCataloguesThatAreThere() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    const nlohmann::json catalogues{{{"of", "item"}, {"path", "films.csv"}, {"title", "name"}}};
    shown.bench.editor.setValue("/dataset/catalogues", catalogues, "catalogue");
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.proposal().button().click();
    QVERIFY(QTest::qWaitFor([&] { return opened.count() == 1; }, kSoonMs));
    QCOMPARE(shown.bench.editor.value("/dataset/catalogues/0/path"), nlohmann::json("films.csv"));
    QCOMPARE(shown.bench.editor.value("/dataset/catalogues").size(), std::size_t{1});
  }

  void settingsOfSuchDataGoOnWithOthers() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    shown.bench.editor.setValue("/training/epochs", 7, "epochs");
    const QString next = shown.bench.folder.path() + "/next.csv";
    QVERIFY(QFile::copy(shown.bench.folder.path() + "/ratings.csv", next));
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.openData(next);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kSoonMs);
    QVERIFY(shown.bench.editor.value("/dataset/path") == next.toStdString());
    QVERIFY(shown.bench.editor.value("/training/epochs") == 7);
    QCOMPARE(shown.page.proposal().reasons().rowCount(), 0);
  }

  void openingThatIsCancelledLeavesEverythingAsItIs() {
    Shown shown;
    std::string text = "user,item,when\n";
    for (int row = 0; row < 400'000; ++row)
      text += fmt::format("{},{},{}\n", row % 977, row * 7 % 1201, 1'400'000'000 + row);
    const QString file = shown.bench.folder.path() + "/large.csv";
    QVERIFY(writeFileAtomically(file.toStdString(), text).ok());
    const auto before = shown.bench.editor.document();
    ProposalPanel& panel = shown.page.proposal();
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.openData(file, SourceWatch::Into::kNewExperiment);
    QTRY_VERIFY(panel.cancelButton().isVisible());
    QVERIFY(!shown.page.preview().isVisible());
    QTest::mouseClick(&panel.cancelButton(), Qt::LeftButton);
    QVERIFY(!panel.cancelButton().isVisible() && shown.page.preview().isVisible());
    QTest::qWait(200);
    QCOMPARE(opened.size(), 0);
    QVERIFY(shown.bench.editor.document() == before);
  }

  void dataWithoutUsersOpenWithTheirProblem() {
    Shown shown;
    std::string text = "height,weight\n";
    for (int row = 0; row < 300; ++row) text += fmt::format("{}.5,{}.25\n", 100 + row, 500 - row);
    const QString file = shown.bench.folder.path() + "/people.csv";
    QVERIFY(writeFileAtomically(file.toStdString(), text).ok());
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.openData(file, SourceWatch::Into::kNewExperiment);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kSoonMs);
    ExperimentEditor& editor = shown.bench.editor;
    QCOMPARE(editor.experiment().name, std::string("people"));
    QVERIFY(editor.value("/dataset/path") == file.toStdString());
    QVERIFY(!editor.runnable());
    const QString said = shown.page.proposal().findingsText();
    QVERIFY2(said.contains("shows no users and no items"), qPrintable(said));
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.preview().header().box(1) != nullptr, kSoonMs);
    // The way out is there.
    for (const auto& [column, use] : {std::pair(0, "user"), std::pair(1, "item")}) {
      QComboBox* box = shown.page.preview().header().box(column);
      box->setCurrentIndex(box->findData(use));
      emit box->activated(box->currentIndex());
    }
    QVERIFY2(editor.runnable(), qPrintable(parapet::ui::findingsText(editor.findings())));
  }

  void theLabelThatIsClearedTakesItsThresholdAlong() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    ExperimentEditor& editor = shown.bench.editor;
    QVERIFY(!editor.value("/evaluation/relevance_threshold").is_null());
    auto* line = shown.page.findChild<QLineEdit*>("/dataset/label/column");
    QVERIFY(line != nullptr);
    const int steps = editor.undoStack().count();
    line->clear();
    emit line->textEdited(line->text());
    QVERIFY(editor.value("/dataset/label/column").is_null());
    QVERIFY(editor.value("/evaluation/relevance_threshold").is_null());
    QCOMPARE(editor.undoStack().count(), steps + 1);
    editor.undoStack().undo();
    QVERIFY(!editor.value("/evaluation/relevance_threshold").is_null());
    QVERIFY(editor.value("/dataset/label/column") == "rating");
  }

  void aPartOfTheSplitIsAnAmountOrAFile() {
    Shown shown;
    auto* training = shown.page.findChild<QLineEdit*>("/dataset/split/train");
    QVERIFY(training != nullptr);
    shown.bench.editor.setValue("/dataset/split/train", 0.7, "share");
    shown.bench.editor.setValue("/dataset/source", "csv", "source");
    shown.bench.editor.setValue("/dataset/split/kind", "files", "kind");
    QVERIFY(shown.bench.editor.value("/dataset/split/train").is_null());
    training->setText("train.csv");
    emit training->textEdited(training->text());
    QVERIFY(shown.bench.editor.value("/dataset/split/train") == "train.csv");
    shown.bench.editor.setValue("/dataset/split/kind", "column", "kind");
    QVERIFY(shown.bench.editor.value("/dataset/split/column") == "part");
    shown.bench.editor.setValue("/dataset/split/kind", "random", "kind");
    QVERIFY(shown.bench.editor.value("/dataset/split/train").is_number());
  }

  void aRoleIsChosenAboveItsColumn() {
    Shown shown;
    QVERIFY(shown.dropRatings(50));
    QComboBox* box = shown.page.preview().header().box(2);
    box->setCurrentIndex(box->findData("weight"));
    emit box->activated(box->currentIndex());
    QVERIFY(shown.bench.editor.value("/dataset/weight") == "rating");
    QVERIFY(shown.bench.editor.value("/dataset/label/column").is_null());
    // Without labels no row would reach 4.
    QVERIFY(shown.bench.editor.value("/evaluation/relevance_threshold").is_null());
    shown.bench.editor.undoStack().undo();
    QVERIFY(shown.bench.editor.value("/evaluation/relevance_threshold") == 4);
    QCOMPARE(box->currentData().toString(), QString("label"));
    QVERIFY(!box->accessibleName().isEmpty());
  }

  void theFileBesideTheDataIsAddedInOneClickAndItsTitlesAreShown() {
    Shown shown;
    writeMovies(shown.bench);
    QVERIFY(shown.dropRatings(500));
    CatalogueOffers& offers = *shown.page.preview().findChild<CatalogueOffers*>();
    // The proposal has taken it.
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/path") == "movies.csv");
    shown.bench.editor.setValue("/dataset/catalogues", nlohmann::json::array(), "no titles");
    QTRY_COMPARE_WITH_TIMEOUT(offers.buttons().size(), 1, kSoonMs);
    QCOMPARE(shown.page.currentStep(), 1);
    QVERIFY(offers.buttons().front()->isVisible());
    const auto before = shown.bench.editor.document();
    QTest::mouseClick(offers.buttons().front(), Qt::LeftButton);
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/path") == "movies.csv");
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/id") == "movieId");
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/title") == "title");
    PreviewModel& rows = shown.page.preview().model();
    QTRY_COMPARE_WITH_TIMEOUT(rows.columnCount(), 6, kSoonMs);
    QCOMPARE(rows.index(0, 4).data().toString(), QString("Film 1 (1999)"));
    QTRY_VERIFY_WITH_TIMEOUT(!offers.isVisible(), kSoonMs);
    // An import has them, too.
    ImportPanel& import = shown.page.importPanel();
    import.start();
    QTRY_VERIFY_WITH_TIMEOUT(import.dataset() != nullptr, kSoonMs);
    const auto& items = import.dataset()->vocabulary("item");
    QCOMPARE(items.title(*items.row("3")), std::string_view("Film 3 (1999)"));
    shown.bench.editor.undoStack().undo();
    QVERIFY(shown.bench.editor.document() == before);
    QTRY_COMPARE_WITH_TIMEOUT(offers.buttons().size(), 1, kSoonMs);
  }

  void filesBesideTheDataAreChosenAndEditedInTables() {
    Shown shown;
    QVERIFY(shown.dropRatings(50));
    const QString movies = writeMovies(shown.bench);
    shown.page.showStep(2);
    SideFilesPanel& side = shown.page.side();
    const auto choose = [&](DocumentTable& table, const QString& file) {
      table.addButton().click();
      auto* dialog = shown.page.window()->findChild<QFileDialog*>();
      QVERIFY(dialog != nullptr);
      emit dialog->fileSelected(file);
      dialog->close();
      QTRY_COMPARE_WITH_TIMEOUT(table.model().rowCount(), 1, kSoonMs);
    };
    choose(side.catalogues(), movies);
    // Columns are chosen among those of the file.
    DocumentRowsModel& model = side.catalogues().model();
    const auto choicesOf = [&model](int column) { return model.choicesAt(model.index(0, column)); };
    QCOMPARE(choicesOf(CataloguesModel::kTitle),
             (QStringList{"(none)", "movieId", "title", "genres"}));
    QCOMPARE(model.index(0, CataloguesModel::kColumns).data().toString(), QString("(all others)"));
    QVERIFY(model.setData(model.index(0, CataloguesModel::kTitle), "genres", Qt::EditRole));
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/title") == "genres");
    QVERIFY(model.setData(model.index(0, CataloguesModel::kTitle), "(none)", Qt::EditRole));
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/title").is_null());
    // Attributes are boxes; the first press leaves one of them.
    QTableView& view = side.catalogues().view();
    view.edit(model.index(0, CataloguesModel::kColumns));
    auto* boxes = view.findChild<QListWidget*>();
    QVERIFY(boxes != nullptr);
    QCOMPARE(boxes->count(), 4);
    boxes->item(3)->setCheckState(Qt::Checked);
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/columns") ==
            nlohmann::ordered_json({"genres"}));
    QCOMPARE(boxes->item(0)->checkState(), Qt::Unchecked);
    boxes->item(0)->setCheckState(Qt::Checked);
    QVERIFY(shown.bench.editor.value("/dataset/catalogues/0/columns").is_null());
    boxes->window()->close();
    // Vectors, and what is no table.
    const QString vectors = shown.bench.folder.path() + "/audio.csv";
    QVERIFY(writeFileAtomically(vectors.toStdString(), "item_id,vector\n1,0.5 0.25\n").ok());
    choose(side.vectors(), vectors);
    QVERIFY(shown.bench.editor.value("/dataset/vectors/0/of") == "item");
    QVERIFY(shown.bench.editor.value("/dataset/vectors/0/id") == "item_id");
    const QString broken = shown.bench.folder.path() + "/empty.csv";
    QVERIFY(writeFileAtomically(broken.toStdString(), "").ok());
    QSignalSpy refused(&shown.page.sideFiles(), &SideFiles::refused);
    shown.page.sideFiles().addCatalogue(broken);
    QVERIFY(refused.wait(kSoonMs));
    QCOMPARE(model.rowCount(), 1);
    // Each is one step back.
    shown.bench.editor.undoStack().undo();
    QCOMPARE(side.vectors().model().rowCount(), 0);
  }

  void theColumnOfASplitIsChosenFromTheSourceAndTimesAreDates() {
    Shown shown;
    QVERIFY(shown.dropRatings(50));
    shown.bench.editor.setValue("/dataset/split/kind", "column", "kind");
    auto* box = shown.page.findChild<QComboBox*>("/dataset/split/column");
    QVERIFY(box != nullptr && !box->isEditable());
    for (const char* column : {"userId", "movieId", "rating", "timestamp"})
      QTRY_VERIFY2(box->findText(column) >= 0, column);
    // The value of the document is shown, and that the data lack it.
    QCOMPARE(box->currentText(), QString("part"));
    bool isSaid = false;
    for (const auto* note : shown.page.findChildren<QLabel*>())
      isSaid = isSaid || note->text().contains("The data have no column “part”");
    QVERIFY(isSaid);
    PreviewModel& rows = shown.page.preview().model();
    const QModelIndex second = rows.index(1, 3);
    QCOMPARE(second.data().toString(), QString("1970-01-02 00:00:00"));
    QCOMPARE(second.data(Qt::ToolTipRole).toString(), QString("86400"));
    QVERIFY(rows.headerData(3, Qt::Horizontal, Qt::UserRole).toString().contains("time"));
    shown.page.watch().setUse("timestamp", "");
    QTRY_COMPARE(rows.index(1, 3).data().toString(), QString("86400"));
  }

  void aFilterTellsItsFaultInPlaceAndCountsRows() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    shown.page.showStep(4);
    FilterPanel& filter = shown.page.filter();
    QLineEdit* line = shown.filterLine();
    QVERIFY(line);
    line->setFocus();
    QTest::keyClicks(line, "rating >= ");
    // After a pause, and once.
    QVERIFY(filter.fault().isEmpty());
    QTRY_VERIFY2(filter.fault().contains('^'), qPrintable(filter.fault()));
    QVERIFY(qobject_cast<Field*>(line->parentWidget())->findingsText().isEmpty());
    QTest::keyClicks(line, "4");
    QCOMPARE(filter.fault(), QString());
    QVERIFY(QTest::qWaitFor(
        [&] { return filter.countText().contains("200 of 500 rows pass (40.0 %)"); }, kSoonMs));
    line->selectAll();
    QTest::keyClicks(line, "stars > 1");
    QVERIFY(QTest::qWaitFor([&] { return filter.fault().contains("stars"); }, kSoonMs));
    QVERIFY(shown.page.terminalCommand().contains("--filter 'stars > 1'"));
  }

  void whatWasSupersededIsNotShown() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    FilterPanel& filter = shown.page.filter();
    QStringList told;
    for (int least = 1; least <= 5; ++least)
      shown.bench.editor.setValue("/dataset/filter", fmt::format("rating >= {}", least), "filter");
    connect(&shown.page.watch(), &SourceWatch::countChanged, this,
            [&] { told << filter.countText(); });
    QVERIFY(QTest::qWaitFor([&] { return filter.countText().contains("100 of 500"); }, kSoonMs));
    QVERIFY(QTest::qWaitFor([&] { return !shown.page.watch().counting(); }, kSoonMs));
    for (const char* superseded : {"500 of 500", "400 of 500", "300 of 500", "200 of 500"})
      for (const QString& text : told) QVERIFY2(!text.contains(superseded), qPrintable(text));
  }

  void importedDataShowCoverageAndTheSplitOnATimeline() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    ImportPanel& import = shown.page.importPanel();
    import.start();
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
    QVERIFY2(import.summary().contains("500 rows"), qPrintable(import.summary()));
    QVERIFY2(import.summary().contains("1 lines rejected"), qPrintable(import.summary()));
    QVERIFY(QTest::qWaitFor([&] { return shown.page.coverage().view().coverage().size() == 2; },
                            kSoonMs));
    SplitPanel& split = shown.page.split();
    const auto drawn = [&](const QString& part) {
      return QTest::qWaitFor(
          [&] {
            return split.parts().rowCount() > 0 &&
                   split.parts().index(0, 0).data().toString() == "training" &&
                   split.parts().index(0, 3).data().toString() == "1970-01-01" &&
                   split.parts().index(1, 3).data().toString() == part;
          },
          kSoonMs);
    };
    shown.bench.editor.setValue("/dataset/split/kind", "temporal", "split");
    // 400 days from 1970-01-01 on train, then validation.
    QVERIFY(drawn("1971-02-05"));
    // The data are still those that were imported.
    QVERIFY(import.dataset() != nullptr);
    shown.bench.editor.setValue("/dataset/max_rejected_share", 0.5, "rejected lines");
    QVERIFY(import.dataset() == nullptr);
    QCOMPARE(split.parts().rowCount(), 0);
  }

  void noTwoDaysUnderTheTimelineReadTheSame() {
    SplitTimelineView view;
    QVERIFY(view.dateLabels().isEmpty());
    workspace::SplitTimeline timeline;
    timeline.hasTimes = true;
    constexpr std::int64_t kDay = 86'400;
    timeline.begin = 10 * kDay;
    timeline.end = timeline.begin + 3600;
    view.setTimeline(timeline);
    QCOMPARE(view.dateLabels(), (QStringList{"1970-01-11", "", ""}));
    timeline.end = timeline.begin + 10 * kDay;
    view.setTimeline(timeline);
    QCOMPARE(view.dateLabels(), (QStringList{"1970-01-11", "1970-01-16", "1970-01-20"}));
  }

  void theResultOfAnImportStaysInViewAtEveryStep() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    ImportPanel& import = shown.page.importPanel();
    shown.page.showStep(5);
    import.startButton().click();
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
    QCOMPARE(shown.page.currentStep(), 5);
    for (int step = 0; step < 8; ++step) {
      shown.page.showStep(step);
      QCOMPARE(shown.page.currentStep(), step);
      QVERIFY(import.isVisibleTo(&shown.page));
      QVERIFY2(import.summary().contains("500 rows"), qPrintable(import.summary()));
      // A step is a page of its own.
      QCOMPARE(import.rejectedLineView().isVisible(), step == 7);
      QCOMPARE(import.vocabularyView().isVisible(), step == 5);
    }
    QCOMPARE(import.rejectedLines().rowCount(), 1);
  }

  void whatAnImportWarnsOfLeavesWithItsData() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    ImportPanel& import = shown.page.importPanel();
    import.start();
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
    auto* warnings = import.findChild<FindingsLabel*>();
    QVERIFY(!warnings->text().isEmpty());
    shown.bench.editor.load(sampleDocument(2), "sample");
    QTRY_COMPARE_WITH_TIMEOUT(warnings->text(), QString(), kSoonMs);
  }

  void whatARunImportedIsFoundWhenThePageComesBack() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    ImportPanel& import = shown.page.importPanel();
    QTest::qWait(800);  // it was looked for, and not found
    QVERIFY(import.dataset() == nullptr);
    shown.page.hide();
    QVERIFY(shown.bench.workspace->importData(shown.bench.editor.experiment(), {}).ok());
    shown.page.show();
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
    QVERIFY2(import.summary().contains("Imported before"), qPrintable(import.summary()));
  }

  void aVocabularyThatTextsLackIsTrained() {
    TestBench bench;
    const std::string folder = bench.folder.path().toStdString();
    std::string lines;
    for (int line = 0; line < 60; ++line)
      lines += fmt::format("the {} sees the dog .\n", line % 2 ? "cat" : "horse");
    QVERIFY(writeFileAtomically(folder + "/train.txt", lines).ok());
    nlohmann::json document = recipeDocument("bert-tiny-mlm");
    document["dataset"]["path"] = folder;
    document["dataset"]["text"]["vocabulary"] = "pieces.txt";
    DataPage page(bench.bench);
    page.show();
    bench.editor.load(document, "bert-tiny-mlm");
    QSignalSpy changed(&page, &DataPage::sideFilesChanged);
    page.trainVocabulary();
    QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, kSoonMs);
    const auto first = readFile(folder + "/pieces.txt");
    QVERIFY(first.ok() && first->starts_with("[PAD]\n[UNK]\n"));
    QCOMPARE(bench.editor.undoStack().count(), 0);
    // The file that is there stays; the other one is named by an undo step.
    QVERIFY(writeFileAtomically(folder + "/pieces.txt", "damaged\n").ok());
    page.trainVocabulary();
    QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 2, kSoonMs);
    QCOMPARE(readFile(folder + "/pieces.txt").value(), std::string("damaged\n"));
    QCOMPARE(readFile(folder + "/pieces-2.txt").value(), *first);
    QCOMPARE(bench.editor.experiment().dataset.text->vocabulary, std::string("pieces-2.txt"));
    bench.editor.undoStack().undo();
    QCOMPARE(bench.editor.experiment().dataset.text->vocabulary, std::string("pieces.txt"));
    // Without texts there is nothing to train on.
    QSignalSpy told(&page, &Page::complained);
    bench.editor.load(sampleDocument(2), "sample");
    page.trainVocabulary();
    QVERIFY(told.back().front().toString().contains("Choose the texts"));
  }

  void anImportThatWasMadeBeforeIsFoundWhenTheDocumentIsOpened() {
    Shown shown;
    QVERIFY(shown.dropRatings(500));
    ImportPanel& import = shown.page.importPanel();
    import.start();
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
    const std::string hash = import.dataset()->hash();
    const nlohmann::json document(shown.bench.editor.document());
    shown.bench.editor.load(sampleDocument(2), "sample");
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() == nullptr; }, kSoonMs));
    shown.page.hide();  // on another page of the window
    shown.bench.editor.load(document, "mine.json");
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
    QCOMPARE(import.dataset()->hash(), hash);
    QVERIFY2(import.summary().contains("Imported before"), qPrintable(import.summary()));
    QCOMPARE(import.rejectedLines().rowCount(), 1);
    // The sizes of the data are known, too.
    QCOMPARE(shown.bench.workspace->preflight(shown.bench.editor.experiment()).tables.size(),
             shown.bench.editor.experiment().tables.size());
    // The import counts again after an edit that makes the document's data those of that import.
    shown.page.show();
    shown.bench.editor.setValue("/dataset/filter", "rating >= 4", "filter");
    QVERIFY(import.dataset() == nullptr);
    shown.bench.editor.undoStack().undo();
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
  }

  void anImportIsHeldAndGoesOn() {
    Shown shown;
    QVERIFY(shown.dropRatings(2000));
    ImportPanel& import = shown.page.importPanel();
    import.startButton().click();
    QPushButton* pause = nullptr;
    for (QPushButton* button : import.findChildren<QPushButton*>())
      if (button->text() == "Pause") pause = button;
    QVERIFY(pause);
    pause->click();
    QVERIFY(import.paused());
    QCOMPARE(pause->text(), QString("Resume"));
    pause->click();
    QVERIFY(QTest::qWaitFor([&] { return import.dataset() != nullptr; }, kSoonMs));
  }

  void aGateHoldsWorkUntilItIsOpenedOrTheWorkIsStopped() {
    PauseGate gate;
    std::atomic<int> passed{0};
    Background background;
    const auto start = [&] {
      gate.setPaused(true);
      background.start(
          [&](const WorkContext& context) -> Status {
            gate.through(context).report("work", 0, 1);
            ++passed;
            return {};
          },
          [](const Status&) {});
    };
    start();
    QVERIFY(QTest::qWaitFor([&] { return gate.waiting() == 1; }, kSoonMs));
    QCOMPARE(passed.load(), 0);
    gate.setPaused(false);
    QVERIFY(QTest::qWaitFor([&] { return passed == 1; }, kSoonMs));
    start();
    background.stop();
    QVERIFY(QTest::qWaitFor([&] { return passed == 2; }, kSoonMs));
  }

  void withoutDataRecipesAreOfferedAndEverythingSaysWhatToDo() {
    Shown shown;
    nlohmann::json document = sampleDocument(2);
    document["dataset"] = {{"source", "csv"}, {"batch", {{"size", 10}}}};
    shown.bench.editor.load(document, "mine.json");
    QVERIFY(QTest::qWaitFor(
        [&] { return shown.page.watch().state() == SourceWatch::State::kNothing; }, kSoonMs));
    QVERIFY(shown.page.preview().summary().contains("drop a file"));
    const auto tiles = shown.page.findChildren<RecipeTile*>();
    QCOMPARE(static_cast<std::size_t>(tiles.size()), experiment::recipes().size());
    QVERIFY(tiles.front()->isVisibleTo(&shown.page));
    QSignalSpy wanted(&shown.page, &DataPage::recipeRequested);
    tiles.back()->useButton()->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(shown.page.terminalCommand(), QString("parapet-cli recipes"));
    QSignalSpy downloads(&shown.page, &DataPage::downloadRequested);
    shown.page.findChild<QPushButton*>("downloadFor.movielens-listwise")->click();
    QCOMPARE(downloads.front().front().toString(), QString("movielens-listwise"));
  }

  void tilesKeepTheirButtonsApartAtAnyWidth_data() {
    QTest::addColumn<int>("width");
    for (const int width : {700, 960, 1280}) QTest::addRow("%d", width) << width;
  }
  void tilesKeepTheirButtonsApartAtAnyWidth() {
    QFETCH(int, width);
    Shown shown;
    nlohmann::json document = sampleDocument(2);
    document["dataset"] = {{"source", "csv"}, {"batch", {{"size", 10}}}};
    shown.bench.editor.load(document, "mine.json");
    shown.page.resize(width, 560);
    shown.page.show();
    const auto tiles = shown.page.findChildren<RecipeTile*>();
    QTRY_VERIFY_WITH_TIMEOUT(tiles.front()->isVisible(), kSoonMs);
    QCoreApplication::processEvents();
    for (const RecipeTile* tile : tiles) {
      QList<QRect> taken;
      for (const QPushButton* button : tile->findChildren<QPushButton*>()) {
        if (!button->isVisible()) continue;
        const QRect at(button->mapTo(tile, QPoint(0, 0)), button->size());
        QVERIFY2(tile->rect().contains(at), qPrintable(button->objectName()));
        QVERIFY2(at.width() >= button->sizeHint().width(), qPrintable(button->objectName()));
        for (const QRect& other : taken)
          QVERIFY2(!other.intersects(at), qPrintable(button->objectName()));
        taken << at;
      }
    }
  }

  void dataThatAreChosenGiveTheirName_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::newRow("of a recipe") << "sample"
                                 << "clicks";
    QTest::newRow("of a recipe, with a number") << "sample-3"
                                                << "clicks";
    QTest::newRow("of the data before") << "old"
                                        << "clicks";
    QTest::newRow("typed") << "mine"
                           << "mine";
    QTest::newRow("typed as a recipe") << "sample-9"
                                       << "sample-9";
    QTest::newRow("of these data") << "clicks-2"
                                   << "clicks-2";
  }
  void dataThatAreChosenGiveTheirName() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    Shown shown;
    ExperimentEditor& editor = shown.bench.editor;
    const QString file = shown.bench.folder.path() + "/clicks.csv";
    QFile rows(file);
    QVERIFY(rows.open(QIODevice::WriteOnly));
    rows.write("user,item,rating\n1,2,3\n1,3,4\n2,2,5\n2,3,1\n");
    rows.close();
    nlohmann::json document = sampleDocument(1);
    const bool typed = before == "sample-9";
    document["name"] = typed ? "sample" : before.toStdString();
    if (before == "old") document["dataset"]["path"] = "/data/old.csv";
    editor.load(document, "sample");
    if (typed) editor.setValue("/name", before.toStdString(), "Rename the experiment");
    const int steps = editor.undoStack().count();
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.openData(file);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kSoonMs);
    QCOMPARE(editor.experiment().name, after.toStdString());
    QCOMPARE(editor.undoStack().count(), steps + 1);
    editor.undoStack().undo();
    QCOMPARE(editor.experiment().name, before.toStdString());
  }

  void dataWithoutALabelHaveNoRelevanceThreshold_data() {
    QTest::addColumn<QByteArray>("rows");
    QTest::addColumn<bool>("stays");
    QTest::newRow("ratings") << QByteArray("user,item,rating\n1,2,3\n1,3,4\n2,2,5\n2,3,1\n")
                             << true;
    QTest::newRow("pairs") << QByteArray("user,item\n1,2\n1,3\n2,2\n2,3\n") << false;
  }
  void dataWithoutALabelHaveNoRelevanceThreshold() {
    QFETCH(QByteArray, rows);
    QFETCH(bool, stays);
    Shown shown;
    ExperimentEditor& editor = shown.bench.editor;
    const QString file = shown.bench.folder.path() + "/rows.csv";
    QVERIFY(writeFileAtomically(file.toStdString(), rows.toStdString()).ok());
    const auto threshold = [&editor] { return editor.value("/evaluation/relevance_threshold"); };
    QVERIFY(threshold() == 4);
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    shown.page.openData(file);
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kSoonMs);
    QCOMPARE(threshold().is_null(), !stays);
    shown.page.watch().useSample();
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 2, kSoonMs);
    QCOMPARE(editor.value("/dataset/label/column").is_null(), !stays);
    QCOMPARE(threshold().is_null(), !stays);
    QCOMPARE(opened[1][0].toStringList().join(' ').contains("counts as relevant"), !stays);
    editor.undoStack().undo();
    editor.undoStack().undo();
    QVERIFY(threshold() == 4);
  }

  void idsWithGapsAreCompressedHoweverTheFolderIsChosen_data() {
    QTest::addColumn<bool>("typed");
    QTest::newRow("dropped") << false;
    QTest::newRow("typed") << true;
  }
  void idsWithGapsAreCompressedHoweverTheFolderIsChosen() {
    QFETCH(bool, typed);
    Shown shown;
    ExperimentEditor& editor = shown.bench.editor;
    editor.load(recipeDocument("movielens-retrieval"), "movielens-retrieval");
    const QString folder = writeLatest(shown.bench);
    QSignalSpy opened(&shown.page.watch(), &SourceWatch::opened);
    if (typed) {
      auto* line = shown.page.findChild<QLineEdit*>("/dataset/path");
      line->setFocus();
      QTest::keyClicks(line, folder);
      QTest::keyClick(line, Qt::Key_Return);
    } else {
      drop(shown.page, folder);
    }
    QVERIFY(opened.wait(kSoonMs));
    QVERIFY(editor.value("/dataset/path") == folder.toStdString());
    QVERIFY(editor.value("/dataset/vocabularies/1/kind") == "compressed");
    QVERIFY(opened[0][0].toStringList().join(' ').contains("3601"));
    ImportPanel& import = shown.page.importPanel();
    import.start();
    QVERIFY(
        QTest::qWaitFor([&] { return !import.summary().isEmpty() && !import.running(); }, kSoonMs));
    QVERIFY2(import.summary().contains("400 rows"), qPrintable(import.summary()));
  }

  void directRowsForSuchIdsAreAProblemBeforeTheImport() {
    const TestBench bench;
    nlohmann::json document = recipeDocument("movielens-retrieval");
    document["dataset"]["path"] = writeLatest(bench).toStdString();
    const auto preflight =
        bench.workspace->preflight(experiment::parse(document).experiment).findings;
    QVERIFY(!preflight.problems.empty());
    QCOMPARE(preflight.problems[0].pointer, std::string("/dataset/vocabularies/1/kind"));
    QVERIFY(preflight.problems[0].accepted.find("compressed") != std::string::npos);
  }

  void whatIsNoDataIsRefusedAndChangesNothing() {
    Shown shown;
    const QString path = shown.bench.folder.path() + "/empty.csv";
    QVERIFY(writeFileAtomically(path.toStdString(), "").ok());
    const auto before = shown.bench.editor.document();
    QSignalSpy failed(&shown.page.watch(), &SourceWatch::openFailed);
    drop(shown.page, path);
    QVERIFY(failed.wait(kSoonMs));
    QVERIFY(shown.bench.editor.document() == before);
  }

  void generatedDataArePreviewedToo() {
    Shown shown;
    QVERIFY(QTest::qWaitFor(
        [&] { return shown.page.watch().state() == SourceWatch::State::kReady; }, kSoonMs));
    QCOMPARE(shown.page.preview().model().rowCount(), 200);
    QCOMPARE(shown.page.terminalCommand(), QString("parapet-cli preview sample"));
  }

  void itsModelsKeepTheRules() {
    Shown shown;
    PreviewModel& rows = shown.page.preview().model();
    const QAbstractItemModelTester tester(&rows,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(shown.dropRatings(20));
    for (DocumentTable* table : shown.page.findChildren<DocumentTable*>()) {
      const QAbstractItemModelTester each(&table->model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
      const int count = table->model().rowCount();
      table->model().addRow();
      QCOMPARE(table->model().rowCount(), count + 1);
      shown.bench.editor.undoStack().undo();
      QCOMPARE(table->model().rowCount(), count);
    }
    rows.setPreview({});
    QCOMPARE(rows.rowCount(), 0);
  }

  void everyControlHasANameForThoseWhoDoNotSeeIt() {
    Shown shown;
    QVERIFY(shown.dropRatings(20));
    for (const QWidget* widget : shown.page.findChildren<QWidget*>()) {
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      const bool isField = qobject_cast<const QLineEdit*>(widget) != nullptr ||
                           qobject_cast<const QComboBox*>(widget) != nullptr ||
                           qobject_cast<const QTableView*>(widget) != nullptr;
      if (widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith("qt_")) continue;
      if (button != nullptr)
        QVERIFY2(!button->text().isEmpty() || !button->accessibleName().isEmpty(),
                 button->metaObject()->className());
      if (isField) QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
    }
  }

  void aWidePageHasTwoColumns() {
    Shown shown;
    auto* steps = shown.page.findChild<QListWidget*>("dataSteps");
    constexpr int kSplitStep = 6;
    steps->setCurrentRow(kSplitStep);
    QWidget* picture = &shown.page.split();
    auto* form = shown.page.findChild<QLineEdit*>("/dataset/split/train");
    QVERIFY(form);
    const auto leftOf = [&](QWidget* widget) { return widget->mapTo(&shown.page, QPoint()).x(); };
    shown.page.resize(1510, 900);  // that of a window 1600 wide
    QTRY_VERIFY2(form->isVisible() && picture->isVisible(), "the step Split is shown");
    QTRY_VERIFY(leftOf(picture) > leftOf(form) + form->width());
    QVERIFY(leftOf(picture) + picture->width() <= shown.page.width());
    shown.page.resize(1200, 900);
    QTRY_VERIFY(leftOf(picture) < leftOf(form));
    shown.page.resize(1510, 900);
    QTRY_VERIFY(leftOf(picture) > leftOf(form) + form->width());
  }
};

QTEST_MAIN(DataPageTest)
#include "data_page_test.moc"
