// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QList>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QStringList>
#include <utility>

namespace parapet::ui {

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
