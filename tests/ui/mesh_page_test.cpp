// SPDX-License-Identifier: GPL-3.0-or-later
// The page Mesh through its widgets.
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <fstream>

#include "tests/ui/test_bench.h"
#include "ui/models/problems_model.h"
#include "ui/pages/mesh/mesh_page.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr int kLongMs = 60'000;

/// The page over the recipe `sample` on two devices, shown.
struct Shown {
  Shown()
      : preflight(*bench.workspace, bench.editor),
        page(bench.bench, preflight, [](const QString& verb) { return "parapet-cli " + verb; }) {
    nlohmann::json document = sampleDocument(2);
    document["mesh"]["devices"] = nlohmann::json::array({"cpu*2"});
    bench.editor.load(document, "sample");
    page.resize(1190, 640);
    page.show();
    ready = QTest::qWaitForWindowExposed(&page);
  }
  /// Whether the page has planned, which it does by itself.
  bool planned() {
    return QTest::qWaitFor([this] { return page.watch().isCurrent() && !page.watch().running(); },
                           kLongMs);
  }
  const experiment::Table& table(std::size_t index) {
    return bench.editor.experiment().tables[index];
  }
  /// Blocks of a table, on all devices.
  std::ptrdiff_t blocksOf(int table) {
    std::ptrdiff_t count = 0;
    for (const PlanColumn& column : page.plan().view().picture().columns)
      count += std::ranges::count(column.blocks, table, &PlanBlock::table);
    return count;
  }
  void place(const QString& text) {
    QComboBox& placements = page.placement().placements();
    placements.setCurrentIndex(placements.findText(text));
    emit placements.activated(placements.currentIndex());
  }

  bool ready = false;
  TestBench bench;
  PreflightWatch preflight;
  MeshPage page;
};

void dragTo(PlanView& view, const QPoint& from, const QPoint& to) {
  QTest::mousePress(&view, Qt::LeftButton, {}, from);
  // QTest sends no button with a move, and a drag needs none: the press is remembered.
  QTest::mouseMove(&view, (from + to) / 2);
  QTest::mouseMove(&view, to);
  QTest::mouseRelease(&view, Qt::LeftButton, {}, to);
}

}  // namespace

class MeshPageTest : public QObject {
  Q_OBJECT

 private slots:
  /// As wide as the page is in a window of 960.
  void aNarrowPageScrollsDownAlone() {
    Shown shown;
    QVERIFY(shown.ready && shown.planned());
    shown.page.resize(872, 343);
    QScrollArea* side = nullptr;
    for (auto* area : shown.page.findChildren<QScrollArea*>())
      if (area->accessibleName() == "Mesh and placements") side = area;
    QVERIFY(side != nullptr);
    QTRY_COMPARE(side->horizontalScrollBar()->maximum(), 0);
    QVERIFY(side->verticalScrollBar()->maximum() > 0);
    // Labels stand above their fields where there is no room beside them.
    side->setMinimumWidth(288);
    shown.page.findChild<QSplitter*>()->setSizes({288, 584});
    QTRY_COMPARE(side->horizontalScrollBar()->maximum(), 0);
    const auto* field = shown.page.findChild<QWidget*>("/mesh/capacity_bytes");
    QVERIFY(field != nullptr);
    const QLabel* label = nullptr;
    for (const auto* each : shown.page.findChildren<QLabel*>())
      if (each->buddy() == field) label = each;
    QVERIFY(label != nullptr);
    const auto isAbove = [&] {
      return label->mapTo(&shown.page, QPoint(0, label->height())).y() <=
             field->mapTo(&shown.page, QPoint()).y();
    };
    QTRY_VERIFY(isAbove());
    shown.page.resize(1600, 640);
    side->setMinimumWidth(560);
    QTRY_VERIFY(!isAbove());
  }

