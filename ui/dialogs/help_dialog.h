// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QList>
#include <QListWidget>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QStringList>
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

/// Two columns to read and to search: the shortcuts of the window, or the glossary.
class HelpDialog : public QDialog {
  Q_OBJECT

 public:
  using Entries = QList<std::pair<QString, QString>>;
  HelpDialog(const QString& title, const QStringList& titles, const Entries& entries,
             QWidget* parent = nullptr);

  /// The lines that contain the text; "" for all.
  void search(const QString& text) { filter_->setText(text); }
  [[nodiscard]] const QSortFilterProxyModel& shown() const { return shown_; }

 private:
  QStandardItemModel all_;
  QSortFilterProxyModel shown_;
  QLineEdit* filter_;
};

/// The terms of the field as this program uses them, in the order of the alphabet.
HelpDialog::Entries glossary();

}  // namespace parapet::ui
