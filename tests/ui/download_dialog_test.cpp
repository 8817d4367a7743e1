// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/download_dialog.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/data/ingest/file_server.h"

using namespace parapet;
using namespace parapet::ui;
using test::FileServer;

/// Clicks through downloads from a server on 127.0.0.1.
class DownloadDialogTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    server_ = std::make_unique<FileServer>();
    server_->serve("/movies.zip", {body_});
    data::KnownDataset set{"movies", "Some movies", server_->url("/movies.zip"), "movies.zip"};
    set.checksum = data::Checksum{data::ChecksumKind::kMd5, kMd5};
    set.licence = "For research & <nothing> else.";
    set.licenceUrl = "https://example.org/licence";
    set.source = experiment::SourceKind::kMovielens;
    known_ = {set};
    dialog_ = std::make_unique<DownloadDialog>(folder_->path(), nullptr, known_);
    dialog_->show();
  }

  void theLicenceIsAcceptedFirst() {
    QVERIFY(label("Licence")->text().contains("&lt;nothing&gt; else."));
    QVERIFY(label("Licence")->text().contains("https://example.org/licence"));
    QVERIFY(!button("Download")->isEnabled());
    find<QCheckBox>("I accept these conditions")->click();
    QVERIFY(button("Download")->isEnabled());
    QVERIFY(server_->requests().empty());
    // Another choice asks again.
    list()->setCurrentRow(1);
    list()->setCurrentRow(0);
    QVERIFY(!button("Download")->isEnabled());
  }

  void aKnownSetArrives() {
    QSignalSpy arrived(dialog_.get(), &DownloadDialog::downloaded);
    find<QCheckBox>("I accept these conditions")->click();
    button("Download")->click();
    QVERIFY(dialog_->running());
    QVERIFY(!list()->isEnabled());
    QVERIFY(QTest::qWaitFor([&] { return arrived.size() == 1; }, 30'000));
    QCOMPARE(arrived[0][0].toString(), folder_->filePath("movies.zip"));
    QCOMPARE(content("movies.zip"), body_);
    QVERIFY(!dialog_->isVisible());
    QVERIFY2(dialog_->status().contains("verified"), qPrintable(dialog_->status()));
  }

  void cancelKeepsThePartAndResumeGoesOn() {
    server_->serve("/movies.zip", {.body = body_, .stopAfter = 50'000, .stall = true});
    QSignalSpy arrived(dialog_.get(), &DownloadDialog::downloaded);
    find<QCheckBox>("I accept these conditions")->click();
    button("Download")->click();
    QVERIFY(QTest::qWaitFor(
        [&] { return QFile(folder_->filePath("movies.zip.part")).size() == 50'000; }, 30'000));
    button("Cancel")->click();
    QVERIFY(QTest::qWaitFor([&] { return !dialog_->running(); }, 30'000));
    QVERIFY2(dialog_->status().contains("goes on from them"), qPrintable(dialog_->status()));
    QVERIFY(!button("Download"));
    QVERIFY(button("Resume")->isEnabled());
    server_->serve("/movies.zip", {body_});
    button("Resume")->click();
    QVERIFY(QTest::qWaitFor([&] { return arrived.size() == 1; }, 30'000));
    QCOMPARE(server_->requests().back().range, std::string("bytes=50000-"));
    QCOMPARE(content("movies.zip"), body_);
  }

  void anotherAddressIsCheckedAsItIsTyped() {
    list()->setCurrentRow(1);
    QVERIFY(!button("Download")->isEnabled());
    auto* address = find<QLineEdit>("Address of the file");
    QTest::keyClicks(address, "file:///etc/passwd");
    QVERIFY(!button("Download")->isEnabled());
    QVERIFY(label("Where the file goes")->text().contains("https://"));
    address->setText(QString::fromStdString(server_->url("/ratings.csv")));
    QVERIFY(button("Download")->isEnabled());
    auto* checksum = find<QLineEdit>("Checksum of the file");
    checksum->setText("md5:1");
    QVERIFY(!button("Download")->isEnabled());
    checksum->setText("md5:00000000000000000000000000000000");
    QVERIFY(button("Download")->isEnabled());
  }

  void failuresAreSaidAndCanBeTriedAgain() {
    QSignalSpy arrived(dialog_.get(), &DownloadDialog::downloaded);
    list()->setCurrentRow(1);
    find<QLineEdit>("Address of the file")
        ->setText(QString::fromStdString(server_->url("/ratings.csv")));
    button("Download")->click();
    QVERIFY(QTest::qWaitFor([&] { return !dialog_->running(); }, 30'000));
    QVERIFY2(dialog_->status().contains("HTTP status 404"), qPrintable(dialog_->status()));
    QVERIFY(dialog_->isVisible());
    server_->serve("/ratings.csv", {"1,2,3\n"});
    button("Download")->click();
    QVERIFY(QTest::qWaitFor([&] { return arrived.size() == 1; }, 30'000));
    QCOMPARE(arrived[0][0].toString(), folder_->filePath("ratings.csv"));
  }

  void closingStopsADownload() {
    server_->serve("/movies.zip", {.body = body_, .stopAfter = 1000, .stall = true});
    find<QCheckBox>("I accept these conditions")->click();
    button("Download")->click();
    button("Close")->click();
    QVERIFY(!dialog_->isVisible());
    QVERIFY(QTest::qWaitFor([&] { return !dialog_->running(); }, 30'000));
  }

  void everyControlTellsItsNameAndEffect() {
    for (int row = 0; row < 2; ++row) {
      list()->setCurrentRow(row);
      for (auto* control : dialog_->findChildren<QWidget*>()) {
        const bool input = qobject_cast<QAbstractButton*>(control) ||
                           qobject_cast<QLineEdit*>(control) || control == list();
        if (!input || !control->isVisible()) continue;
        QVERIFY2(!control->accessibleName().isEmpty(), control->metaObject()->className());
        QVERIFY2(!control->toolTip().isEmpty(), qPrintable(control->accessibleName()));
      }
    }
  }

 private:
  template <class Widget>
  [[nodiscard]] Widget* find(const QString& name) const {
    for (auto* widget : dialog_->findChildren<Widget*>())
      if (widget->accessibleName() == name) return widget;
    return nullptr;
  }
  [[nodiscard]] QPushButton* button(const QString& name) const { return find<QPushButton>(name); }
  [[nodiscard]] QLabel* label(const QString& name) const { return find<QLabel>(name); }
  [[nodiscard]] QListWidget* list() const { return find<QListWidget>("Data sets"); }
  [[nodiscard]] std::string content(const QString& name) const {
    QFile file(folder_->filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : "unreadable";
  }

  static constexpr const char* kMd5 = "1bcbd655125f93594c930fe0deb88129";
  const std::string body_ = std::string(200'000, 'm');
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<FileServer> server_;
  std::vector<data::KnownDataset> known_;
  std::unique_ptr<DownloadDialog> dialog_;
};

QTEST_MAIN(DownloadDialogTest)
#include "download_dialog_test.moc"
