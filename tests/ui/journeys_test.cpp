// SPDX-License-Identifier: GPL-3.0-or-later
// The ways that people go through the window, from an empty workspace, with their clicks counted.
#include <QApplication>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>

#include "app/parapet/parts.h"
#include "engine/base/files.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/browse/context_control.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/mesh/mesh_page.h"
#include "ui/pages/train/train_page.h"
#include "ui/pages/train/watched_panel.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 120'000;
constexpr int kUsers = 943, kItems = 1682, kRatings = 100'000;
/// Clicks after a file is dropped: Run, then Browse.
constexpr int kFileClicks = 2;

/// 960 × 540 where a pixel of the window is two of the screen: a full HD screen at 200 %.
QSize windowSize() {
  return qApp->devicePixelRatio() > 1.0 ? QSize(960, 540) : QSize(1280, 720);
}

/// A window over an empty workspace. What a person presses is pressed with the mouse, and counted.
struct Person {
  Person() {
    auto made = Parts::make((folder.path() + "/workspace").toStdString(),
                            (folder.path() + "/config").toStdString());
    parts = made ? std::move(made).value() : nullptr;
    parts->window().restore();
    parts->window().beginWith("sample");
    parts->window().resize(windowSize());
    parts->window().show();
  }

  /// False if there is no such button, or none that can be pressed.
  bool click(const QString& name) {
    const auto pressable = [this, &name]() -> QAbstractButton* {
      for (auto* button : parts->window().findChildren<QAbstractButton*>(name))
        if (button->isVisible() && button->isEnabled()) return button;
      return nullptr;
    };
    if (!QTest::qWaitFor([&] { return pressable() != nullptr; }, kLongMs)) return false;
    QAbstractButton* button = pressable();
    if (!comesIntoView(*button)) return false;
    QTest::mouseClick(button, Qt::LeftButton);
    ++clicks;
    return true;
  }
  /// Scrolls to it, which is no click; false if something hides its middle all the same.
  static bool comesIntoView(QWidget& widget) {
    for (QWidget* above = widget.parentWidget(); above != nullptr; above = above->parentWidget())
      if (auto* area = qobject_cast<QScrollArea*>(above)) area->ensureWidgetVisible(&widget);
    return QTest::qWaitFor(
        [&widget] { return widget.visibleRegion().contains(widget.rect().center()); });
  }
  void press(QWidget& widget, const QPoint& at) {
    QTest::mouseClick(&widget, Qt::LeftButton, {}, at);
    ++clicks;
  }
  bool chooseTab(QTabBar& tabs, const QString& title) {
    for (int tab = 0; tab < tabs.count(); ++tab) {
      if (!tabs.tabText(tab).startsWith(title)) continue;
      press(tabs, tabs.tabRect(tab).center());
      return tabs.currentIndex() == tab;
    }
    return false;
  }
  bool chooseStep(const QString& title) {
    return chooseTab(page<ExperimentPage>("experiment").steps(), title);
  }
  /// Opens the box and presses the entry.
  bool choose(QComboBox& box, const QString& entry) {
    const int row = box.findText(entry, Qt::MatchStartsWith);
    if (row < 0 || !box.isVisible() || !box.isEnabled()) return false;
    press(box, box.rect().center());
    QAbstractItemView& list = *box.view();
    if (!QTest::qWaitFor([&list] { return list.isVisible(); })) return false;
    // A second press within the time of a double click is left to the first.
    list.setCurrentIndex(box.model()->index(row, 0));
    QTest::keyClick(&list, Qt::Key_Return);
    ++clicks;
    return QTest::qWaitFor([&] { return box.currentText().startsWith(entry); });
  }
  template <class Step>
  Step& step(const QString& name) {
    return *qobject_cast<Step*>(page<ExperimentPage>("experiment").step(name));
  }
  const experiment::Experiment& experiment() { return parts->bench().editor.experiment(); }
  /// The file is dropped on the window; its roles are proposed.
  bool drops(const std::string& text) {
    const QString file = folder.filePath("interactions.csv");
    return writeFileAtomically(file.toStdString(), text).ok() && dropsFile(file);
  }
  bool dropsFile(const QString& file) {
    parts->window().openDropped(file);
    return QTest::qWaitFor([this] { return experiment().dataset.path.has_value(); }, kLongMs);
  }
  template <class PageType>
  PageType& page(const QString& name) {
    return *qobject_cast<PageType*>(parts->window().page(name));
  }
  /// The curve on the page Train has grown beyond `step`.
  bool seesTheCurveBeyond(std::int64_t step) {
    return QTest::qWaitFor([&] { return page<TrainPage>("train").curves().lastStep() > step; },
                           kLongMs);
  }
  bool seesRecommendations() {
    auto& browse = page<BrowsePage>("browse");
    return QTest::qWaitFor(
        [&] {
          const auto& columns = browse.board().columns();
          return !columns.empty() && columns.front()->list().rowCount() >= 10;
        },
        kLongMs);
  }
  /// The text of the window, for the message of a journey that ends on the way.
  QString shownText() {
    QStringList texts;
    for (const auto* label : parts->window().findChildren<QLabel*>())
      if (label->isVisible() && !label->text().isEmpty()) texts << label->text();
    return texts.join(QStringLiteral(" | "));
  }
  bool waitForEnd() {
    return QTest::qWaitFor([&] { return !parts->bench().runs.active(); }, kLongMs);
  }

