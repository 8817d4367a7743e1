// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/read_pieces_model.h"

#include <algorithm>

namespace parapet::ui {

ReadPiecesModel::ReadPiecesModel(QObject* parent) : RowsModel(parent) {
  const auto pieceText = [](const ReadPiece& of, int) { return QString::fromStdString(of.piece); };
  setColumns({
      {.title = tr("Position"),
       .fileKey = "position",
       .tip = tr("Among the pieces of the text; [CLS] is 0"),
       .alignment = Qt::AlignRight,
       .value = [](const ReadPiece& of, int) { return QVariant::fromValue(of.position); }},
      {.title = tr("Piece that is read"),
       .fileKey = "piece",
       .tip = tr("Piece that is read"),
       .text = pieceText,
       .toolTip = pieceText},
      {.title = tr("Probability"),
       .fileKey = "probability",
       .alignment = Qt::AlignRight,
       .text = [](const ReadPiece& of, int) { return QString::number(of.probability, 'f', 4); },
       .value = [](const ReadPiece& of, int) { return QVariant(of.probability); }},
  });
}

void ReadPiecesModel::setMap(const workspace::AttentionMap& map, int reader) {
  std::vector<ReadPiece> rows;
  for (std::size_t read = 0; reader >= 0 && read < map.pieces.size(); ++read)
    rows.push_back({static_cast<std::int64_t>(read), map.pieces[read],
                    map.at(static_cast<std::size_t>(reader), read)});
  std::ranges::stable_sort(rows, std::greater(), &ReadPiece::probability);
  replaceRows(std::move(rows));
}

}  // namespace parapet::ui