  void aPlanIsAPictureAndTables() {
    Shown shown;
    QVERIFY(shown.ready);
    QCOMPARE(shown.page.terminalCommand(), QString("parapet-cli plan"));
    QVERIFY(shown.planned());
    const PlanPicture& picture = shown.page.plan().view().picture();
    QCOMPARE(picture.columns.size(), std::size_t{2});
    QCOMPARE(picture.columns[1].device, QString("cpu:1"));
    for (const PlanColumn& column : picture.columns) {
      std::int64_t bytes = 0;
      for (const PlanBlock& block : column.blocks) bytes += block.bytes;
      QCOMPARE(bytes, column.bytes);
      QVERIFY(column.bytes > 0);
    }
    for (int table = 0; table < 2; ++table) QVERIFY(shown.blocksOf(table) > 0);
    QCOMPARE(shown.page.plan().tables().rowCount(), 2);
    QCOMPARE(shown.page.plan().devices().rowCount(), 2);
    QVERIFY(shown.page.placement().candidates().rowCount() > 2);
    QVERIFY(shown.page.plan().headline().startsWith("A step of "));
    const QString file = shown.bench.folder.filePath("plan.png");
    QVERIFY(shown.page.plan().exportPicture(file).ok());
    QVERIFY(QFileInfo(file).size() > 1000);
    QVERIFY(!shown.page.plan().exportPicture("/nowhere/plan.png").ok());
  }

  void aPlacementIsChosenPlannedAndTakenBack() {
    Shown shown;
    QVERIFY(shown.ready);
    QVERIFY(shown.planned());
    const auto before = shown.bench.editor.document();
    shown.place("table-wise on cpu:1");
    QVERIFY(shown.table(0).placement == experiment::Placement::kTable);
    QCOMPARE(*shown.table(0).device, std::string("cpu:1"));
    QVERIFY(shown.planned());
    QCOMPARE(shown.blocksOf(0), std::ptrdiff_t{1});
    shown.place("row-wise (modulo) over all devices");
    QVERIFY(!shown.table(0).device);
    QVERIFY2(shown.bench.editor.runnable(),
             qPrintable(findingsText(shown.bench.editor.findings())));
    QVERIFY(shown.planned());
    QCOMPARE(shown.blocksOf(0), std::ptrdiff_t{2});
    shown.bench.editor.undoStack().undo();
    QCOMPARE(*shown.table(0).device, std::string("cpu:1"));
    shown.bench.editor.undoStack().undo();
    QVERIFY(shown.bench.editor.document() == before);
    QCOMPARE(shown.page.placement().placements().currentText(), QString("auto (planner)"));
  }

  void aTableIsDraggedOntoADevice() {
    Shown shown;
    QVERIFY(shown.ready);
    QVERIFY(shown.planned());
    PlanView& view = shown.page.plan().view();
    const auto& blocks = view.picture().columns[0].blocks;
    const auto found = std::ranges::find(blocks, 1, &PlanBlock::table);
    const int from = found == blocks.end() ? 1 : 0;
    const auto& source = view.picture().columns[static_cast<std::size_t>(from)].blocks;
    const auto block = std::ranges::find(source, 1, &PlanBlock::table) - source.begin();
    dragTo(view, view.blockRect(from, static_cast<int>(block)).center(),
           view.columnRect(1).center());
    QVERIFY(shown.table(1).placement == experiment::Placement::kTable);
    QCOMPARE(*shown.table(1).device, std::string("cpu:1"));
    QCOMPARE(shown.page.placement().tables().currentIndex(), 1);
    shown.bench.editor.undoStack().undo();
    QVERIFY(shown.table(1).placement == experiment::Placement::kAuto);
  }