  QTemporaryDir folder;
  std::unique_ptr<Parts> parts;
  int clicks = 0;
};

/// Every journey in both themes, by rows of `kind` that differ otherwise.
void addThemes(const QStringList& kinds = {QString()}) {
  QTest::addColumn<Theme>("theme");
  QTest::addColumn<QString>("kind");
  for (const QString& kind : kinds)
    for (const Theme theme : {Theme::kLight, Theme::kDark})
      QTest::addRow("%s%s%s", theme == Theme::kLight ? "light" : "dark", kind.isEmpty() ? "" : ", ",
                    qPrintable(kind))
          << theme << kind;
}

void wearTheme() {
  QFETCH(Theme, theme);
  applyTheme(theme);
}

/// The file of Frappe as published; "" without PARAPET_DATA_DIR.
QString publishedUsages() {
  const QString file = qEnvironmentVariable("PARAPET_DATA_DIR") + "/frappe/frappe.csv";
  return QFileInfo::exists(file) ? file : QString();
}

/// As many ratings as MovieLens 100K has, of users who like every seventh item best.
std::string ratings() {
  std::string text;
  for (int row = 0; row < kRatings; ++row) {
    const int user = 1 + row % kUsers, item = 1 + (row * 17 + row / kUsers * 31) % kItems;
    const int stars = (user + item) % 7 == 0 ? 5 : 1 + (user * item) % 4;
    text += std::to_string(user) + '\t' + std::to_string(item) + '\t' + std::to_string(stars) +
            '\t' + std::to_string(880'000'000 + row) + '\n';
  }
  return text;
}

/// Readers and books, as a shop has them: `header` and, of each row, four cells.
std::string shelves(const std::string& header, bool titles) {
  constexpr std::array kFirst{"Silent", "Golden", "Broken", "Hidden", "Last", "Red", "Lost"};
  constexpr std::array kSecond{"River", "House", "Garden", "Letter", "King", "Road", "Sea"};
  std::string text = header + '\n';
  for (int row = 0; row < 6000; ++row) {
    const int user = row / 20, book = (row * 17 + user * 5) % 49;
    const int stars = (user + book) % 7 == 0 ? 5 : 1 + (user * book + row) % 4;
    const std::string name = titles
                                 ? std::string("The ") + kFirst[book % 7] + ' ' + kSecond[book / 7]
                                 : std::to_string(100 + book * 3);
    text += std::to_string(1000 + user * 7) + ',' + name + ',' + std::to_string(stars) + ',' +
            std::to_string(1'400'000'000 + row * 997) + '\n';
  }
  return text;
}

/// The columns of Frappe (Baltrunas et al. 2015), with generated cells: what is used depends on the
/// time of day and the day of the week.
std::string usages() {
  constexpr std::array kTimes{"sunrise", "morning", "noon", "afternoon",
                              "evening", "sunset",  "night"};
  constexpr std::array kDays{"monday", "tuesday",  "wednesday", "thursday",
                             "friday", "saturday", "sunday"};
  constexpr std::array kWeather{"sunny", "cloudy", "rainy", "foggy"};
  std::string text =
      "user\titem\tcnt\tdaytime\tweekday\tisweekend\thomework\tcost\tweather\tcountry\tcity\n";
  for (int row = 0; row < 8000; ++row) {
    const int user = row * 13 % 200, time = row % 7, day = row / 7 % 7;
    const int item = (user % 5 * 40 + time * 11 + day * 3 + row % 9) % 240;
    text += std::to_string(user) + '\t' + std::to_string(item) + '\t' +
            std::to_string(1 + row % 37) + '\t' + kTimes[time] + '\t' + kDays[day] + '\t' +
            (day > 4 ? "weekend" : "workday") + "\tunknown\t" + (row % 5 ? "free" : "paid") + '\t' +
            kWeather[row % 4] + "\tSpain\t" + std::to_string(row % 30) + '\n';
  }
  return text;
}

}  // namespace

