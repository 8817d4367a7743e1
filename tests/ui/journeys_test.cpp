// SPDX-License-Identifier: GPL-3.0-or-later
// The ways that people go through the window, from an empty workspace, with their clicks counted.
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/parapet/parts.h"
#include "engine/base/files.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/train/train_page.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 120'000;
constexpr int kUsers = 943, kItems = 1682, kRatings = 100'000;

/// A window over an empty workspace. What a person presses is pressed with the mouse, and counted.
struct Person {
  Person() {
    auto made = Parts::make((folder.path() + "/workspace").toStdString(),
                            (folder.path() + "/config").toStdString());
    parts = made ? std::move(made).value() : nullptr;
    parts->window().restore();
    parts->window().beginWith("sample");
    parts->window().resize(1280, 720);
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
    QTest::mouseClick(pressable(), Qt::LeftButton);
    ++clicks;
    return true;
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
  bool waitForEnd() {
    return QTest::qWaitFor([&] { return !parts->bench().runs.active(); }, kLongMs);
  }

  QTemporaryDir folder;
  std::unique_ptr<Parts> parts;
  int clicks = 0;
};

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

}  // namespace

class JourneysTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { applyTheme(Theme::kLight); }

  void firstStartToAMovingCurveIsOneClick() {
    Person person;
    QVERIFY(person.parts->trainSampleIfEmpty());
    QVERIFY(person.click("pageButton.train"));
    QVERIFY(person.seesTheCurveBeyond(0));
    QCOMPARE(person.clicks, 1);
    QVERIFY(person.waitForEnd());
  }

  void aFolderOfMovieLensToATopTenIsThreeClicks() {
    Person person;
    const QString data = person.folder.filePath("ml-100k");
    QVERIFY(QDir().mkpath(data));
    QVERIFY(writeFileAtomically((data + "/u.data").toStdString(), ratings()).ok());
    person.parts->window().openDropped(data);
    QVERIFY(person.click("run.run.button"));
    QVERIFY(person.seesTheCurveBeyond(0));
    QVERIFY(person.waitForEnd());
    QVERIFY(person.click("pageButton.browse"));
    QVERIFY(person.seesRecommendations());
    QVERIFY2(person.clicks <= 3, qPrintable(QString::number(person.clicks)));
  }
};

QTEST_MAIN(JourneysTest)
#include "journeys_test.moc"
