// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/device_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/plugin_library.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

using selftest::DeviceReport;
using selftest::Speed;
using workspace::DeviceInfo;

const QString kUnknown = QStringLiteral("–");

bool isNumber(int column) {
  return column >= DeviceModel::kMemory;
}

/// The number of a column that a self-test fills; nullopt where it has none.
std::optional<double> measured(const DeviceReport* report, int column) {
  if (!report) return std::nullopt;
  if (column == DeviceModel::kError) return report->maxErrorUnits();
  if (!report->speed) return std::nullopt;
  switch (column) {
    case DeviceModel::kGather:
      return report->speed->gatherBytesPerSecond / 1e9;
    case DeviceModel::kCopy:
      return report->speed->copyBytesPerSecond / 1e9;
    case DeviceModel::kMatmul:
      return report->speed->matmulFlopsPerSecond / 1e9;
    default:
      return std::nullopt;
  }
}

QString shown(std::optional<double> number) {
  if (!number) return kUnknown;
  return std::isfinite(*number) ? QString::number(*number, 'f', 1) : DeviceModel::tr("failed");
}

nlohmann::ordered_json numberOrNull(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return nullptr;
  return *number;
}

}  // namespace

void DeviceModel::setDevices(std::vector<DeviceInfo> devices) {
  beginResetModel();
  devices_ = std::move(devices);
  endResetModel();
}

void DeviceModel::setReport(DeviceReport report) {
  const auto device = std::ranges::find(devices_, report.device, &DeviceInfo::name);
  std::string name = report.device;
  reports_.insert_or_assign(std::move(name), std::move(report));
  if (device == devices_.end()) return;
  const int row = static_cast<int>(device - devices_.begin());
  emit dataChanged(index(row, 0), index(row, kColumnCount - 1));
}

int DeviceModel::usable() const {
  return static_cast<int>(std::ranges::count_if(devices_, &DeviceInfo::usable));
}

bool DeviceModel::hasCrashed() const {
  return std::ranges::any_of(devices_, &DeviceInfo::crashed);
}

int DeviceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(devices_.size());
}

int DeviceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

const DeviceReport* DeviceModel::reportOf(const DeviceInfo& device) const {
  const auto found = reports_.find(device.name);
  return found == reports_.end() ? nullptr : &found->second;
}

DeviceModel::Health DeviceModel::healthOf(const DeviceInfo& device) const {
  const DeviceReport* report = reportOf(device);
  if (device.fault || (report && !report->passed())) return Health::kBad;
  const bool works = device.usable || device.outcome == pluginOutcomeName(PluginOutcome::kLoaded);
  return works ? Health::kGood : Health::kCareful;
}

QString DeviceModel::text(const DeviceInfo& device, int column) const {
  const DeviceReport* report = reportOf(device);
  switch (column) {
    case kName:
      return QString::fromStdString(device.name);
    case kInstructionSet:
      return device.instructionSet.empty() ? kUnknown
                                           : QString::fromStdString(device.instructionSet);
    case kOutcome:
      return QString::fromStdString(device.outcome);
    case kMemory:
      return device.memoryBytes == 0 ? kUnknown
                                     : QString::fromStdString(formatBytes(device.memoryBytes));
    case kSelfTest:
      if (!report) return device.usable ? tr("not tested") : kUnknown;
      return report->passed()
                 ? tr("%1 passed").arg(QString::fromStdString(formatCount(report->cases)))
                 : tr("%1 of %2 failed")
                       .arg(report->failures.size())
                       .arg(QString::fromStdString(formatCount(report->cases)));
    case kReason:
      return device.reason.empty() ? tr("Ready to train") : shownText(device.reason);
    default:
      return shown(measured(report, column));
  }
}

QString DeviceModel::toolTip(const DeviceInfo& device, int column) const {
  switch (column) {
    case kName:
      return QString::fromStdString(device.plugin.empty() ? device.name : device.plugin);
    case kError:
      return tr(
          "Largest error of any operation against its double-precision reference, in units "
          "of rounding (2⁻²⁴ of the terms)");
    case kGather:
      return tr("Rows of 64 elements gathered at random from 128 MiB and written in order");
    case kCopy:
      return tr("64 MiB read and written in order");
    case kMatmul:
      return tr("Matrix products of 512 × 512");
    default:
      return text(device, column);
  }
}

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const DeviceInfo& device = devices_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return text(device, column);
    case Qt::ToolTipRole:
      return toolTip(device, column);
    case Qt::TextAlignmentRole:
      return isNumber(column) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case kHealthRole:
      return QVariant::fromValue(healthOf(device));
    case kSortRole:
      if (column == kMemory) return static_cast<qulonglong>(device.memoryBytes);
      if (isNumber(column)) return measured(reportOf(device), column).value_or(-1.0);
      return text(device, column);
    default:
      return {};
  }
}

QVariant DeviceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return isNumber(section) ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                             : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Device");
    case kInstructionSet:
      return tr("Instruction set");
    case kOutcome:
      return tr("Outcome");
    case kMemory:
      return tr("Memory");
    case kSelfTest:
      return tr("Self-test");
    case kError:
      return tr("Error [2⁻²⁴]");
    case kGather:
      return tr("Gather [GB/s]");
    case kCopy:
      return tr("Copy [GB/s]");
    case kReason:
      return tr("Reason");
    default:
      return tr("GEMM [GFLOP/s]");
  }
}

QString DeviceModel::asCsv() const {
  QString out = QStringLiteral(
      "name,kind,instruction_set,outcome,memory_bytes,plugin,reason,failed,max_error_units,"
      "gather_gb_per_second,copy_gb_per_second,matmul_gflops\n");
  for (const DeviceInfo& device : devices_) {
    const DeviceReport* report = reportOf(device);
    QStringList cells;
    for (const std::string& cell :
         {device.name, device.kind, device.instructionSet, device.outcome,
          std::to_string(device.memoryBytes), device.plugin, device.reason})
      cells.append(QString::fromStdString(csvField(cell)));
    cells.append(report ? QString::number(report->failures.size()) : QString());
    for (const int column : {kError, kGather, kCopy, kMatmul}) {
      const auto number = measured(report, column);
      cells.append(number && std::isfinite(*number) ? QString::number(*number) : QString());
    }
    out += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
  }
  return out;
}

QString DeviceModel::asJson() const {
  using Json = nlohmann::ordered_json;
  Json out = Json::array();
  for (const DeviceInfo& device : devices_) {
    const DeviceReport* report = reportOf(device);
    out.push_back({{"name", device.name},
                   {"kind", device.kind},
                   {"instruction_set", device.instructionSet},
                   {"plugin", device.plugin},
                   {"outcome", device.outcome},
                   {"reason", device.reason},
                   {"memory_bytes", device.memoryBytes == 0 ? Json() : Json(device.memoryBytes)},
                   {"failed", report ? Json(report->failures.size()) : Json()},
                   {"max_error_units", numberOrNull(measured(report, kError))},
                   {"gather_gb_per_second", numberOrNull(measured(report, kGather))},
                   {"copy_gb_per_second", numberOrNull(measured(report, kCopy))},
                   {"matmul_gflops", numberOrNull(measured(report, kMatmul))}});
  }
  return QString::fromStdString(out.dump(2)) + QLatin1Char('\n');
}

}  // namespace parapet::ui
