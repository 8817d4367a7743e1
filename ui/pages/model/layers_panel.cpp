// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/layers_panel.h"

#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/experiment/encoder_presets.h"
#include "ui/forms/card.h"
#include "ui/forms/form.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_text.h"
#include "ui/models/layers_model.h"
#include "ui/models/setting_names.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// A choice behind its name, as one part of a line. `buddy`: the part of it that has the focus.
QWidget* labelled(const QString& name, QWidget& choice, QWidget& buddy) {
  auto* pair = new QWidget(choice.parentWidget());
  auto* line = horizontalBox(pair);
  auto* label = new QLabel(name, pair);
  label->setBuddy(&buddy);
  line->addWidget(label);
  line->addWidget(&choice);
  return pair;
}

const experiment::ModelTraits& traitsAt(const QComboBox& kinds, int at) {
  return *std::ranges::find(experiment::kModelTraits, kinds.itemData(at).toString().toStdString(),
                            &experiment::ModelTraits::word);
}

}  // namespace

RowSettings::RowSettings(const QString& hint, QWidget* parent)
    : QScrollArea(parent), hint_(new QuietLabel(hint)) {
  auto* inside = new QWidget;
  auto* layout = new QVBoxLayout(inside);
  layout->setContentsMargins(0, 0, 8, 0);
  hint_->setWordWrap(true);
  layout->addWidget(hint_);
  layout->addStretch(1);
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Settings of the selected row"));
  // A lower panel scrolls, with the table above the settings.
  constexpr int kMinLines = 9;
  setMinimumHeight(kMinLines * fontMetrics().height());
}

void RowSettings::setTable(DocumentTable* table) {
  if (table_ != nullptr) table_->view().selectionModel()->disconnect(this);
  table_ = table;
  if (table != nullptr)
    connect(table->view().selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &RowSettings::follow);
  follow();
}

void RowSettings::follow() {
  QString pointer;
  if (table_ != nullptr && table_->view().currentIndex().isValid())
    pointer = elementPointer(table_->model().arrayPointer(), table_->view().currentIndex().row());
  if (pointer == pointer_) return;
  pointer_ = pointer;
  if (form_ != nullptr) {
    // One of its widgets may have asked for the change.
    form_->hide();
    form_->setParent(nullptr);
    form_->deleteLater();
    form_ = nullptr;
  }
  hint_->setVisible(pointer.isEmpty());
  if (pointer.isEmpty()) return;
  form_ = new SettingsForm(table_->model().editor(), pointer, {}, widget());
  static_cast<QVBoxLayout*>(widget()->layout())->insertWidget(0, form_);
}

bool RowSettings::reveal(const QString& pointer) {
  if (form_ == nullptr || !form_->reveal(pointer)) return false;
  if (QWidget* focus = widget()->focusWidget()) ensureWidgetVisible(focus, 16, 48);
  return true;
}

LayersPanel::LayersPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      kind_(new QComboBox(this)),
      weights_(new Form(editor, this)),
      preset_(new QComboBox(this)),
      tabs_(new QTabBar(this)),
      stack_(new QStackedWidget(this)),
      settings_(
          new RowSettings(tr("Select a layer to see all of its settings; Add layer puts one at the "
                             "end, Alt+↑ and Alt+↓ move it."),
                          this)) {
  auto* layout = verticalBox(this, 8, {0, 8, 0, 0});
  // Where the panel is narrow the line goes on below the kind.
  auto* choices = new QWidget(this);
  auto* line = new FlowLayout(choices, 16, 8);
  makeKind(*line);
  makeScore(*line);
  makePreset(*line);
  layout->addWidget(choices);
  auto* findings = new Form(editor, this);
  findings->addFindings("/model");
  layout->addWidget(findings);
  weights_->addField("/model/weights", tr("Initial weights"));
  layout->addWidget(weights_);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("Parts of the model"));
  layout->addWidget(tabs_);
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->addWidget(stack_);
  splitter->addWidget(settings_);
  splitter->setChildrenCollapsible(false);
  splitter->setSizes({240, 320});
  layout->addWidget(splitter, 1);
  connect(tabs_, &QTabBar::currentChanged, this, &LayersPanel::showPart);
  connect(&editor, &ExperimentEditor::documentChanged, this, &LayersPanel::follow);
  follow();
}

