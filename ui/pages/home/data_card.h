// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>

#include "ui/forms/card.h"
#include "ui/models/data_sources.h"

namespace parapet::ui {

class DropArea;

/// One's own data: where to drop them, Open…, Download…, and those that the workspace has used.
class DataCard : public Card {
  Q_OBJECT

 public:
  explicit DataCard(DataSources& sources, QWidget* parent = nullptr);

 signals:
  /// A file or folder of data, or an experiment: as if it had been dropped.
  void chosen(const QString& path);
  void downloadWanted();

 private:
  void fill();

  DataSources& sources_;
  DropArea* drop_;
  QWidget* used_;
  QListWidget* list_;
};

}  // namespace parapet::ui
