// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/workspace/source_questions.h"

namespace parapet::ui {

/// The first rows of a source, as it has them; replaced as a whole. A cell without a value is an
/// empty one that says so to readers who do not see it.
class PreviewModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  void setPreview(workspace::SourcePreview preview);
  [[nodiscard]] const workspace::SourcePreview& preview() const { return preview_; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

 private:
  workspace::SourcePreview preview_;
};

}  // namespace parapet::ui
