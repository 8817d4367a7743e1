// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/devices/device_details.h"

#include <cmath>

#include "engine/base/text.h"
#include "engine/selftest/measure.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/table_look.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

// A name and its numbers are read together.
constexpr int kWidestTable = 720;

QString titleOf(const workspace::DeviceInfo& device) {
  const QString name = QString::fromStdString(device.name);
  return device.instructionSet.empty()
             ? name
             : QStringLiteral("%1 · %2").arg(name, QString::fromStdString(device.instructionSet));
}

QString originOf(const workspace::DeviceInfo& device) {
  const QString plugin = QString::fromStdString(device.plugin);
  const QString reason = shownText(device.reason);
  return plugin.isEmpty() || reason.isEmpty() ? plugin + reason
                                              : QStringLiteral("%1\n%2").arg(plugin, reason);
}

QString errorText(double maxError) {
  return std::isfinite(maxError) ? QString::number(maxError / selftest::kUnit, 'f', 2)
                                 : DeviceDetails::tr("failed");
}

}  // namespace

DeviceDetails::DeviceDetails(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel),
      origin_(new QLabel),
      hint_(new QLabel),
      ops_({tr("Operation"), tr("Cases"), tr("Failed"), tr("Largest error [2⁻²⁴]")}, {1, 2, 3}),
      opsView_(new QTableView) {
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  origin_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  origin_->setWordWrap(true);
  origin_->setAccessibleName(tr("Where the device comes from"));
  hint_->setWordWrap(true);
  opsView_->setModel(&ops_);
  setTableLook(*opsView_, tr("Operations of the device"));
  opsView_->setMaximumWidth(kWidestTable);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(title_);
  layout->addWidget(origin_);
  layout->addWidget(hint_);
  layout->addWidget(opsView_, 1);
  layout->addStretch();
  clear();
}

void DeviceDetails::clear() {
  for (QWidget* part : {static_cast<QWidget*>(title_), static_cast<QWidget*>(origin_),
                        static_cast<QWidget*>(hint_), static_cast<QWidget*>(opsView_)})
    part->hide();
}

void DeviceDetails::show(const workspace::DeviceInfo& device,
                         const selftest::DeviceReport* report) {
  title_->setText(titleOf(device));
  origin_->setText(originOf(device));
  title_->show();
  origin_->show();
  hint_->setText(device.usable ? tr("Not tested yet. The self-test compares every operation with a "
                                    "plain double-precision reference and measures the speed.")
                               : QString());
  hint_->setVisible(!report && device.usable);
  opsView_->setVisible(report);
  if (report) showOps(*report);
}

void DeviceDetails::showOps(const selftest::DeviceReport& report) {
  std::vector<ReportTableModel::Row> rows;
  for (const selftest::OpReport& op : report.ops)
    rows.push_back({QString::fromStdString(op.op), op.cases, op.failed, errorText(op.maxError)});
  ops_.setRows(std::move(rows));
  fitTableColumns(*opsView_, 0);
}

}  // namespace parapet::ui
