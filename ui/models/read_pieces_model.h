// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/workspace/masked_model.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// A piece that a head of an attention layer reads.
struct ReadPiece {
  std::int64_t position = 0;  ///< among the pieces of the text
  std::string piece;
  double probability = 0.0;
};

/// What a piece of a text reads, most first.
class ReadPiecesModel : public RowsModel<ReadPiece> {
  Q_OBJECT

 public:
  enum Column { kPosition, kPiece, kProbability, kColumnCount };
  explicit ReadPiecesModel(QObject* parent = nullptr);

  /// `reader`: row of the map; −1: none.
  void setMap(const workspace::AttentionMap& map, int reader);
};

}  // namespace parapet::ui