  void devicesAreCheckedAndSplitAndFormAShape() {
    Shown shown;
    QVERIFY(shown.ready);
    DevicePanel& devices = shown.page.devices();
    QCOMPARE(devices.choices().front().name, std::string("cpu"));
    QVERIFY(devices.box(0).isChecked());
    QCOMPARE(devices.parts(0).value(), 2);
    QCOMPARE(devices.shapes().count(), 1);
    devices.parts(0).setValue(4);
    QVERIFY(shown.bench.editor.value("/mesh/devices") == nlohmann::json::array({"cpu*4"}));
    QVERIFY(shown.planned());
    QCOMPARE(shown.page.plan().view().picture().columns.size(), std::size_t{4});
    const int square = devices.shapes().findText("2 × 2");
    QVERIFY(square > 0);
    devices.shapes().setCurrentIndex(square);
    emit devices.shapes().activated(square);
    QVERIFY(shown.bench.editor.value("/mesh/shape") == nlohmann::json::array({2, 2}));
    QVERIFY(shown.bench.editor.value("/mesh/axes") == nlohmann::json::array({"data", "model"}));
    QVERIFY2(shown.bench.editor.runnable(),
             qPrintable(findingsText(shown.bench.editor.findings())));
    devices.parts(0).setValue(3);
    QVERIFY(shown.bench.editor.value("/mesh/shape").is_null());
    QVERIFY2(shown.bench.editor.runnable(),
             qPrintable(findingsText(shown.bench.editor.findings())));
    // The last device stays.
    devices.box(0).click();
    QVERIFY(devices.box(0).isChecked());
    QVERIFY(shown.bench.editor.value("/mesh/devices") == nlohmann::json::array({"cpu*3"}));
  }

  void namesThatThisMachineDoesNotHaveAreShown() {
    Shown shown;
    QVERIFY(shown.ready);
    shown.bench.editor.setValue("/mesh/devices", {"cpu*2", "cuda:7/0", "cuda:7/1"}, "devices");
    const auto& choices = shown.page.devices().choices();
    QCOMPARE(choices.back().name, std::string("cuda:7"));
    QCOMPARE(choices.back().parts, 2);
    QVERIFY(!choices.back().isHere);
    const int last = static_cast<int>(choices.size()) - 1;
    shown.page.devices().box(last).click();
    QVERIFY(shown.bench.editor.value("/mesh/devices") == nlohmann::json::array({"cpu*2"}));
    QCOMPARE(
        meshDevices(std::vector<DeviceChoice>{{"cuda:7", {}, true, 2}, {"cuda:8", {}, true, 1}}),
        (std::vector<std::string>{"cuda:7/0", "cuda:7/1", "cuda:8"}));
  }

  void onlyDevicesAreOffered() {
    const std::vector<workspace::DeviceInfo> plugins{
        {.name = "cpu:0",
         .kind = "cpu",
         .plugin = {},
         .outcome = "loaded",
         .reason = {},
         .usable = true},
        {.name = "cpu:portable",
         .kind = "cpu",
         .plugin = {},
         .outcome = "not chosen",
         .reason = {},
         .usable = true},
        {.name = "tcp", .kind = "communicator", .plugin = {}, .outcome = "loaded", .reason = {}},
        {.name = "parquet", .kind = "source", .plugin = {}, .outcome = "loaded", .reason = {}}};
    experiment::Mesh mesh;
    mesh.devices = {"cpu*2"};
    const auto choices = deviceChoices(plugins, mesh);
    QCOMPARE(choices.size(), std::size_t{1});
    QCOMPARE(choices[0].name, std::string("cpu"));
  }

  void aCancelledPlanIsMadeWhenItIsAskedFor() {
    Shown shown;
    QVERIFY(shown.ready);
    QVERIFY(shown.planned());
    QVERIFY(!shown.page.plan().planButton().isVisibleTo(&shown.page));
    shown.bench.editor.setValue("/mesh/devices", {"cpu*3"}, "devices");
    shown.page.watch().cancel();
    QVERIFY(shown.page.plan().planButton().isVisibleTo(&shown.page));
    shown.page.plan().planButton().click();
    QVERIFY(shown.planned());
    QCOMPARE(shown.page.plan().view().picture().columns.size(), std::size_t{3});
  }

