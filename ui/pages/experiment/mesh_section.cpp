// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/mesh_section.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/pages/experiment/table_actions.h"
#include "ui/pages/experiment/tables_section.h"

namespace parapet::ui {
namespace {

constexpr int kMostDevices = 64;
constexpr int kMostVisibleRows = 8;

}  // namespace

MeshSection::MeshSection(ExperimentEditor& editor, QWidget* parent)
    : Section(editor, tr("Mesh"), {"/mesh", "/layout"}, parent),
      devices_(new ReportTableModel(
          {tr("Rank"), tr("Device"), tr("Rows of a batch"), tr("Step buffers")}, {0, 2, 3}, this)),
      view_(new QTableView(widget())),
      total_(new QLabel(widget())) {
  Form* form = addForm();
  form->addHeading(tr("Devices"));
  addDeviceCount(*form);
  form->addField("/mesh/devices", tr("Devices"));
  form->addNote(
      tr("Names with commas: cpu*4 (four logical CPU devices), cpu:0, cuda:0, cuda:0/1."));
  form->addField("/mesh/shape", tr("Shape"));
  form->addField("/mesh/axes", tr("Axes"));
  form->addFindings("/mesh");
  view_->setModel(devices_);
  view_->setAccessibleName(tr("Devices of the mesh"));
  view_->setShowGrid(false);
  view_->setAlternatingRowColors(true);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  addTableActions(*view_);
  addWidget(view_);
  total_->setWordWrap(true);
  addWidget(total_);
  setPreflight({});
}

void MeshSection::addDeviceCount(Form& form) {
  auto* count = new QSpinBox(widget());
  count->setRange(1, kMostDevices);
  count->setLocale(QLocale::c());
  count->setMaximumWidth(144);
  count->setKeyboardTracking(false);
  count->setAccessibleName(tr("Number of logical CPU devices"));
  count->setToolTip(tr("Splits every batch over this many logical CPU devices.\nAccepted: 1 … %1. "
                       "The result is the same within rounding.")
                        .arg(kMostDevices));
  form.addRow(tr("CPU devices"), count);
  const auto follow = [this, count] {
    const QSignalBlocker quiet(count);
    const auto devices = experiment::expandDevices(editor().experiment().mesh.devices);
    if (devices) count->setValue(static_cast<int>(devices->size()));
  };
  connect(&editor(), &ExperimentEditor::documentChanged, count, follow);
  connect(count, &QSpinBox::valueChanged, this, &MeshSection::chooseDeviceCount);
  follow();
}

void MeshSection::chooseDeviceCount(int count) {
  nlohmann::json mesh = editor().value("/mesh");
  if (!mesh.is_object()) mesh = nlohmann::json::object();
  mesh["devices"] = nlohmann::json::array({"cpu*" + std::to_string(count)});
  // A shape of another number of devices would be a problem at once.
  mesh["shape"] = nullptr;
  mesh["axes"] = nlohmann::json::array({"data"});
  editor().setValue("/mesh", mesh, tr("Change the number of devices"));
}

void MeshSection::setPreflight(const workspace::Preflight& preflight) {
  const auto ranks = static_cast<std::int64_t>(preflight.devices.size());
  std::vector<ReportTableModel::Row> rows;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    // Rank r of P works on rows [B·r/P, B·(r+1)/P), as the mesh cuts a batch.
    const std::int64_t share =
        preflight.batchRows * (rank + 1) / ranks - preflight.batchRows * rank / ranks;
    const std::uint64_t buffers = preflight.activationBytes / static_cast<std::uint64_t>(ranks);
    rows.push_back({static_cast<qlonglong>(rank),
                    QString::fromStdString(preflight.devices[static_cast<std::size_t>(rank)]),
                    QString::fromStdString(formatCount(share)),
                    QString::fromStdString(formatBytes(buffers))});
  }
  devices_->setRows(std::move(rows));
  const int shown = std::min(devices_->rowCount(), kMostVisibleRows);
  view_->setFixedHeight(view_->horizontalHeader()->sizeHint().height() +
                        shown * view_->verticalHeader()->defaultSectionSize() +
                        2 * view_->frameWidth());
  view_->setVisible(shown > 0);
  total_->setText(memoryText(preflight));
}

}  // namespace parapet::ui
