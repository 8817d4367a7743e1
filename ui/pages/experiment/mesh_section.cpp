// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/mesh_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/forms/report_view.h"
#include "ui/models/memory_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

constexpr int kMaxDevices = 64;
constexpr int kMaxMeshRankRows = 8;

}  // namespace

MeshSection::MeshSection(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent)
    : Section(editor, tr("Mesh"), {"/mesh", "/layout"}, parent),
      ranks_(new ReportTableModel({tr("Rank"), tr("Device"), tr("Memory"), tr("Coordinates"),
                                   tr("Examples of a batch"), tr("Step buffers")},
                                  {kRows, kBuffers}, this)),
      memory_(new ReportTableModel(
          {tr("Memory"), tr("Devices"), tr("Parameters"), tr("Optimizer state"), tr("Scratch"),
           tr("Step buffers"), tr("Total")},
          {1, 2, 3, 4, 5, 6}, this)),
      ranksView_(makeReportView(*ranks_, tr("Ranks and their work"), widget())),
      memoryView_(makeReportView(*memory_, tr("Memory spaces and their contents"), widget())),
      total_(new QLabel(widget())),
      verify_(new VerifyPanel(workspace, editor, widget())) {
  Form* form = addForm();
  form->addHeading(tr("Devices"));
  addDeviceCount(*form);
  form->addField("/mesh/devices", tr("Devices"));
  form->addNote(
      tr("Names with commas: cpu*4 (four logical CPU devices), cpu:0, cuda:0, cuda:0/1."));
  form->addField("/mesh/shape", tr("Shape"));
  form->addField("/mesh/axes", tr("Axes"));
  form->addField("/mesh/threads", tr("Threads"));
  form->addFindings("/mesh");
  for (QTableView* view : {ranksView_, memoryView_})
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  total_->setWordWrap(true);
  ranksGroup_ = addGroup(tr("Ranks"), {ranksView_});
  addGroup(tr("Memory"), {memoryView_, total_});
  addGroup(tr("Verify"), {verify_});
  setPreflight({});
}

void MeshSection::addDeviceCount(Form& form) {
  auto* count = new QSpinBox(widget());
  count->setRange(1, kMaxDevices);
  count->setLocale(QLocale::c());
  count->setMaximumWidth(144);
  count->setKeyboardTracking(false);
  count->setAccessibleName(tr("Number of logical CPU devices"));
  count->setToolTip(tr("Splits every batch over this many logical CPU devices.\nAccepted: 1 … %1. "
                       "The result is the same within rounding.")
                        .arg(kMaxDevices));
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
  std::vector<ReportTableModel::Row> ranks, memory;
  for (const workspace::RankEstimate& rank : preflight.ranks)
    ranks.push_back({static_cast<qlonglong>(ranks.size()), QString::fromStdString(rank.device),
                     QString::fromStdString(rank.memory),
                     QString::fromStdString(fmt::format("{}", fmt::join(rank.coordinates, ", "))),
                     countText(rank.batchRows), bytesText(rank.activationBytes)});
  for (const workspace::MemoryEstimate& space : preflight.memory)
    memory.push_back({QString::fromStdString(space.name), countText(space.ranks),
                      bytesText(space.weightBytes), bytesText(space.slotBytes),
                      bytesText(space.scratchBytes), bytesText(space.activationBytes),
                      bytesText(space.total())});
  ranks_->setRows(std::move(ranks));
  memory_->setRows(std::move(memory));
  ranksGroup_->setVisible(ranks_->rowCount() > 0);
  fitRows(*ranksView_, kMaxMeshRankRows);
  fitRows(*memoryView_, kMaxMeshRankRows);
  total_->setText(memoryText(preflight));
}

}  // namespace parapet::ui