  void dataThatWereImportedSinceAreCounted() {
    Shown shown;
    QVERIFY(shown.ready);
    QVERIFY(shown.planned());
    QVERIFY2(shown.page.plan().headline().contains("not imported"),
             qPrintable(shown.page.plan().headline()));
    shown.page.hide();  // on the step Data
    QVERIFY(shown.bench.workspace->importData(shown.bench.editor.experiment(), {}).ok());
    shown.page.show();
    QTRY_VERIFY_WITH_TIMEOUT(!shown.page.plan().headline().contains("not imported"), kLongMs);
    QVERIFY(shown.planned());
    QVERIFY(shown.page.watch().report()->idsMeasured);
  }

  /// As the terminal does; nobody is sent to another step.
  void whatThePlanNeedsOfTheDataIsImportedInPlace() {
    Shown shown;
    QVERIFY(shown.ready);
    const QString file = shown.bench.folder.filePath("clicks.csv");
    {
      std::ofstream rows(file.toStdString());
      rows << "user,item,rating\n";
      for (int row = 0; row < 600; ++row)
        rows << 'u' << row % 20 << ",i" << row % 31 << ',' << 1 + row % 5 << '\n';
    }
    nlohmann::json document = sampleDocument(2);
    nlohmann::json& dataset = document["dataset"];
    dataset["source"] = "csv";
    dataset["path"] = file.toStdString();
    dataset.erase("generator");
    dataset["vocabularies"] = {{{"name", "user"}, {"kind", "compressed"}},
                               {{"name", "item"}, {"kind", "compressed"}}};
    shown.bench.editor.load(document, "fresh");
    QPushButton& import = shown.page.plan().importButton();
    QTRY_VERIFY_WITH_TIMEOUT(import.isVisible(), kLongMs);
    QVERIFY(shown.page.watch().plan() == nullptr);
    QSignalSpy progress(&shown.page.watch(), &PlanWatch::progressed);
    QSignalSpy pages(&shown.page, &Page::pageRequested);
    QTest::mouseClick(&import, Qt::LeftButton);
    QVERIFY(shown.page.watch().running());
    QVERIFY(!import.isVisible() && shown.page.plan().cancelButton().isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.watch().plan() != nullptr, kLongMs);
    QVERIFY(shown.page.watch().report()->idsMeasured);
    QVERIFY(progress.count() > 0);
    QCOMPARE(pages.count(), 0);
    QVERIFY(!import.isVisible());
    // The run finds them.
    const auto found = shown.bench.workspace->findImported(shown.bench.editor.experiment(), {});
    QVERIFY(found.ok() && found->has_value());
  }

  void withoutDataOneSentenceSaysWhatToDo() {
    Shown shown;
    QVERIFY(shown.ready);
    const auto recipe = experiment::parseJson(experiment::findRecipe("frappe-context")->text);
    QVERIFY(recipe.ok());
    shown.bench.editor.load(*recipe, "frappe-context");
    QTRY_VERIFY_WITH_TIMEOUT(shown.page.watch().report().has_value(), kLongMs);
    QVERIFY(shown.page.watch().report()->findings.problems.size() > 1);
    QStringList texts;
    for (const QLabel* label : shown.page.plan().findChildren<QLabel*>())
      if (label->isVisible() && !label->text().isEmpty()) texts << label->text();
    QVERIFY2(!texts.join('\n').contains("vocabulary"), qPrintable(texts.join('\n')));
    QCOMPARE(texts.filter("Choose them in the step Data").size(), 1);
    QVERIFY(!shown.page.plan().importButton().isVisible());
  }

