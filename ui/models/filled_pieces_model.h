// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/workspace/masked_model.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// A piece that may stand at a masked position.
struct FilledPiece {
  std::int64_t position = 0;  ///< among the pieces of the text
  int rank = 1;
  workspace::PieceGuess guess;
};

/// The most probable pieces of every masked position of a text.
class FilledPiecesModel : public RowsModel<FilledPiece> {
  Q_OBJECT

 public:
  enum Column { kPosition, kRank, kPiece, kProbability, kColumnCount };
  explicit FilledPiecesModel(QObject* parent = nullptr);

  void setText(const workspace::FilledText& text);
};

}  // namespace parapet::ui
