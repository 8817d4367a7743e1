// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/device_model.h"

#include <QCoreApplication>
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

/// How the engine names what became of a plugin, for lupdate.
[[maybe_unused]] constexpr const char* kOutcomes[] = {
    QT_TRANSLATE_NOOP("Outcome", "loaded"),
    QT_TRANSLATE_NOOP("Outcome", "not chosen"),
    QT_TRANSLATE_NOOP("Outcome", "not installed"),
    QT_TRANSLATE_NOOP("Outcome", "not supported here"),
    QT_TRANSLATE_NOOP("Outcome", "not a shared object"),
    QT_TRANSLATE_NOOP("Outcome", "cannot be loaded"),
    QT_TRANSLATE_NOOP("Outcome", "missing symbol"),
    QT_TRANSLATE_NOOP("Outcome", "wrong ABI"),
    QT_TRANSLATE_NOOP("Outcome", "wrong build tag"),
    QT_TRANSLATE_NOOP("Outcome", "init failed")};

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

DeviceModel::DeviceModel(QObject* parent) : RowsModel(parent) {
  std::vector<RowsColumn<DeviceInfo>> columns{
      {.title = tr("Device"),
       .text = [](const DeviceInfo& of, int) { return QString::fromStdString(of.name); },
       .toolTip =
           [](const DeviceInfo& of, int) {
             return QString::fromStdString(of.plugin.empty() ? of.name : of.plugin);
           }},
      {.title = tr("Instruction set"),
       .text =
           [](const DeviceInfo& of, int) {
             return of.instructionSet.empty() ? kUnknown
                                              : QString::fromStdString(of.instructionSet);
           }},
      {.title = tr("Outcome"),
       .text = [](const DeviceInfo& of,
                  int) { return QCoreApplication::translate("Outcome", of.outcome.c_str()); }},
      {.title = tr("Reason"),
       .text =
           [](const DeviceInfo& of, int) {
             return of.reason.empty() ? tr("Ready to train") : QString::fromStdString(of.reason);
           }},
      {.title = tr("Self-test"),
       .text = [this](const DeviceInfo& of, int) { return selfTestText(of); }},
      {.title = tr("Memory"),
       .alignment = Qt::AlignRight,
       .text =
           [](const DeviceInfo& of, int) {
             return of.memoryBytes == 0 ? kUnknown
                                        : QString::fromStdString(formatBytes(of.memoryBytes));
           },
       .value = [](const DeviceInfo& of,
                   int) { return QVariant(static_cast<qulonglong>(of.memoryBytes)); }}};
  const auto addMeasured = [&](int column, const QString& title, const QString& meaning) {
    columns.push_back(
        {.title = title,
         .tip = meaning,
         .alignment = Qt::AlignRight,
         .text = [this, column](const DeviceInfo& of,
                                int) { return shown(measured(reportOf(of), column)); },
         .value = [this, column](
                      const DeviceInfo& of,
                      int) { return QVariant(measured(reportOf(of), column).value_or(-1.0)); },
         .toolTip = [meaning](const DeviceInfo&, int) { return meaning; }});
  };
  addMeasured(kError, tr("Error [2⁻²⁴]"),
              tr("Largest error of any operation against its double-precision reference, in units "
                 "of rounding (2⁻²⁴ of the terms)"));
  addMeasured(kGather, tr("Gather [GB/s]"),
              tr("Rows of 64 elements gathered at random from 128 MiB and written in order"));
  addMeasured(kCopy, tr("Copy [GB/s]"), tr("64 MiB read and written in order"));
  addMeasured(kMatmul, tr("GEMM [GFLOP/s]"), tr("Matrix products of 512 × 512"));
  for (RowsColumn<DeviceInfo>& column : columns)
    if (!column.toolTip) column.toolTip = column.text;
  setColumns(std::move(columns));
}

void DeviceModel::setReport(DeviceReport report) {
  const auto device = std::ranges::find(devices(), report.device, &DeviceInfo::name);
  std::string name = report.device;
  reports_.insert_or_assign(std::move(name), std::move(report));
  if (device == devices().end()) return;
  const int row = static_cast<int>(device - devices().begin());
  emit dataChanged(index(row, 0), index(row, kColumnCount - 1));
}

int DeviceModel::usable() const {
  return static_cast<int>(std::ranges::count_if(devices(), &DeviceInfo::usable));
}

bool DeviceModel::hasCrashed() const {
  return std::ranges::any_of(devices(), &DeviceInfo::crashed);
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

QString DeviceModel::selfTestText(const DeviceInfo& device) const {
  const DeviceReport* report = reportOf(device);
  if (!report) return device.usable ? tr("not tested") : kUnknown;
  const QString cases = QString::fromStdString(formatCount(report->cases));
  return report->passed() ? tr("%1 passed").arg(cases)
                          : tr("%1 of %2 failed").arg(report->failures.size()).arg(cases);
}

QVariant DeviceModel::more(const DeviceInfo& device, int /*column*/, int role) const {
  return role == kHealthRole ? QVariant::fromValue(healthOf(device)) : QVariant();
}

QString DeviceModel::asCsv() const {
  QString out = QStringLiteral(
      "name,kind,instruction_set,outcome,memory_bytes,plugin,reason,failed,max_error_units,"
      "gather_gb_per_second,copy_gb_per_second,matmul_gflops\n");
  for (const DeviceInfo& device : devices()) {
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
  for (const DeviceInfo& device : devices()) {
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
