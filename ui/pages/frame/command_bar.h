// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QLineEdit>
#include <QList>
#include <QString>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>
#include <filesystem>

#include "ui/pages/page.h"

namespace parapet::ui {

/// The pages at the left of the window, icon above name; one is the current one.
class PageBar : public QWidget {
  Q_OBJECT

 public:
  explicit PageBar(QWidget* parent = nullptr);
  /// The n-th page gets Ctrl+n. Returns the action that shows it.
  QAction* addPage(const QString& name, const QString& title, const QString& iconName);
  void setCurrent(const QString& name);
  [[nodiscard]] QList<QAction*> pageActions() const { return group_.actions(); }

 signals:
  void pageChosen(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QActionGroup group_{this};
  QVBoxLayout* layout_;
};

/// The terminal command that does what the page shows, ready to be copied.
class CommandBar : public QWidget {
  Q_OBJECT

 public:
  /// `workspace`: the folder in which the commands do the same.
  explicit CommandBar(std::filesystem::path workspace, QWidget* parent = nullptr);
  void setPage(const Page* page);
  [[nodiscard]] QAction* copyAction() const { return copy_; }
  [[nodiscard]] QString command() const { return text_->text(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] QString wholeCommand() const;
  void refresh();
  void copy();

  std::filesystem::path workspace_;
  const Page* page_ = nullptr;
  QLineEdit* text_;
  QAction* copy_;
  QTimer timer_;
};

}  // namespace parapet::ui
