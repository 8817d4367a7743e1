// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/lanes_model.h"

#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

QString percent(double share) {
  return fixedText(100.0 * share, 1);
}

}  // namespace

void LanesModel::setDevices(const QStringList& devices) {
  if (devices_ == devices) return;
  devices_ = devices;
  if (rowCount() > 0) emit dataChanged(index(0, kDevice), index(rowCount() - 1, kDevice));
}

void LanesModel::setTimeUse(const experiment::TimeUse& use) {
  auto lanes = experiment::laneShares(use);
  const int before = rowCount(), after = static_cast<int>(lanes.size());
  if (after < before) {
    beginRemoveRows({}, after, before - 1);
    lanes_.resize(lanes.size());
    endRemoveRows();
  } else if (after > before) {
    beginInsertRows({}, before, after - 1);
    lanes_.resize(lanes.size());
    endInsertRows();
  }
  lanes_ = std::move(lanes);
  if (after > 0) emit dataChanged(index(0, kFirstPart), index(after - 1, kColumnCount - 1));
}

double LanesModel::share(int rank, int part) const {
  const experiment::LaneShares& lane = lanes_[static_cast<std::size_t>(rank)];
  switch (part) {
    case kCompute:
      return lane.compute;
    case kExchange:
      return lane.exchange;
    case kUpdate:
      return lane.update;
    case kInput:
      return lane.input;
    default:
      return lane.waiting;
  }
}

QString LanesModel::partName(int part) {
  switch (part) {
    case kCompute:
      return tr("Compute");
    case kExchange:
      return tr("Exchange");
    case kUpdate:
      return tr("Update");
    case kInput:
      return tr("Input wait");
    default:
      return tr("Waiting");
  }
}

QString LanesModel::partMeaning(int part) {
  switch (part) {
    case kCompute:
      return tr("Forward and backward pass over the examples of this device");
    case kExchange:
      return tr("Gradients summed and embedding rows exchanged over the devices");
    case kUpdate:
      return tr("Gradients of the same row summed and applied by the optimizer");
    case kInput:
      return tr("The next batch was not ready");
    default:
      return tr(
          "Waiting for the other devices, which share the cores, and between the parts of a step");
  }
}

QString LanesModel::deviceName(int rank) const {
  return rank < devices_.size() ? devices_.at(rank) : tr("rank %1").arg(rank);
}

QString LanesModel::sentence(int rank) const {
  QStringList parts;
  for (int part = kFirstPart; part < kColumnCount; ++part)
    parts << tr("%1 %2 %").arg(partName(part).toLower(), percent(share(rank, part)));
  return tr("Rank %1, %2: %3").arg(rank).arg(deviceName(rank), parts.join(QStringLiteral(", ")));
}

int LanesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lanes_.size());
}

int LanesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant LanesModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const int column = index.column();
  if (role == Qt::TextAlignmentRole && column != kDevice)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && column >= kFirstPart) return partMeaning(column);
  if (role == Qt::AccessibleTextRole && column == kRank) return sentence(index.row());
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  if (column == kRank) return index.row();
  if (column == kDevice) return deviceName(index.row());
  const double value = share(index.row(), column);
  return role == Qt::EditRole ? QVariant(value) : QVariant(percent(value));
}

QVariant LanesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == Qt::TextAlignmentRole && section != kDevice)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && section >= kFirstPart) return partMeaning(section);
  if (role != Qt::DisplayRole) return {};
  if (section == kRank) return tr("Rank");
  if (section == kDevice) return tr("Device");
  return tr("%1 [%]").arg(partName(section));
}

}  // namespace parapet::ui
