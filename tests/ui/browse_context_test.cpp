// SPDX-License-Identifier: GPL-3.0-or-later
// A model that reads contexts: their controls, columns in several, checkpoints one after the other.
#include <QScrollBar>
#include "tests/experiment/sample_document.h"
#include "tests/ui/browse_fixture.h"
#include "ui/pages/browse/browse_export.h"
#include "ui/pages/browse/candidate_bar.h"
#include "ui/pages/browse/context_control.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

/// Listening events whose contexts decide: whether a listen is organic, and the hour as a number.
experiment::Experiment eventsInContext(std::uint64_t seed) {
  constexpr const char* kDocument = R"({"parapet": 1, "name": "events",
    "dataset": {"source": "generated",
      "generator": {"kind": "events", "users": 40, "items": 60, "events": 4000, "seed": 7,
                    "context_strength": 0.9},
      "label": {"column": null},
      "derived": [{"name": "weekend", "kind": "weekend", "from": "timestamp"},
                  {"name": "part_of_day", "kind": "time_of_day", "from": "timestamp"},
                  {"name": "hour", "kind": "hour", "from": "timestamp"}],
      "columns": [{"name": "user", "role": "user", "from": "uid"},
                  {"name": "item", "role": "item", "from": "item_id"},
                  {"name": "weekend", "role": "context"},
                  {"name": "hour", "role": "context"},
                  {"name": "part_of_day", "role": "context"},
                  {"name": "time", "role": "time", "from": "timestamp"}],
      "vocabularies": [{"name": "user", "kind": "compressed"}, {"name": "item", "kind": "compressed"},
                       {"name": "weekend", "kind": "compressed"},
                       {"name": "part_of_day", "kind": "compressed"},
                       {"name": "hour", "kind": "compressed"}],
      "split": {"kind": "random", "train": 0.7, "validation": 0.3, "test": 0, "seed": 42},
      "batch": {"size": 64}},
    "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 8},
               {"name": "item", "vocabulary": "item", "embedding_dim": 8},
               {"name": "weekend", "vocabulary": "weekend", "embedding_dim": 8},
               {"name": "part_of_day", "vocabulary": "part_of_day", "embedding_dim": 8},
               {"name": "hour", "vocabulary": "hour", "embedding_dim": 8}],
    "features": [{"name": "user", "column": "user", "table": "user"},
                 {"name": "weekend", "column": "weekend", "table": "weekend"},
                 {"name": "hour", "column": "hour", "table": "hour"},
                 {"name": "part_of_day", "column": "part_of_day", "table": "part_of_day"},
                 {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
    "model": {"kind": "retrieval", "query": [{"kind": "dense", "units": 8}]},
    "loss": {"kind": "in_batch_softmax"},
    "optimizer": {"kind": "adagrad", "learning_rate": 0.2},
    "training": {"epochs": 4, "validate_every": 4, "seed": 5,
                 "checkpoints": {"every": 1, "keep": 10, "best": null}},
    "evaluation": {"k": [10]}})";
  auto document = experiment::parseJson(kDocument).value();
  document["training"]["seed"] = seed;
  return experiment::test::parsedDocument(document);
}

}  // namespace

class BrowseContextTest : public BrowseFixture {
  Q_OBJECT

  QTemporaryDir contextFolder_;
  std::unique_ptr<Bench> contextBench_;
  std::string contextRun_, otherContextRun_;
  std::string listener_;  ///< of the events
  RecommenderPtr contextEngine_;