void LayersPanel::makeKind(FlowLayout& line) {
  const FieldInfo info = fieldInfo(QStringLiteral("/model/kind"));
  for (const QString& word : info.words) kind_->addItem(valueName(word), word);
  kind_->setAccessibleName(tr("Kind of model"));
  kind_->setToolTip(info.toolTip() + tr("\nLayers are carried over, and the loss becomes one that "
                                        "the kind can have, so that the model can run at once."));
  line.addWidget(labelled(tr("Kind"), *kind_, *kind_));
  connect(kind_, &QComboBox::activated, this, [this](int at) {
    const experiment::ModelKind kind = traitsAt(*kind_, at).kind;
    if (kind != editor_.experiment().model.kind)
      editor_.replace(withModelKind(editor_, kind), tr("Change the kind of model"));
  });
}

void LayersPanel::makeScore(FlowLayout& line) {
  const QString pointer = QStringLiteral("/model/score");
  std::vector<Choice> choices;
  for (const QString& word : fieldInfo(pointer).words)
    choices.push_back({word.toStdString(), valueName(word)});
  score_ = new Field(editor_, pointer, tr("Score"), this, choiceOf(std::move(choices)));
  QWidget* pair = labelled(tr("Score"), *score_, *score_->editWidget());
  pair->setVisible(score_->isInDocument());
  connect(score_, &Field::presenceChanged, pair, &QWidget::setVisible);
  line.addWidget(pair);
}

void LayersPanel::makePreset(FlowLayout& line) {
  preset_->addItem(tr("Own"));
  for (const auto& preset : experiment::encoderPresets()) {
    preset_->addItem(tr("%1 (%2 × %3)")
                         .arg(QLatin1String(preset.title))
                         .arg(preset.sizes.blocks)
                         .arg(preset.sizes.width));
    preset_->setItemData(preset_->count() - 1,
                         tr("%1 blocks, width %2, %3 heads")
                             .arg(preset.sizes.blocks)
                             .arg(preset.sizes.width)
                             .arg(preset.sizes.heads),
                         Qt::ToolTipRole);
  }
  preset_->setAccessibleName(tr("Sizes of the encoder"));
  preset_->setToolTip(
      tr("Sizes of the encoder by name (blocks × width); replaces its layers, the masked layers "
         "and the width of the tokens' table in one undoable edit"));
  presetBox_ = labelled(tr("Sizes"), *preset_, *preset_);
  line.addWidget(presetBox_);
  connect(preset_, &QComboBox::activated, this, [this](int at) {
    if (at < 1) return followPreset();
    const auto& preset = experiment::encoderPresets()[static_cast<std::size_t>(at - 1)];
    if (experiment::encoderSizes(editor_.experiment()) != preset.sizes)
      editor_.replace(experiment::withEncoder(editor_.document(), preset.sizes),
                      tr("Make the encoder a %1").arg(QLatin1String(preset.title)));
  });
}

void LayersPanel::followPreset() {
  const experiment::Experiment& experiment = editor_.experiment();
  const bool isEncoder = experiment::readsText(experiment.model.kind);
  presetBox_->setVisible(isEncoder);
  weights_->setVisible(isEncoder);
  const auto presets = experiment::encoderPresets();
  const auto named = std::ranges::find(presets, experiment::encoderSizes(experiment),
                                       &experiment::EncoderPreset::sizes);
  preset_->setCurrentIndex(named == presets.end() ? 0
                                                  : 1 + static_cast<int>(named - presets.begin()));
}

