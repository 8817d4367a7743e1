// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/device_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/info_sign.h"

namespace parapet::ui {
namespace {

constexpr int kMaxParts = 64;

}  // namespace

DevicePanel::DevicePanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      devices_(workspace::Workspace::devices()),
      grid_(new QGridLayout),
      shapes_(new QComboBox(this)),
      findings_(new FindingsLabel(this)) {
  grid_->setColumnStretch(0, 1);
  grid_->setHorizontalSpacing(8);
  shapes_->setObjectName(QStringLiteral("meshShape"));
  shapes_->setAccessibleName(tr("Shape of the mesh"));
  shapes_->setToolTip(
      tr("Arrangement of the devices. Examples are split over all of them; a table can be split "
         "over one axis and replicated over the other."));
  auto* shapeLine = new QHBoxLayout;
  auto* shapeLabel = new QLabel(tr("Shape"), this);
  shapeLabel->setBuddy(shapes_);
  shapeLine->addWidget(shapeLabel);
  shapeLine->addWidget(shapes_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(
      titleWithSign(headingLabel(tr("Devices"), 1.0), QStringLiteral("docs/devices.md")));
  layout->addLayout(grid_);
  layout->addLayout(shapeLine);
  layout->addWidget(findings_);
  connect(shapes_, &QComboBox::activated, this, [this](int index) {
    if (index < static_cast<int>(shapesOffered_.size()))
      chooseShape(editor_, std::vector(shapesOffered_[at(index)]));
  });
  connect(&editor, &ExperimentEditor::documentChanged, this, &DevicePanel::follow);
  connect(&editor, &ExperimentEditor::findingsChanged, this, &DevicePanel::followShape);
  follow();
}

void DevicePanel::follow() {
  const std::vector<DeviceChoice> next = deviceChoices(devices_, editor_.experiment().mesh);
  // While names are typed that are no devices, the last ones stay.
  if (!next.empty()) choices_ = next;
  while (rows_.size() > choices_.size()) {
    delete rows_.back().box;
    delete rows_.back().parts;
    rows_.pop_back();
  }
  for (int device = 0; device < static_cast<int>(choices_.size()); ++device) {
    if (at(device) == rows_.size()) addRow(device);
    const DeviceChoice& choice = choices_[at(device)];
    const QString name = shownText(choice.name);
    QCheckBox& box = *rows_[at(device)].box;
    box.setText(choice.details.isEmpty() ? name : tr("%1 (%2)").arg(name, choice.details));
    box.setChecked(choice.parts > 0);
    box.setAccessibleName(tr("Use the device %1").arg(name));
    box.setToolTip(choice.isHere
                       ? tr("Trains on %1.").arg(name)
                       : tr("The mesh names %1, which this machine does not have.").arg(name));
    QSpinBox& parts = *rows_[at(device)].parts;
    const QSignalBlocker quiet(parts);
    parts.setValue(std::max(1, choice.parts));
    parts.setEnabled(choice.parts > 0);
    parts.setAccessibleName(tr("Logical devices of %1").arg(name));
    parts.setToolTip(
        tr("Splits %1 into this many logical devices, each with a part of every batch. "
           "Accepted: 1 … %2. The result is the same within rounding.")
            .arg(name)
            .arg(kMaxParts));
  }
  followShape();
}

void DevicePanel::addRow(int device) {
  Row row{new QCheckBox(this), new QSpinBox(this)};
  row.parts->setRange(1, kMaxParts);
  row.parts->setLocale(QLocale::c());
  row.parts->setPrefix(tr("split into "));
  row.parts->setKeyboardTracking(false);
  grid_->addWidget(row.box, device, 0);
  grid_->addWidget(row.parts, device, 1);
  connect(row.box, &QCheckBox::clicked, this,
          [this, device](bool on) { choose(device, on ? rows_[at(device)].parts->value() : 0); });
  connect(row.parts, &QSpinBox::valueChanged, this,
          [this, device](int parts) { choose(device, parts); });
  rows_.push_back(row);
}

void DevicePanel::choose(int device, int parts) {
  std::vector<DeviceChoice> chosen = choices_;
  chosen[at(device)].parts = parts;
  // A mesh has at least one device.
  if (std::ranges::all_of(chosen, [](const DeviceChoice& each) { return each.parts == 0; }))
    return follow();
  chooseDevices(editor_, chosen);
}

void DevicePanel::followShape() {
  const experiment::Mesh& mesh = editor_.experiment().mesh;
  std::int64_t devices = 0;
  for (const DeviceChoice& choice : choices_) devices += choice.parts;
  shapesOffered_ = meshShapes(std::max<std::int64_t>(1, devices));
  const std::vector<std::int64_t> now = mesh.shape.value_or(std::vector{devices});
  const QSignalBlocker quiet(shapes_);
  shapes_->clear();
  for (const auto& shape : shapesOffered_) shapes_->addItem(meshShapeText(shape));
  auto found = std::ranges::find(shapesOffered_, now);
  // A shape that was typed is shown as it stands; its problem is told below.
  if (found == shapesOffered_.end()) {
    shapes_->addItem(meshShapeText(now));
    found = shapesOffered_.insert(shapesOffered_.end(), now);
  }
  shapes_->setCurrentIndex(static_cast<int>(found - shapesOffered_.begin()));
  shapes_->setEnabled(shapes_->count() > 1);
  setEnabled(!editor_.draftError());
  findings_->setFindings(editor_.findingsAt("/mesh/devices"));
}

}  // namespace parapet::ui