  void theListOfTablesIsAsWideAsTheirNames() {
    Shown shown;
    QVERIFY(shown.ready);
    auto* tables = shown.page.placement().findChild<QComboBox*>();
    QCOMPARE(tables->accessibleName(), QString("Table to place"));
    const int before = tables->sizeHint().width();
    shown.bench.editor.setValue("/tables/0/name", "items_of_the_second_catalogue", "rename");
    QTRY_VERIFY(tables->sizeHint().width() > before);
    QVERIFY(tables->sizeHint().width() >
            tables->fontMetrics().horizontalAdvance("items_of_the_second_catalogue"));
  }

  void blocksAreColouredByBytesWhereNothingIsSent() {
    Shown shown;
    QVERIFY(shown.ready);
    QVERIFY(shown.planned());
    PlanView& view = shown.page.plan().view();
    shown.place("replicated");
    QVERIFY(shown.planned());
    const auto& blocks = view.picture().columns.front().blocks;
    const auto table = std::ranges::find_if(blocks, [](const auto& of) { return of.table == 0; });
    QVERIFY(table != blocks.end());
    QCOMPARE(table->detail, QString("shared by all devices"));
    shown.place("row-wise (modulo) over all devices");
    QVERIFY(shown.planned());
    QVERIFY(view.picture().maxTraffic == 0);  // of one memory
    QCOMPARE(view.colorBy(), PlanView::ColorBy::kBytes);
    shown.bench.editor.setValue("/mesh/spaces", "separate", "spaces");
    QVERIFY(shown.planned());
    QVERIFY(view.picture().maxTraffic > 0);
    QCOMPARE(view.colorBy(), PlanView::ColorBy::kTraffic);
  }

  void theMenuOffersAllPlacements() {
    Shown shown;
    QVERIFY(shown.ready);
    QMenu menu;
    shown.page.placement().fillMenu(menu, 1);
    QCOMPARE(menu.actions().size(), shown.page.placement().placements().count());
    QVERIFY(menu.actions().front()->isChecked());
    menu.actions()[1]->trigger();
    QVERIFY(shown.table(1).placement == experiment::Placement::kReplicated);
  }

  void aPlanIsWrittenIntoTheDocument() {
    Shown shown;
    QVERIFY(shown.ready);
    QVERIFY(shown.planned());
    const auto before = shown.bench.editor.document();
    QVERIFY(shown.page.plan().applyButton().isEnabled());
    shown.page.plan().applyButton().click();
    for (std::size_t i = 0; i < 2; ++i)
      QVERIFY(shown.table(i).placement != experiment::Placement::kAuto);
    QVERIFY2(shown.bench.editor.runnable(),
             qPrintable(findingsText(shown.bench.editor.findings())));
    QVERIFY(!shown.page.plan().applyButton().isEnabled());
    shown.bench.editor.undoStack().undo();
    QVERIFY(shown.bench.editor.document() == before);
  }

  void aBadShapeIsMarkedAndBlocksTheRun() {
    Shown shown;
    QVERIFY(shown.ready);
    shown.bench.editor.setValue("/mesh/shape", {3}, "shape");
    QVERIFY(!shown.bench.editor.runnable());
    QVERIFY2(!shown.page.devices().findingsText().isEmpty(), "the shape says nothing");
    QVERIFY(!shown.page.watch().canStart());
    QVERIFY(shown.page.reveal("/mesh/shape"));
    QVERIFY(shown.page.devices().shapes().hasFocus());
    shown.bench.editor.undoStack().undo();
    QVERIFY(shown.bench.editor.runnable());
    QVERIFY(shown.planned());
  }

  void tooLittleRoomIsToldWithTheBytes() {
    Shown shown;
    QVERIFY(shown.ready);
    shown.bench.editor.setValue("/mesh/capacity_bytes", 1000, "capacity");
    QVERIFY(shown.planned());
    const auto& problems = shown.page.watch().report()->findings.problems;
    QVERIFY(!problems.empty());
    QCOMPARE(problems.front().pointer, std::string("/mesh/capacity_bytes"));
    bool shows = false;
    for (const FindingsLabel* label : shown.page.plan().findChildren<FindingsLabel*>())
      shows = shows || label->text().contains("are missing");
    QVERIFY(shows);
  }

