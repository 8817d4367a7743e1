// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QListWidget>
#include <QTextBrowser>
#include <QUrl>
#include <utility>

namespace parapet::ui {

/// The documents of docs/, which are part of the program: a list, and the chosen one to read. Links
/// between them lead on inside the dialog, others to the web browser.
class DocumentDialog : public QDialog {
  Q_OBJECT

 public:
  explicit DocumentDialog(QWidget* parent = nullptr);

  /// Name and title, "data.md" and "Data", in the order in which they are read.
  static QList<std::pair<QString, QString>> documents();
  /// Shows a document; `part`: a heading in it as links name it, "tables-and-features", or "".
  void showDocument(const QString& name, const QString& part = {});

  [[nodiscard]] const QTextBrowser& text() const { return *text_; }
  [[nodiscard]] QString current() const;

 private:
  void load(const QString& name);
  void follow(const QUrl& link);

  QListWidget* list_;
  QTextBrowser* text_;
};

}  // namespace parapet::ui
