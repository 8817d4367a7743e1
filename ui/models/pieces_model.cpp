// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/pieces_model.h"

#include <algorithm>

namespace parapet::ui {

ReadPiecesModel::ReadPiecesModel(QObject* parent) : RowsModel(parent) {
  const auto pieceText = [](const ReadPiece& of, int) { return QString::fromStdString(of.piece); };
  setColumns({
      {.title = tr("Position"),
       .fileKey = "position",
       .tip = tr("Among the tokens of the text; [CLS] is 0"),
       .alignment = Qt::AlignRight,
       .value = [](const ReadPiece& of, int) { return QVariant::fromValue(of.position); }},
      {.title = tr("Token that is read"),
       .fileKey = "piece",
       .tip = tr("Token that is read"),
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

FilledPiecesModel::FilledPiecesModel(QObject* parent) : RowsModel(parent) {
  const auto pieceText = [](const FilledPiece& of, int) {
    return QString::fromStdString(of.guess.piece);
  };
  setColumns({
      {.title = tr("Position"),
       .fileKey = "position",
       .tip = tr("Among the tokens of the text; [CLS] is 0"),
       .alignment = Qt::AlignRight,
       .value = [](const FilledPiece& of, int) { return QVariant::fromValue(of.position); }},
      {.title = tr("Masked"),
       .fileKey = "masked",
       .tip = tr("The word that the mask hides; none where [MASK] was typed"),
       .text = [](const FilledPiece& of, int) { return of.masked; },
       .toolTip = [](const FilledPiece& of, int) { return of.masked; }},
      {.title = QStringLiteral("#"),
       .fileKey = "rank",
       .alignment = Qt::AlignRight,
       .value = [](const FilledPiece& of, int) { return QVariant(of.rank); }},
      {.title = tr("Token"), .fileKey = "piece", .text = pieceText, .toolTip = pieceText},
      {.title = tr("Probability"),
       .fileKey = "probability",
       .alignment = Qt::AlignRight,
       .text = [](const FilledPiece& of,
                  int) { return QString::number(of.guess.probability, 'f', 4); },
       .value = [](const FilledPiece& of, int) { return QVariant(of.guess.probability); }},
  });
}

void FilledPiecesModel::setText(const workspace::FilledText& text, const QStringList& masked) {
  std::vector<FilledPiece> rows;
  for (std::size_t mask = 0; mask < text.masked.size(); ++mask) {
    const workspace::MaskedPosition& at = text.masked[mask];
    const QString word = masked.value(static_cast<qsizetype>(mask));
    for (std::size_t rank = 0; rank < at.pieces.size(); ++rank)
      rows.push_back({at.position, static_cast<int>(rank) + 1, at.pieces[rank], word});
  }
  replaceRows(std::move(rows));
}

}  // namespace parapet::ui
