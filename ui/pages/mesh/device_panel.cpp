// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/device_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/problems_model.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxParts = 64, kShapeLetters = 10;
constexpr const char *kDevicesPointer = "/mesh/devices", *kShapePointer = "/mesh/shape";

}  // namespace

DevicePanel::DevicePanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      devices_(workspace::Workspace::devices()),
      lines_(new QVBoxLayout),
      shapes_(new QComboBox(this)),
      findings_(new FindingsLabel(this)) {
  lines_->setSpacing(4);
  shapes_->setObjectName(QLatin1String(kShapePointer));
  shapes_->setAccessibleName(tr("Shape of the mesh"));
  shapes_->setToolTip(
      tr("Arrangement of the devices. Examples are split over all of them; a table can be split "
         "over one axis and replicated over the other."));
  shapes_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  shapes_->setMinimumContentsLength(kShapeLetters);
  auto* shapeLine = new QHBoxLayout;
  auto* shapeLabel = new QLabel(tr("Shape"), this);
  shapeLabel->setBuddy(shapes_);
  shapeLine->addWidget(shapeLabel);
  shapeLine->addWidget(shapes_, 1);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(titleWithSign(headingLabel(tr("Devices")), QStringLiteral("docs/devices.md")));
  layout->addLayout(lines_);
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
    delete rows_.back().line;
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
    parts.setToolTip(tr("Splits %1 into this many logical devices, each with a part of every "
                        "batch. Accepted: 1 … %2. The result is the same within rounding.")
                         .arg(name)
                         .arg(kMaxParts));
  }
  followShape();
}

void DevicePanel::addRow(int device) {
  auto* line = new QWidget(this);
  Row row{line, new QCheckBox(line), new QSpinBox(line)};
  auto* flow = new FlowLayout(line, 8, 4);
  // Controls are found by what they edit; the first stands for the list.
  if (device == 0) row.box->setObjectName(QLatin1String(kDevicesPointer));
  flow->addWidget(row.box);
  flow->addWidget(row.parts);
  row.parts->setRange(1, kMaxParts);
  row.parts->setLocale(QLocale::c());
  row.parts->setPrefix(tr("split into "));
  row.parts->setKeyboardTracking(false);
  lines_->addWidget(line);
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
  experiment::Findings findings = editor_.findingsAt(kDevicesPointer);
  const experiment::Findings ofShape = editor_.findingsAt(kShapePointer);
  findings.problems.insert(findings.problems.end(), ofShape.problems.begin(),
                           ofShape.problems.end());
  findings.warnings.insert(findings.warnings.end(), ofShape.warnings.begin(),
                           ofShape.warnings.end());
  told_ = parapet::ui::findingsText(findings);
  findings_->setFindings(findings);
}

bool DevicePanel::reveal(const QString& pointer) {
  const auto names = [&pointer](const char* own) {
    return pointer == QLatin1String(own) || pointer.startsWith(QLatin1String(own) + '/');
  };
  if (names(kShapePointer))
    shapes_->setFocus(Qt::OtherFocusReason);
  else if (names(kDevicesPointer) && !rows_.empty())
    rows_.front().box->setFocus(Qt::OtherFocusReason);
  else
    return false;
  return true;
}

}  // namespace parapet::ui
