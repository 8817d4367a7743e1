// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QStackedWidget>
#include <span>

#include "engine/workspace/downloads.h"
#include "ui/bridge/background.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// Fetches a public data set, whose licence has to be accepted first, or a file of the user's own
/// choice. What a stop or a broken connection leaves behind is continued by the next press of the
/// button. Closes by itself once the file is there.
class DownloadDialog : public QDialog {
  Q_OBJECT

 public:
  /// `folder`: where downloads go. `known` is offered and must outlive the dialog.
  explicit DownloadDialog(
      const QString& folder, QWidget* parent = nullptr,
      std::span<const workspace::KnownDataset> known = workspace::knownDatasets());

  [[nodiscard]] bool running() const { return background_.running(); }
  [[nodiscard]] QString status() const { return status_->text(); }

 public slots:
  void reject() override;

 signals:
  /// Data are there and right; not sent for a file that data need beside them.
  void downloaded(const QString& path);

 private:
  QWidget* makeChoice();
  QWidget* makeLicence();
  QWidget* makeAddress();
  QWidget* makeButtons();
  void connectParts();
  /// The one that is selected; null for another address.
  [[nodiscard]] const workspace::KnownDataset* selected() const;
  [[nodiscard]] Result<workspace::DownloadRequest> request() const;
  void showSelected();
  void follow();
  void start();
  void showProgress(const QString& stage, qint64 done, qint64 total);
  void finish(const Result<workspace::DownloadReport>& report);

  const std::filesystem::path folder_;
  const std::span<const workspace::KnownDataset> known_;
  QListWidget* list_;
  QLabel* title_;
  QLabel* facts_;
  QStackedWidget* terms_;
  QLabel* licence_;
  QCheckBox* accept_;
  QLineEdit* address_;
  QLineEdit* checksum_;
  QLabel* place_;
  ThinProgressBar* progress_;
  QLabel* status_;
  QPushButton* download_;
  QPushButton* cancel_;
  QPushButton* close_;
  workspace::TransferMeter meter_;
  Background background_{"download"};
};

}  // namespace parapet::ui