std::vector<LayersPanel::Part> LayersPanel::partsOfDocument() const {
  std::vector<Part> parts;
  const experiment::Model& model = editor_.experiment().model;
  if (experiment::hasTowers(model.kind)) {
    parts = {{tr("Query tower"), "/model/query"}, {tr("Candidate tower"), "/model/candidate"}};
  } else if (experiment::readsText(model.kind)) {
    parts = {{tr("Encoder"), "/model/layers"}, {tr("Masked positions"), "/model/masked_layers"}};
  } else {
    parts = {{tr("Layers"), "/model/layers"}};
  }
  for (std::size_t head = 0; head < model.heads.size(); ++head)
    parts.push_back({tr("Head %1").arg(QString::fromStdString(model.heads[head].name)),
                     QStringLiteral("/model/heads/%1/layers").arg(head)});
  return parts;
}

// Kinds that read other data than the document has cannot run.
void LayersPanel::offerKinds() {
  auto* const kinds = qobject_cast<QStandardItemModel*>(kind_->model());
  const bool isText = editor_.experiment().dataset.isText();
  for (int at = 0; at < kind_->count(); ++at) {
    const bool readsText = traitsAt(*kind_, at).readsText;
    const bool fits = readsText == isText;
    kinds->item(at)->setEnabled(fits);
    kind_->setItemData(at,
                       fits ? QString()
                       : readsText
                           ? tr("Reads lines of text, and the data are rows of users and items")
                           : tr("Reads users and items, and the data are lines of text"),
                       Qt::ToolTipRole);
  }
}

void LayersPanel::follow() {
  const QSignalBlocker quiet(kind_);
  offerKinds();
  kind_->setCurrentIndex(kind_->findData(shownValue(editor_.value("/model/kind"))));
  followPreset();
  const std::vector<Part> parts = partsOfDocument();
  if (parts == parts_) return;
  const int before = tabs_->currentIndex();
  settings_->setTable(nullptr);
  {
    const QSignalBlocker still(tabs_);
    while (tabs_->count() > 0) tabs_->removeTab(0);
    while (stack_->count() > 0) {
      QWidget* table = stack_->widget(0);
      stack_->removeWidget(table);
      table->deleteLater();
    }
    for (const Part& part : parts) {
      auto* table = new DocumentTable(
          new LayersModel(editor_, part.pointer), part.title,
          tr("No layer: the concatenated features are the output. Add one."), stack_);
      table->fillRoom();
      // One of the kinds to choose from is "Add".
      table->addButton().setText(tr("Add layer"));
      table->setHelp(QStringLiteral("docs/experiment.md#models"));
      stack_->addWidget(table);
      tabs_->addTab(part.title);
    }
    parts_ = parts;
    // One part needs no tab besides the title of its list.
    tabs_->setVisible(parts.size() > 1);
    tabs_->setCurrentIndex(std::clamp(before, 0, tabs_->count() - 1));
  }
  showPart(tabs_->currentIndex());
}

void LayersPanel::showPart(int part) {
  stack_->setCurrentIndex(part);
  settings_->setTable(table());
}

DocumentTable* LayersPanel::table() const {
  return qobject_cast<DocumentTable*>(stack_->currentWidget());
}

bool LayersPanel::reveal(const QString& pointer) {
  if (weights_->reveal(pointer)) return true;
  if (pointer == score_->pointer()) {
    score_->editWidget()->setFocus(Qt::OtherFocusReason);
    return true;
  }
  const auto owns = [&pointer](const Part& part) {
    return pointer == part.pointer || pointer.startsWith(part.pointer + '/');
  };
  const auto part = std::ranges::find_if(parts_, owns);
  if (part == parts_.end()) return false;
  tabs_->setCurrentIndex(static_cast<int>(part - parts_.begin()));
  if (table()->reveal(pointer)) settings_->reveal(pointer);
  return true;
}

}  // namespace parapet::ui