  void aCapacityIsTypedForAllDevicesOrForEach() {
    Shown shown;
    QVERIFY(shown.ready && shown.planned());
    auto* line = shown.page.findChild<QLineEdit*>("/mesh/capacity_bytes");
    QVERIFY(line != nullptr);
    const auto type = [&](const char* text) {
      line->setFocus();
      QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
      QTest::keyClicks(line, text);
      return shown.bench.editor.value("/mesh/capacity_bytes");
    };
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    QCOMPARE(type("2 GiB"), nlohmann::ordered_json(2 * kGiB));
    QCOMPARE(line->text(), QString("2 GiB"));
    QCOMPARE(type("2 GiB, 1.5 GiB"), nlohmann::ordered_json({2 * kGiB, kGiB / 2 * 3}));
    QVERIFY(shown.bench.editor.runnable());
    QVERIFY(shown.planned());
    const PlanPicture& picture = shown.page.plan().view().picture();
    QCOMPARE(picture.columns[0].capacity, 2 * kGiB);
    QCOMPARE(picture.columns[1].capacity, kGiB / 2 * 3);
    // A list of another length is reported beside the field, and again gone.
    (void)type("1 GiB, 1 GiB, 1 GiB");
    QVERIFY(!shown.bench.editor.runnable());
    const Field* field = nullptr;
    for (const Field* each : shown.page.form().fields())
      if (each->pointer() == "/mesh/capacity_bytes") field = each;
    QVERIFY(field != nullptr);
    QTRY_VERIFY2(field->findingsText().contains("3 numbers for 2 devices"),
                 qPrintable(field->findingsText()));
    QVERIFY(shown.page.reveal("/mesh/capacity_bytes/2"));
    QVERIFY(line->hasFocus());
    // A value that others set is shown as it would be typed.
    shown.page.devices().setFocus();
    shown.bench.editor.setValue("/mesh/capacity_bytes", {kGiB, 1000}, "x");
    QCOMPARE(line->text(), QString("1 GiB, 1000"));
    shown.bench.editor.setValue("/mesh/capacity_bytes", nullptr, "x");
    QCOMPARE(line->text(), QString());
  }

  void theMemoryPageSaysWhatIsDataParallel() {
    Shown shown;
    QVERIFY(shown.ready);
    const auto* shares = shown.page.memory().findChild<QLabel*>("dataParallel");
    QVERIFY(shares != nullptr);
    QTRY_VERIFY2(shares->text().startsWith("Data parallel: 2 devices share"),
                 qPrintable(shares->text()));
    shown.bench.editor.setValue("/mesh/devices", {"cpu:0"}, "devices");
    QTRY_VERIFY2(shares->text().startsWith("Nothing is data parallel: cpu:0"),
                 qPrintable(shares->text()));
    shown.bench.editor.setValue("/mesh/devices", {"cuda:63"}, "devices");
    QTRY_VERIFY(shares->isHidden());
  }

  void whatWasMeasuredStandsBesideTheEstimate() {
    Shown shown;
    QVERIFY(shown.ready);
    const auto cell = [&](int column) {
      return shown.page.estimate().rows().index(0, column).data().toString();
    };
    QCOMPARE(cell(2), QString("–"));
    shown.bench.runs.start(shown.bench.editor.experiment(), "sample");
    QVERIFY(QTest::qWaitFor([&] { return !shown.bench.runs.active(); }, kLongMs));
    QTRY_VERIFY_WITH_TIMEOUT(cell(2).endsWith("s"), kLongMs);
    QVERIFY(shown.planned());
    QVERIFY(cell(1).endsWith("s"));
    shown.bench.editor.setValue("/mesh/devices", {"cpu*3"}, "devices");
    QCOMPARE(cell(2), QString("–"));
  }
};

QTEST_MAIN(MeshPageTest)
#include "mesh_page_test.moc"