class JourneysTest : public QObject {
  Q_OBJECT

 private slots:
  void firstStartToAMovingCurveIsOneClick_data() { addThemes(); }
  void firstStartToAMovingCurveIsOneClick() {
    wearTheme();
    Person person;
    QVERIFY(person.parts->trainSampleIfEmpty());
    QVERIFY(person.click("pageButton.train"));
    QVERIFY(person.seesTheCurveBeyond(0));
    QCOMPARE(person.clicks, 1);
    QVERIFY(person.waitForEnd());
  }

  void aFolderOfMovieLensToATopTenIsThreeClicks_data() { addThemes(); }
  void aFolderOfMovieLensToATopTenIsThreeClicks() {
    wearTheme();
    Person person;
    const QString data = person.folder.filePath("ml-100k");
    QVERIFY(QDir().mkpath(data));
    QVERIFY(writeFileAtomically((data + "/u.data").toStdString(), ratings()).ok());
    std::string films;
    for (int item = 1; item <= kItems; ++item)
      films += std::to_string(item) + "|Film " + std::to_string(item) +
               " (1995)|01-Jan-1995||http://example.com|0|1|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\n";
    QVERIFY(writeFileAtomically((data + "/u.item").toStdString(), films).ok());
    QVERIFY(person.dropsFile(data));
    QVERIFY(person.click("run.run.button"));
    QVERIFY(person.seesTheCurveBeyond(0));
    person.parts->bench().runs.stop();
    QVERIFY(person.waitForEnd());
    QVERIFY(person.click("pageButton.browse"));
    QVERIFY2(person.seesRecommendations(), qPrintable(person.shownText()));
    QVERIFY2(person.clicks <= 3, qPrintable(QString::number(person.clicks)));
  }

  void aFolderOfTextsToAMaskedLanguageModelIsThreeClicks_data() { addThemes(); }
  void aFolderOfTextsToAMaskedLanguageModelIsThreeClicks() {
    wearTheme();
    Person person;
    const QString texts = person.folder.filePath("stories");
    QVERIFY(QDir().mkpath(texts));
    constexpr std::array kAnimals{"cat", "dog", "bird", "horse"};
    std::string lines;
    for (int line = 0; line < 300; ++line)
      lines +=
          std::string("the ") + kAnimals[line % 4] + " sees the " + kAnimals[line % 4] + " .\n";
    for (const char* file : {"/train.txt", "/valid.txt"})
      QVERIFY(writeFileAtomically(texts.toStdString() + file, lines).ok());
    QVERIFY(person.dropsFile(texts));
    // The vocabulary that the model needs is trained here.
    QVERIFY2(person.click("fix.Train a vocabulary"), qPrintable(person.shownText()));
    QTRY_VERIFY_WITH_TIMEOUT(person.parts->bench().editor.runnable(), kLongMs);
    QVERIFY(person.click("run.run.button"));
    QVERIFY2(person.seesTheCurveBeyond(0), qPrintable(person.shownText()));
    // Nobody is watched who does not exist.
    auto& train = person.page<TrainPage>("train");
    QVERIFY(!train.findChild<WatchedPanel*>()->isVisible());
    QVERIFY(person.click("pageButton.browse"));
    QTRY_VERIFY_WITH_TIMEOUT(person.page<BrowsePage>("browse").asksTexts(), kLongMs);
    QVERIFY2(person.clicks <= 3, qPrintable(QString::number(person.clicks)));
    person.parts->bench().runs.stop();
    QVERIFY(person.waitForEnd());
  }

