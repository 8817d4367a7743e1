// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>

#include "ui/controllers/side_files.h"
#include "ui/forms/document_table.h"
#include "ui/forms/field.h"
#include "ui/models/data_models.h"

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

/// Files beside the data: catalogues of titles and attributes, and pretrained embeddings. What lies
/// in the folder of the data is offered.
class SideFilesPanel : public QWidget {
  Q_OBJECT

 public:
  SideFilesPanel(ExperimentEditor& editor, SideFiles& files, QWidget* parent = nullptr);
  [[nodiscard]] DocumentTable& catalogues() const { return *catalogues_; }
  [[nodiscard]] DocumentTable& vectors() const { return *vectors_; }

 private:
  /// Asks for a file for one of the lists.
  void ask(const QString& title, const QString& filter, void (SideFiles::*add)(const QString&));
  void showRefusal(const Error* error);

  ExperimentEditor& editor_;
  SideFiles& files_;
  FindingsLabel* refusal_;
  DocumentTable* catalogues_;
  DocumentTable* vectors_;
};

}  // namespace parapet::ui
