// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QList>
#include <QString>
#include <QVBoxLayout>
#include <QWidget>

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

}  // namespace parapet::ui