  void anUnknownFileToATopTenIsFiveClicks_data() { addThemes({"ordinary words", "no known name"}); }
  void anUnknownFileToATopTenIsFiveClicks() {
    QFETCH(QString, kind);
    wearTheme();
    const bool titles = kind == "ordinary words";
    Person person;
    QVERIFY(person.drops(shelves(titles ? "visitor,book,stars,when" : "a,b,c,d", titles)));
    // The proposals stand above the columns, with their reasons, and can be run as they are.
    const PreviewPanel& preview = person.step<DataPage>("data").preview();
    QTRY_VERIFY(preview.header().isVisible());
    constexpr std::array kUses{"user", "item", "label", "time"};
    for (int column = 0; column < 4; ++column) {
      QTRY_VERIFY_WITH_TIMEOUT(preview.header().box(column) != nullptr, kLongMs);
      QTRY_COMPARE_WITH_TIMEOUT(preview.header().box(column)->currentData().toString(),
                                QString(kUses[static_cast<std::size_t>(column)]), kLongMs);
      const QComboBox* box = preview.header().box(column);
      QVERIFY2(box->toolTip().startsWith("Proposed"), qPrintable(box->toolTip()));
    }
    QVERIFY(person.click("run.run.button"));
    QVERIFY(person.seesTheCurveBeyond(0));
    QVERIFY(person.waitForEnd());
    QVERIFY(person.click("pageButton.browse"));
    QVERIFY(person.seesRecommendations());
    if (titles) {
      const auto& list = person.page<BrowsePage>("browse").board().columns().front()->list();
      QStringList cells;
      for (int column = 0; column < list.columnCount(); ++column)
        cells << list.index(0, column).data().toString();
      QVERIFY2(cells.join(' ').contains("The "), qPrintable(cells.join(' ')));
    }
    QVERIFY2(person.clicks <= 5, qPrintable(QString::number(person.clicks)));
    QCOMPARE(person.clicks, kFileClicks);
  }

  void titlesBesideTheDataAreTaken_data() { addThemes(); }
  void titlesBesideTheDataAreTaken() {
    wearTheme();
    Person person;
    // As at a first start: Browse shows somebody of the sample.
    QVERIFY(person.parts->trainSampleIfEmpty());
    QVERIFY(person.waitForEnd());
    person.parts->window().showPage("browse");
    QVERIFY(person.seesRecommendations());
    person.parts->window().showPage("home");
    std::string books = "book,title\n";
    for (int book = 0; book < 49; ++book)
      books += std::to_string(100 + book * 3) + ",Volume " + std::to_string(book) + '\n';
    QVERIFY(writeFileAtomically(person.folder.filePath("books.csv").toStdString(), books).ok());
    QVERIFY(person.drops(shelves("visitor,book,stars,when", false)));
    const PreviewModel& preview = person.step<DataPage>("data").preview().model();
    QTRY_COMPARE_WITH_TIMEOUT(preview.columnCount(), 5, kLongMs);
    QVERIFY(preview.index(0, 4).data(Qt::DisplayRole).toString().startsWith("Volume "));
    // A file that is gone is a problem of its cell, and keeps Run disabled.
    DocumentRowsModel& table = person.step<DataPage>("data").side().catalogues().model();
    const QModelIndex path = table.index(0, CataloguesModel::kPath);
    QVERIFY(table.setData(path, "gone.csv", Qt::EditRole));
    QTRY_COMPARE_WITH_TIMEOUT(path.data(DocumentRowsModel::kSeverityRole).toInt(),
                              static_cast<int>(Severity::kProblem), kLongMs);
    QVERIFY2(path.data(Qt::ToolTipRole).toString().contains("gone.csv"),
             qPrintable(path.data(Qt::ToolTipRole).toString()));
    QVERIFY(!person.parts->bench().editor.runnable());
    person.parts->bench().editor.undoStack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(person.parts->bench().editor.runnable(), kLongMs);
    QVERIFY(person.click("run.run.button"));
    QVERIFY(person.seesTheCurveBeyond(0));
    QVERIFY(person.waitForEnd());
    QVERIFY(person.click("pageButton.browse"));
    QVERIFY(person.seesRecommendations());
    const auto titles = [&person] {
      QStringList cells;
      const auto& columns = person.page<BrowsePage>("browse").board().columns();
      if (columns.empty()) return QString();
      const auto& list = columns.front()->list();
      for (int column = 0; column < list.columnCount(); ++column)
        cells << list.index(0, column).data().toString();
      return cells.join(' ');
    };
    QVERIFY2(QTest::qWaitFor([&] { return titles().contains("Volume "); }, kLongMs),
             qPrintable(titles() + person.shownText()));
    QCOMPARE(person.clicks, kFileClicks);
  }

