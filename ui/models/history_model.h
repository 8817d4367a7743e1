// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// What one user did, newest first where times are known, and which part of the split each row fell into.
class HistoryModel : public RowsModel<retrieval::HistoryItem> {
  Q_OBJECT

 public:
  enum Column { kTitle, kLabel, kPart, kTime, kColumnCount };
  enum Role { kItemIdRole = Qt::UserRole + 1 };
  explicit HistoryModel(QObject* parent = nullptr);

  void setHistory(std::vector<retrieval::HistoryItem> history) { replaceRows(std::move(history)); }
  /// Whether a time of it is known.
  [[nodiscard]] bool hasTimes() const {
    return std::ranges::any_of(rows(), [](const auto& item) { return item.time != 0; });
  }

 protected:
  [[nodiscard]] QVariant more(const retrieval::HistoryItem& item, int column,
                              int role) const override;
};

}  // namespace parapet::ui
