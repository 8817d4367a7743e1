// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QPushButton>
#include <QWidget>

namespace parapet::ui {

/// Shows where to drop a file or a folder; the same by buttons. What is dropped anywhere on the
/// window counts too.
class DropArea : public QWidget {
  Q_OBJECT

 public:
  /// What it asks for.
  struct Wanted {
    QString sentence;
    QString file, fileTip, fileFilter;  ///< "Open an experiment", …, "Experiments (*.json)"
    QString folder, folderTip;
  };
  explicit DropArea(Wanted wanted, QWidget* parent = nullptr);
  void askForFile();
  void askForFolder();
  /// One more way to get at data, beside the two.
  void addButton(QPushButton* button);

 signals:
  void chosen(const QString& path);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QHBoxLayout* buttons_;
  Wanted wanted_;
};

}  // namespace parapet::ui
