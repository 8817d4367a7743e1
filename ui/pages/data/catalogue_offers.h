// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>

#include "ui/controllers/side_files.h"

namespace parapet::ui {

/// A line for each file beside the data that tells titles or attributes, with the button that adds
/// it. Hidden while there is none.
class CatalogueOffers : public QWidget {
  Q_OBJECT

 public:
  explicit CatalogueOffers(SideFiles& files, QWidget* parent = nullptr);
  [[nodiscard]] const QList<QPushButton*>& buttons() const { return buttons_; }

 private:
  void follow();
  void addLine(int offer);

  SideFiles& files_;
  QVBoxLayout* lines_;
  QList<QWidget*> shown_;
  QList<QPushButton*> buttons_;
};

}  // namespace parapet::ui
