// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QPushButton>
#include <QString>
#include <QWidget>
#include <functional>

namespace parapet::ui {

/// The texts of a dialog for files.
struct FileQuestion {
  QString title;
  QString filter;  ///< "Tables (*.csv *.parquet);;All files (*)"
  QString folder;  ///< where it begins; "": where the last one was
};

/// Asks for a file that is there; `take` gets its path while `context` lives.
void chooseFile(QWidget* parent, const FileQuestion& question, QObject* context,
                std::function<void(const QString&)> take);

/// Tables that may lie beside the data, with arrays of vectors or without.
QString tableFilter();
QString vectorFilter();

/// Shows where to drop a file or a folder; the same by buttons. What is dropped anywhere on the
/// window counts too.
class DropArea : public QWidget {
  Q_OBJECT

 public:
  /// The kind of file that is asked for.
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
