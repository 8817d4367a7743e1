// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "engine/workspace/masked_model.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// A piece that a head of an attention layer reads.
struct ReadPiece {
  std::int64_t position = 0;  ///< among the pieces of the text
  std::string piece;
  double probability = 0.0;
};

/// The pieces that a piece of a text reads, most first.
class ReadPiecesModel : public RowsModel<ReadPiece> {
  Q_OBJECT

 public:
  enum Column { kPosition, kPiece, kProbability, kColumnCount };
  explicit ReadPiecesModel(QObject* parent = nullptr);

  /// `reader`: row of the map; −1: none.
  void setMap(const workspace::AttentionMap& map, int reader);
};

/// A piece that may stand at a masked position.
struct FilledPiece {
  std::int64_t position = 0;  ///< among the pieces of the text
  int rank = 1;
  workspace::PieceGuess guess;
  QString masked{};  ///< the word that the mask hides; "" where [MASK] was typed
};

/// The most probable pieces of every masked position of a text.
class FilledPiecesModel : public RowsModel<FilledPiece> {
  Q_OBJECT

 public:
  enum Column { kPosition, kMasked, kRank, kPiece, kProbability, kColumnCount };
  explicit FilledPiecesModel(QObject* parent = nullptr);

  /// `masked`: the word that each mask hides, in order; "" for one that was typed.
  void setText(const workspace::FilledText& text, const QStringList& masked);
};

}  // namespace parapet::ui