  void contextsShardsAndACheckAreTenClicks_data() {
    QStringList kinds{"generated"};
    if (!publishedUsages().isEmpty()) kinds << "published";
    addThemes(kinds);
  }
  void contextsShardsAndACheckAreTenClicks() {
    QFETCH(QString, kind);
    wearTheme();
    Person person;
    QVERIFY(kind == "published" ? person.dropsFile(publishedUsages()) : person.drops(usages()));
    // No column is a label, so the loss is one that needs none; the query tower reads the contexts.
    QCOMPARE(person.experiment().loss.kind, experiment::LossKind::kInBatchSoftmax);
    QVERIFY(std::ranges::find(person.experiment().features, "daytime",
                              &experiment::Feature::column) != person.experiment().features.end());
    QTRY_VERIFY(person.parts->bench().editor.runnable());
    QVERIFY(person.chooseStep("Devices"));
    const auto& mesh = person.step<MeshPage>("mesh");
    QSpinBox& parts = *mesh.devices().findChild<QSpinBox*>();
    person.press(parts, parts.rect().center());
    QTest::keyClick(&parts, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(&parts, "4");
    QTest::keyClick(&parts, Qt::Key_Return);
    QCOMPARE(person.experiment().mesh.devices, std::vector<std::string>{"cpu*4"});
    auto& placement = *mesh.placement().findChild<QComboBox*>("placement");
    QVERIFY(person.choose(placement, "row-wise"));
    QCOMPARE(person.experiment().tables.front().placement, experiment::Placement::kRow);
    auto& tabs = *mesh.plan().findChild<QTabBar*>();
    QVERIFY(person.chooseTab(tabs, "Check"));
    QVERIFY(person.click("verifyStart"));
    const auto& verdict = *mesh.verify().findChild<QLabel*>("verifyVerdict");
    QTRY_VERIFY_WITH_TIMEOUT(verdict.text().contains("Passed", Qt::CaseInsensitive), kLongMs);
    QVERIFY(person.click("run.run.button"));
    QVERIFY(person.seesTheCurveBeyond(0));
    person.parts->bench().runs.stop();
    QVERIFY(person.waitForEnd());
    QVERIFY2(person.clicks <= 10, qPrintable(QString::number(person.clicks)));
    qInfo("%d clicks", person.clicks);
  }

  void contextsOfTheSampleAreThreeClicks_data() { addThemes(); }
  void contextsOfTheSampleAreThreeClicks() {
    wearTheme();
    Person person;
    QVERIFY(person.drops(usages()));
    const ExperimentEditor& editor = person.parts->bench().editor;
    QVERIFY(person.click("useSample"));
    QTRY_COMPARE_WITH_TIMEOUT(person.experiment().features.size(), std::size_t{2}, kLongMs);
    // Runs without them; each is a warning with a fix.
    QVERIFY(editor.runnable());
    const auto unread = [&editor] {
      return std::ranges::count_if(editor.findings().warnings, [](const auto& warning) {
        return warning.pointer.starts_with("/dataset/columns/");
      });
    };
    const auto contexts = unread();
    QVERIFY(contexts >= 5);
    QVERIFY(person.click("fix.Add a feature of \"daytime\""));
    QTRY_COMPARE(unread(), contexts - 1);
    QVERIFY2(editor.runnable(), qPrintable(person.shownText()));
    QVERIFY(person.chooseStep("Tables"));
    QVERIFY(person.click("addFreeColumns"));
    QTRY_COMPARE(unread(), 0);
    QVERIFY2(editor.runnable(), qPrintable(person.shownText()));
    for (const experiment::Table& table : person.experiment().tables)
      QCOMPARE(table.embeddingDim, 16);
    QVERIFY(person.click("run.run.button"));
    QVERIFY(person.seesTheCurveBeyond(0));
    person.parts->bench().runs.stop();
    QVERIFY(person.waitForEnd());
    QVERIFY(person.click("pageButton.browse"));
    QVERIFY(person.seesRecommendations());
    QTRY_VERIFY_WITH_TIMEOUT(
        person.page<BrowsePage>("browse").findChildren<ContextControl*>().size() >= 5, kLongMs);
  }
};

QTEST_MAIN(JourneysTest)
#include "journeys_test.moc"
