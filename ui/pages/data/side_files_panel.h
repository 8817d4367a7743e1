// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/controllers/side_files.h"
#include "ui/forms/document_table.h"
#include "ui/forms/field.h"
#include "ui/models/side_files_model.h"

namespace parapet::ui {

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