  /// The page with a model that reads contexts.
  void openContextRun(QString user = {}) {
    if (user.isEmpty()) user = QString::fromStdString(listener_);
    openPage(*contextBench_, contextRun_, user);
    QTRY_COMPARE_WITH_TIMEOUT(page_->bar().column().controls().size(), std::size_t{3}, kPatienceMs);
    page_->bar().setList(10, SeenItems::kExcludeTrain);
    QTRY_VERIFY_WITH_TIMEOUT(
        page_->board().columns()[0]->caption().contains("training items excluded"), kPatienceMs);
  }
  ContextControl& weekend() { return *page_->bar().column().controls()[0]; }
  ContextControl& hour() { return *page_->bar().column().controls()[1]; }
  ContextControl& partOfDay() { return *page_->bar().column().controls()[2]; }
  retrieval::Recommendation askedIn(const std::string& user,
                                    std::vector<retrieval::ContextValue> context) {
    const retrieval::Query query{user, std::move(context)};
    return contextEngine_->recommend({&query, 1}, 10, SeenItems::kExcludeTrain).value().front();
  }
  /// Until a column shows the list of a context.
  void waitForContext(std::size_t column, const std::string& name, const std::string& value) {
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          for (const auto& context : list(column).list().context)
            if (context.name == name) return context.value == value;
          return false;
        }(),
        kPatienceMs);
  }

  static const ItemTable* listOf(const UserColumn& column) {
    for (const auto* table : column.findChildren<ItemTable*>())
      if (table->accessibleName() == "Recommendations") return table;
    return nullptr;
  }

 private slots:
  /// 960 × 540 with a banner below the page: the controls of the contexts take the lists nothing.
  void listsKeepTheirRowsWhereThePageIsLow() {
    openContextRun();
    // Listening events have no catalogue to choose items by.
    QVERIFY(!page_->bar().column().candidates().isVisible());
    page_->resize(870, 320);
    page_->session().duplicate(0);
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().size(), std::size_t{2}, kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(list(1).rowCount(), 10, kPatienceMs);
    for (const UserColumn* column : page_->board().columns()) {
      const ItemTable* table = listOf(*column);
      QTRY_VERIFY2(table->viewport()->height() >= 3 * table->rowHeight(0),
                   qPrintable(QString::number(table->viewport()->height())));
    }
    // Both are seen at once, and their titles are readable.
    QCOMPARE(page_->board().horizontalScrollBar()->maximum(), 0);
    const ItemTable* table = listOf(*page_->board().columns().back());
    QVERIFY(table->columnWidth(RecommendationModel::kTitle) >=
            table->fontMetrics().horizontalAdvance("Ten letters"));
  }

  void initTestCase() {
    qRegisterMetaType<Error>();
    QVERIFY(contextFolder_.isValid());
    contextBench_ = std::make_unique<Bench>(contextFolder_.path());
    otherContextRun_ = trainRun(*contextBench_->workspace, eventsInContext(6));
    contextRun_ = trainRun(*contextBench_->workspace, eventsInContext(5));
    QVERIFY(!contextRun_.empty() && !otherContextRun_.empty());
    contextEngine_ = contextBench_->workspace->recommender(contextRun_, {}).value();
    listener_ = contextEngine_->findUsers("", retrieval::UserOrder::kById, 1).front().id;
  }
  void init() { openContextRun(); }
  void cleanup() { page_.reset(); }

  void contextsHaveTheirValuesByFrequency() {
    const auto domains = contextEngine_->contextDomains(100);
    auto* values = weekend().findChild<QComboBox*>();
    QVERIFY(values && !weekend().findChild<QSlider*>());
    QCOMPARE(values->count(), 3);
    QVERIFY2(values->itemText(0).startsWith("As in the last row: "),
             qPrintable(values->itemText(0)));
    for (int row = 1; row < 3; ++row)
      QCOMPARE(values->itemData(row).toString().toStdString(),
               domains[0].values[static_cast<std::size_t>(row) - 1].value);
    auto* slider = hour().findChild<QSlider*>();
    QVERIFY(slider && !hour().findChild<QComboBox*>());
    QCOMPARE(slider->maximum() - slider->minimum(), 23);
  }

  void aContextIsAnsweredAndNamed() {
    const auto usual = askedIn(listener_, {});
    compareLists(list(0).list(), usual);
    QVERIFY(page_->board().columns()[0]->caption().contains("as in the last row"));
    auto* values = weekend().findChild<QComboBox*>();
    const int row = values->findData("weekend");
    values->setCurrentIndex(row);
    emit values->activated(row);
    waitForContext(0, "weekend", "weekend");
    compareLists(list(0).list(), askedIn(listener_, {{"weekend", "weekend"}}));
    QVERIFY2(page_->board().columns()[0]->caption().startsWith("weekend weekend"),
             qPrintable(page_->board().columns()[0]->caption()));
    QVERIFY(page_->terminalCommand().contains("--context weekend=weekend"));
    hour().findChild<QSlider*>()->setValue(23);
    waitForContext(0, "hour", "23");
    compareLists(list(0).list(), askedIn(listener_, {{"weekend", "weekend"}, {"hour", "23"}}));
    // Back to the last row.
    emit values->activated(0);
    hour().findChild<QToolButton*>()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!list(0).list().context.empty() && !list(0).list().context[0].given &&
                                 !list(0).list().context[1].given,
                             kPatienceMs);
    compareLists(list(0).list(), usual);
  }

  void arrowKeysStepTheContext() {
    auto* values = weekend().findChild<QComboBox*>();
    page_->board().focusColumn(0);
    const QString before = QString::fromStdString(list(0).list().context[0].value);
    const int row = values->findData(before);
    QTest::keyClick(&page_->board().columns()[0]->table(), Qt::Key_Right);
    waitForContext(0, "weekend", values->itemData(row % 2 + 1).toString().toStdString());
    QTest::keyClick(&page_->board().columns()[0]->table(), Qt::Key_Left);
    waitForContext(0, "weekend", before.toStdString());
    // The one that was touched last.
    emit hour().entered();
    hour().setValue("7", true);
    QTest::keyClick(&page_->board().columns()[0]->table(), Qt::Key_Right);
    waitForContext(0, "hour", "8");
  }

  // By the clock and by the week, not by how often they occur.
  void wordsOfTheClockAreChosenInTheirOrder() {
    auto* words = partOfDay().findChild<QComboBox*>();
    QVERIFY(words && !partOfDay().findChild<QSlider*>());
    QCOMPARE(words->count(), 5);
    page_->board().focusColumn(0);
    emit partOfDay().entered();
    words->setCurrentIndex(words->findData("night"));
    emit words->activated(words->currentIndex());
    waitForContext(0, "part_of_day", "night");
    for (const char* next : {"morning", "afternoon", "evening"}) {
      QTest::keyClick(&page_->board().columns()[0]->table(), Qt::Key_Right);
      waitForContext(0, "part_of_day", next);
    }
    QCOMPARE(words->currentData().toString(), QString("evening"));
  }

  void aValueNeverSeenIsSaid() {
    auto* values = weekend().findChild<QComboBox*>();
    values->setFocus();
    values->lineEdit()->selectAll();
    QTest::keyClicks(values->lineEdit(), "teatime");
    QTest::keyClick(values->lineEdit(), Qt::Key_Return);
    waitForContext(0, "weekend", "teatime");
    const QString warnings = page_->board().columns()[0]->warnings();
    QVERIFY2(warnings.contains("teatime") && warnings.contains("out of vocabulary"),
             qPrintable(warnings));
    compareLists(list(0).list(), askedIn(listener_, {{"weekend", "teatime"}}));
    QCOMPARE(values->currentText(), QStringLiteral("teatime"));
    auto* number = hour().findChild<QLineEdit*>();
    number->setText("noon");
    emit number->editingFinished();
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns()[0]->warnings().contains("noon"), kPatienceMs);
  }

  void somebodyUnknownIsAnsweredFromTheContext() {
    openContextRun("nobody");
    QVERIFY(page_->board().columns()[0]->errorText().isEmpty());
    const QString warnings = page_->board().columns()[0]->warnings();
    QVERIFY2(warnings.contains("rests on the context"), qPrintable(warnings));
    for (const auto& value : list(0).list().context) QVERIFY(!value.given);
    QVERIFY2(page_->board().columns()[0]->caption().contains("(the most frequent)"),
             qPrintable(page_->board().columns()[0]->caption()));
    QCOMPARE(page_->history().model().rowCount(), 0);
    compareLists(list(0).list(), askedIn("nobody", contextEngine_->usualContext()));
    // Nothing of somebody else stays.
    page_->session().setUsers({QString::fromStdString(listener_)});
    QTRY_VERIFY_WITH_TIMEOUT(page_->history().model().rowCount() > 0, kPatienceMs);
    page_->session().setUser(0, QStringLiteral("nobody"));
    QTRY_COMPARE_WITH_TIMEOUT(page_->history().model().rowCount(), 0, kPatienceMs);
  }

  void columnsOfOneUserInTwoContexts() {
    page_->board().focusColumn(0);
    trigger("Duplicate the column");
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().size(), std::size_t{2}, kPatienceMs);
    page_->session().setContext(0, "part_of_day", QStringLiteral("morning"));
    page_->session().setContext(1, "part_of_day", QStringLiteral("evening"));
    waitForContext(0, "part_of_day", "morning");
    waitForContext(1, "part_of_day", "evening");
    // A column is called by what it differs in.
    QCOMPARE(page_->board().columns()[0]->title(), QString("part_of_day morning"));
    QCOMPARE(page_->board().columns()[1]->title(), QString("part_of_day evening"));
    compareLists(list(0).list(), askedIn(listener_, {{"part_of_day", "morning"}}));
    compareLists(list(1).list(), askedIn(listener_, {{"part_of_day", "evening"}}));
    const auto moves = retrieval::movesSince(rowsIn(list(0).list()), rowsIn(list(1).list()));
    for (int row = 0; row < 10; ++row) {
      const QString text = list(1).index(row, RecommendationModel::kMove).data().toString();
      const Move& move = moves[static_cast<std::size_t>(row)];
      QCOMPARE(text, move.kind == MoveKind::kIn     ? QString("new")
                     : move.kind == MoveKind::kUp   ? QString("▲ %1").arg(move.by)
                     : move.kind == MoveKind::kDown ? QString("▼ %1").arg(move.by)
                                                    : QString());
    }
    const auto seen = SeenItems::kExcludeTrain;
    const auto json = nlohmann::json::parse(listsAsJson(page_->session().answers(), seen));
    QCOMPARE(json[1]["context"]["part_of_day"].get<std::string>(), std::string("evening"));
    QCOMPARE(json[1]["given"], nlohmann::json::array({"part_of_day"}));
    QCOMPARE(json[1]["against_column_1"]["overlap"].get<double>(),
             retrieval::overlap(rowsIn(list(0).list()), rowsIn(list(1).list())).share);
    QVERIFY(json[0]["against_column_1"].is_null());
    const QString csv = QString::fromStdString(listsAsCsv(page_->session().answers(), seen));
    QVERIFY(csv.contains("part_of_day=evening"));
    // The state comes back.
    const nlohmann::json state = page_->saveState();
    page_ = std::make_unique<BrowsePage>(contextBench_->workbench);
    page_->show();
    page_->restoreState(nlohmann::json::parse(state.dump()));
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns().size() == 2 && list(1).rowCount() == 10,
                             kPatienceMs);
    compareLists(list(1).list(), askedIn(listener_, {{"part_of_day", "evening"}}));
  }

  void replaysHowTheListGrew() {
    ReplayBar& replay = page_->bar().replay();
    QTRY_VERIFY_WITH_TIMEOUT(replay.isVisible(), kPatienceMs);
    const auto steps = replay.steps();
    QVERIFY(steps.size() >= 4);
    QCOMPARE(list(0).list().step, steps.back());
    auto* slider = replay.findChild<QSlider*>();
    const auto atStep = [&](std::int64_t step) {
      const auto model = contextBench_->workspace
                             ->recommender(contextRun_, {workspace::WhichCheckpoint::kStep, step})
                             .value();
      return model->recommend(std::span(&listener_, 1), 10, SeenItems::kExcludeTrain)->front();
    };
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps.front(), kPatienceMs);
    compareLists(list(0).list(), atStep(steps.front()));
    QTest::keyClick(slider, Qt::Key_Right);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps[1], kPatienceMs);
    const QString changes = page_->board().columns()[0]->changes();
    QVERIFY2(changes.startsWith(QString("Since step %1").arg(steps[0])), qPrintable(changes));
    QVERIFY(list(0).hasMoves());
    compareLists(list(0).list(), atStep(steps[1]));
    // A model that was read is at hand: the same object answers.
    const auto second = page_->session().model();
    QTest::keyClick(slider, Qt::Key_Left);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps[0], kPatienceMs);
    QTest::keyClick(slider, Qt::Key_Right);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps[1], kPatienceMs);
    QCOMPARE(page_->session().model().get(), second.get());
    // By itself, to the last.
    page_->findChild<QToolButton*>("playCheckpoints")->click();
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps.back(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(!replay.playing(), kPatienceMs);
    // A column with a model of its own goes alone.
    page_->session().duplicate(0);
    page_->session().setModel(1, ModelChoice{QString::fromStdString(otherContextRun_), {}});
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns().size() == 2 &&
                                 page_->board().columns()[1]->caption().contains(
                                     QString::fromStdString(otherContextRun_).left(6)),
                             kPatienceMs);
    page_->board().focusColumn(1);
    QTRY_COMPARE_WITH_TIMEOUT(replay.steps().size(), steps.size(), kPatienceMs);
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home);
    QTRY_COMPARE_WITH_TIMEOUT(list(1).list().step, steps.front(), kPatienceMs);
    QCOMPARE(list(0).list().step, steps.back());
  }

  void aCancelledLoadLeavesTheList() {
    QTRY_VERIFY_WITH_TIMEOUT(page_->bar().replay().isVisible(), kPatienceMs);
    const auto steps = page_->bar().replay().steps();
    emit page_->bar().replay().stepRequested(steps.front());
    QVERIFY(page_->session().opening());
    QTest::keyClick(page_->bar().replay().findChild<QSlider*>(), Qt::Key_Escape);
    QVERIFY(!page_->session().opening());
    waitForWork();
    QCOMPARE(list(0).list().step, steps.back());
  }

  void whySplitsTheScoreByFeature() {
    page_->session().setContext(0, "part_of_day", QStringLiteral("morning"));
    waitForContext(0, "part_of_day", "morning");
    const std::string item = list(0).list().items[1].id;
    page_->board().columns()[0]->selectItem(QString::fromStdString(item));
    const retrieval::Query query{listener_, {{"part_of_day", "morning"}}};
    const auto expected = contextEngine_->explain(query, item, 10).value();
    using M = FeatureSharesModel;
    const M& model = page_->why().features();
    QTRY_VERIFY_WITH_TIMEOUT(
        model.rowCount() == 4 && model.rows()[0].without == expected.features[0].without,
        kPatienceMs);
    for (int row = 0; row < 4; ++row) {
      const auto& feature = expected.features[static_cast<std::size_t>(row)];
      QCOMPARE(model.index(row, M::kFeature).data(Qt::EditRole).toString().toStdString(),
               feature.feature);
      QCOMPARE(model.index(row, M::kWithout).data(Qt::EditRole).toFloat(), feature.without);
      QCOMPARE(model.index(row, M::kShare).data(Qt::EditRole).toFloat(), feature.share);
    }
    QCOMPARE(model.index(3, M::kValue).data().toString(), QStringLiteral("morning"));
    QVERIFY2(page_->why().sum().contains("the shares of its features"),
             qPrintable(page_->why().sum()));
  }

  void usersComeBySensitivityToContext() {
    QTRY_COMPARE_WITH_TIMEOUT(page_->finder().found().rowCount(), 40, kPatienceMs);
    page_->finder().setOrder(BrowseSession::Order::kSensitive);
    const auto& users = page_->finder().found().users();
    QTRY_VERIFY_WITH_TIMEOUT(!users.empty() && users[0].sensitivity.has_value(), kPatienceMs);
    std::vector<std::int32_t> rows;
    for (const auto& user : users) rows.push_back(user.row);
    QCOMPARE(rows.size(), std::size_t{40});
    const auto expected = contextEngine_->contextSensitivity(rows, {}).value();
    for (std::size_t i = 0; i < users.size(); ++i) {
      QCOMPARE(*users[i].sensitivity, expected[i]);
      QVERIFY(i == 0 || expected[i] <= expected[i - 1]);
    }
    QVERIFY(expected.front() > expected.back());
    // A search keeps the order and measures nobody twice.
    page_->finder().findChild<QLineEdit*>()->setText(QString::fromStdString(listener_));
    QTRY_VERIFY_WITH_TIMEOUT(users.size() < 40, kPatienceMs);
    for (std::size_t i = 1; i < users.size(); ++i)
      QVERIFY(*users[i].sensitivity <= *users[i - 1].sensitivity);
    emit page_->finder().findChild<QPushButton*>("cancelSensitivity")->clicked();
    QCOMPARE(page_->finder().order(), BrowseSession::Order::kById);
  }

  void everyControlHasANameAndATooltip() {
    const QString bad = controlWithoutAName(*page_);
    QVERIFY2(bad.isEmpty(), qPrintable(bad));
  }
};

QTEST_MAIN(BrowseContextTest)
#include "browse_context_test.moc"
