// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/filled_pieces_model.h"

namespace parapet::ui {

FilledPiecesModel::FilledPiecesModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = tr("Position"),
       .fileKey = "position",
       .tip = tr("Among the pieces of the text; [CLS] is 0"),
       .alignment = Qt::AlignRight,
       .value = [](const FilledPiece& of, int) { return QVariant::fromValue(of.position); }},
      {.title = QStringLiteral("#"),
       .fileKey = "rank",
       .alignment = Qt::AlignRight,
       .value = [](const FilledPiece& of, int) { return QVariant(of.rank); }},
      {.title = tr("Piece"),
       .fileKey = "piece",
       .text = [](const FilledPiece& of, int) { return QString::fromStdString(of.guess.piece); }},
      {.title = tr("Probability"),
       .fileKey = "probability",
       .alignment = Qt::AlignRight,
       .text = [](const FilledPiece& of,
                  int) { return QString::number(of.guess.probability, 'f', 4); },
       .value = [](const FilledPiece& of, int) { return QVariant(of.guess.probability); }},
  });
}

void FilledPiecesModel::setText(const workspace::FilledText& text) {
  std::vector<FilledPiece> rows;
  for (const workspace::MaskedPosition& masked : text.masked)
    for (std::size_t rank = 0; rank < masked.pieces.size(); ++rank)
      rows.push_back({masked.position, static_cast<int>(rank) + 1, masked.pieces[rank]});
  replaceRows(std::move(rows));
}

}  // namespace parapet::ui
