// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHelpEvent>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPainter>
#include <QStyleOption>
#include <QTest>
#include <QToolTip>

#include "tests/ui/test_bench.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/runs_model.h"
#include "ui/pages/frame/notice_bar.h"
#include "ui/style/fonts.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr QRgb kRed = qRgb(255, 0, 0);

bool hasRed(const QImage& image) {
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if ((image.pixel(x, y) & 0xffffff) == (kRed & 0xffffff)) return true;
  return false;
}

QLabel* openToolTip() {
  for (QWidget* widget : QApplication::topLevelWidgets())
    if (widget->inherits("QTipLabel") && widget->isVisible()) return qobject_cast<QLabel*>(widget);
  return nullptr;
}

}  // namespace

/// Titles, names and paths come from files of strangers; they are shown as they are written.
class PlainTextTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString markup_;  ///< draws a red square where it is read as HTML

 private slots:
  void initTestCase() {
    applyTheme(Theme::kLight);
    QImage square(24, 24, QImage::Format_RGB32);
    square.fill(kRed);
    const QString file = folder_.filePath("square.png");
    QVERIFY(square.save(file));
    markup_ = QString("<img src=\"file:%1\">").arg(file);
    QVERIFY(Qt::mightBeRichText(markup_));
  }

  void theFontKeepsTheSizeOfTheDesktopAndHasDigitsOfOneWidth() {
    const QFont before = QApplication::font();
    applyUiFont();
    const QFont font = QApplication::font();
    QCOMPARE(font.pointSizeF(), before.pointSizeF());
    QCOMPARE(font.families().front(), uiFontFamily().isEmpty() ? before.family() : uiFontFamily());
    const QFontMetricsF metrics(font);
    for (const char digit : std::string("123456789"))
      QCOMPARE(metrics.horizontalAdvance(QChar(digit)), metrics.horizontalAdvance('0'));
    double least = 0.0;
    for (const TextSize size :
         {TextSize::kSmall, TextSize::kBody, TextSize::kHeading, TextSize::kTitle}) {
      QVERIFY(textFont(size).pointSizeF() > least);
      least = textFont(size).pointSizeF();
      QCOMPARE(textFont(size).family(), font.family());
    }
    QApplication::setFont(before);
  }

  void labelsDrawMarkupAsText() {
    QLabel label(markup_);
    label.show();
    QVERIFY(QTest::qWaitForWindowExposed(&label));
    QVERIFY(!hasRed(label.grab().toImage()));
    label.setText(markup_ + " again");
    QVERIFY(!hasRed(label.grab().toImage()));
    // The square is there to be drawn.
    QLabel asked(markup_);
    asked.setTextFormat(Qt::RichText);
    asked.show();
    QVERIFY(hasRed(asked.grab().toImage()));
  }

  void toolTipsDrawMarkupAsText() {
    QLabel label("a");
    label.setToolTip(markup_);
    label.resize(200, 100);
    label.show();
    QVERIFY(QTest::qWaitForWindowExposed(&label));
    QHelpEvent help(QEvent::ToolTip, QPoint(20, 20), label.mapToGlobal(QPoint(20, 20)));
    QApplication::sendEvent(&label, &help);
    QTRY_VERIFY(openToolTip());
    QCOMPARE(openToolTip()->text(), markup_);
    QVERIFY(!hasRed(openToolTip()->grab().toImage()));
    QToolTip::hideText();
    QTRY_VERIFY(!openToolTip());
  }

  void toolTipsOfItemsDrawMarkupAsText() {
    QListWidget list;
    list.addItem(markup_);
    list.item(0)->setToolTip(markup_);
    list.show();
    QVERIFY(QTest::qWaitForWindowExposed(&list));
    const QPoint middle = list.visualItemRect(list.item(0)).center();
    QVERIFY(!hasRed(list.grab().toImage()));
    QHelpEvent help(QEvent::ToolTip, middle, list.viewport()->mapToGlobal(middle));
    QApplication::sendEvent(list.viewport(), &help);
    QTRY_VERIFY(openToolTip());
    QVERIFY(!hasRed(openToolTip()->grab().toImage()));
    QToolTip::hideText();
    QTRY_VERIFY(!openToolTip());
  }

  void questionsDrawMarkupAsText() {
    QMessageBox box(QMessageBox::Warning, "Delete", markup_);
    box.setInformativeText(markup_);
    box.show();
    QVERIFY(QTest::qWaitForWindowExposed(&box));
    QVERIFY(!hasRed(box.grab().toImage()));
  }

  void noticesDrawMarkupAndMarkControlCharacters() {
    NoticeBar bar;
    bar.resize(600, 80);
    bar.show(LogLevel::kWarning, markup_ + QString::fromUtf8("\x1b[31m\u202e"), {}, {});
    QVERIFY(!hasRed(bar.grab().toImage()));
    QVERIFY2(bar.text().contains(QString::fromUtf8("␛[31m<U+202E>")), qPrintable(bar.text()));
  }

  /// With the smallest value on top the arrow points up: it is thin above and wide below.
  void sortArrowsPointAsPeopleReadThem() {
    const auto widthOfHalves = [](Qt::SortOrder order) {
      QStyleOptionHeader option;
      option.rect = QRect(0, 0, 32, 32);
      option.state = QStyle::State_Enabled;
      // The option that QHeaderView asks with.
      option.sortIndicator =
          order == Qt::AscendingOrder ? QStyleOptionHeader::SortDown : QStyleOptionHeader::SortUp;
      QImage image(32, 32, QImage::Format_ARGB32);
      image.fill(Qt::transparent);
      QPainter painter(&image);
      qApp->style()->drawPrimitive(QStyle::PE_IndicatorHeaderArrow, &option, &painter);
      painter.end();
      QRect drawn;
      for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 32; ++x)
          if (qAlpha(image.pixel(x, y)) > 0) drawn |= QRect(x, y, 1, 1);
      std::pair<int, int> pixels;
      for (int y = drawn.top(); y <= drawn.bottom(); ++y)
        for (int x = drawn.left(); x <= drawn.right(); ++x)
          if (qAlpha(image.pixel(x, y)) > 0)
            ++(2 * y < drawn.top() + drawn.bottom() ? pixels.first : pixels.second);
      return pixels;
    };
    const auto [above, below] = widthOfHalves(Qt::AscendingOrder);
    QVERIFY2(above > 0 && above < below, qPrintable(QString("%1 %2").arg(above).arg(below)));
    const auto [aboveFalling, belowFalling] = widthOfHalves(Qt::DescendingOrder);
    QVERIFY(aboveFalling > belowFalling);
  }

  void hiddenCharactersBecomeVisible_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("shown");
    QTest::newRow("ordinary") << QByteArray("Amélie, Ⅱ 日本") << QString("Amélie, Ⅱ 日本");
    QTest::newRow("line break and tab") << QByteArray("a\n\tb") << QString("a\n\tb");
    QTest::newRow("escape") << QByteArray("a\x1b]0;t\x07") << QString("a␛]0;t␇");
    QTest::newRow("carriage return") << QByteArray("a\rb") << QString("a␍b");
    QTest::newRow("delete") << QByteArray("a\x7f") << QString("a␡");
    QTest::newRow("C1") << QByteArray("a\xc2\x9b") << QString("a<U+009B>");
    QTest::newRow("right-to-left override") << QByteArray("a\xe2\x80\xae") << QString("a<U+202E>");
    QTest::newRow("isolate") << QByteArray("\xe2\x81\xa6z") << QString("<U+2066>z");
    QTest::newRow("byte order mark") << QByteArray("a\xef\xbb\xbf") << QString("a<U+FEFF>");
    QTest::newRow("joiner of a word") << QByteArray("\xd9\x85\xe2\x80\x8c") << QString("م\u200c");
    QTest::newRow("invalid UTF-8") << QByteArray("a\xff") << QString("a\ufffd");
  }
  void hiddenCharactersBecomeVisible() {
    QFETCH(QByteArray, text);
    QFETCH(QString, shown);
    QCOMPARE(shownText(std::string_view(text.constData(), std::size_t(text.size()))), shown);
  }

  void titlesAreShownMarkedAndExportedAsTheyAre() {
    const std::string title = "Alien\x1b[2J\u202egpj";
    retrieval::Recommendation list;
    list.items.push_back({.id = "7", .title = title});
    RecommendationModel model;
    model.setList(list, {});
    const QModelIndex cell = model.index(0, RecommendationModel::kTitle);
    const QString marked = QString::fromUtf8("Alien␛[2J<U+202E>gpj");
    QCOMPARE(cell.data().toString(), marked);
    QVERIFY(cell.data(Qt::ToolTipRole).toString().startsWith(marked));
    QCOMPARE(cell.data(Qt::EditRole).toString().toStdString(), title);
  }

  void namesOfRunsAreShownMarkedAndEditedAsTheyAre() {
    const std::string name = "run\u202e\x07";
    RunRow row;
    row.record.id = "0123abcd";
    row.record.name = name;
    RunsModel model;
    model.setRows({row});
    const QModelIndex cell = model.index(0, RunsModel::kName);
    QCOMPARE(cell.data().toString(), QString::fromUtf8("run<U+202E>␇"));
    QCOMPARE(cell.data(Qt::EditRole).toString().toStdString(), name);
  }
};

QTEST_MAIN(PlainTextTest)
#include "plain_text_test.moc"
