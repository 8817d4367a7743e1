// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/device_model.h"

#include <algorithm>

#include "engine/base/text.h"

namespace parapet::ui {
namespace {

bool isLoaded(const workspace::DeviceInfo& device) {
  return device.outcome == "loaded";
}

QString csvField(QString text) {
  if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"'))) return text;
  return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) +
         QLatin1Char('"');
}

}  // namespace

void DeviceModel::setDevices(std::vector<workspace::DeviceInfo> devices) {
  beginResetModel();
  devices_ = std::move(devices);
  endResetModel();
}

int DeviceModel::loaded() const {
  return static_cast<int>(std::ranges::count_if(devices_, isLoaded));
}

int DeviceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(devices_.size());
}

int DeviceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant DeviceModel::text(const workspace::DeviceInfo& device, int column) const {
  switch (column) {
    case kName:
      return QString::fromStdString(device.name);
    case kKind:
      return QString::fromStdString(device.kind);
    case kOutcome:
      return QString::fromStdString(device.outcome);
    case kMemory:
      return device.memoryBytes == 0 ? QStringLiteral("–")
                                     : QString::fromStdString(formatBytes(device.memoryBytes));
    case kPlugin:
      return QString::fromStdString(device.plugin);
    default:
      return device.reason.empty() ? tr("Ready to train") : QString::fromStdString(device.reason);
  }
}

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const workspace::DeviceInfo& device = devices_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return text(device, index.column());
    case Qt::TextAlignmentRole:
      return index.column() == kMemory ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case kLoadedRole:
      return isLoaded(device);
    case kSortRole:
      if (index.column() == kMemory) return static_cast<qulonglong>(device.memoryBytes);
      return text(device, index.column());
    default:
      return {};
  }
}

QVariant DeviceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section == kMemory ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                              : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Device");
    case kKind:
      return tr("Kind");
    case kOutcome:
      return tr("Outcome");
    case kMemory:
      return tr("Memory");
    case kPlugin:
      return tr("Plugin");
    default:
      return tr("Reason");
  }
}

QString DeviceModel::asCsv() const {
  QString out = QStringLiteral("name,kind,outcome,memory_bytes,plugin,reason\n");
  for (const workspace::DeviceInfo& device : devices_) {
    QStringList cells;
    for (const std::string& cell :
         {device.name, device.kind, device.outcome, std::to_string(device.memoryBytes),
          device.plugin, device.reason})
      cells.append(csvField(QString::fromStdString(cell)));
    out += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
  }
  return out;
}

QString DeviceModel::asJson() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const workspace::DeviceInfo& device : devices_)
    out.push_back(
        {{"name", device.name},
         {"kind", device.kind},
         {"plugin", device.plugin},
         {"outcome", device.outcome},
         {"reason", device.reason},
         {"memory_bytes", device.memoryBytes == 0 ? nlohmann::ordered_json()
                                                  : nlohmann::ordered_json(device.memoryBytes)}});
  return QString::fromStdString(out.dump(2)) + QLatin1Char('\n');
}

}  // namespace parapet::ui
