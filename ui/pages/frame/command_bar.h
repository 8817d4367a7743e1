// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLineEdit>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <filesystem>

#include "ui/pages/page.h"

namespace parapet::ui {

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
