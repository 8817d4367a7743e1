// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/preview_model.h"

#include <QBrush>
#include <QGuiApplication>
#include <QPalette>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {

void PreviewModel::setPreview(workspace::SourcePreview preview) {
  beginResetModel();
  preview_ = std::move(preview);
  endResetModel();
}

int PreviewModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(preview_.rows.size());
}

int PreviewModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(preview_.columns.size());
}

QVariant PreviewModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto column = static_cast<std::size_t>(index.column());
  const workspace::SourcePreview::Cell& cell =
      preview_.rows[static_cast<std::size_t>(index.row())][column];
  const workspace::SourceColumn& about = preview_.columns[column];
  switch (role) {
    case Qt::DisplayRole:
      return cell ? shownText(*cell) : QStringLiteral("∅");
    case Qt::EditRole:
      return cell ? QString::fromStdString(*cell) : QString();
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return cell ? shownText(*cell) : tr("no value");
    case Qt::ForegroundRole:
      return cell ? QVariant() : QVariant(QGuiApplication::palette().placeholderText());
    case Qt::TextAlignmentRole: {
      const bool number = about.type != workspace::ValueType::kText && !about.isList;
      return QVariant::fromValue(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }
    default:
      return {};
  }
}

QVariant PreviewModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical)
    return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  if (section < 0 || section >= columnCount()) return {};
  const auto at = static_cast<std::size_t>(section);
  const workspace::SourceColumn& column = preview_.columns[at];
  const QString name = QString::fromStdString(column.name);
  const QString type = QString::fromStdString(workspace::typeName(column));
  if (role == Qt::DisplayRole) return name;
  if (role == Qt::UserRole) {
    const std::string of = at < preview_.describes.size() ? preview_.describes[at] : std::string();
    if (at >= preview_.sourceColumns) return tr("%1, derived").arg(type);
    return of.empty()     ? type
           : of == "item" ? tr("%1, of the item").arg(type)
                          : tr("%1, of the user").arg(type);
  }
  if (role == Qt::ToolTipRole)
    return tr("%1: %2").arg(shownText(name),
                            headerData(section, orientation, Qt::UserRole).toString());
  return {};
}

}  // namespace parapet::ui
