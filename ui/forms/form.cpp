// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/form.h"

#include <QSignalBlocker>
#include <algorithm>
#include <array>

#include "ui/forms/card.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_text.h"
#include "ui/models/document_words.h"
#include "ui/models/setting_names.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kLabelWidth = 152, kBetween = 16, kNarrowWidth = 240;

/// Settings of optimizers, schedules and losses whose default is right for nearly all.
constexpr std::array kFolded = {"accumulate_steps",
                                "weight_decay_exclude",
                                "scale_with_devices",
                                "initial_accumulator",
                                "beta",
                                "beta1",
                                "beta2",
                                "epsilon",
                                "epsilon_inside_root",
                                "epsilon_mode",
                                "sparse_update",
                                "clip_value",
                                "clip_norm",
                                "global_clip_norm",
                                "reduction",
                                "weight",
                                "hard_negatives",
                                "warmup_from",
                                "schedule",
                                "learning_rate_power"};

bool isFolded(const QString& key) {
  return std::ranges::find(kFolded, key) != kFolded.end();
}

}  // namespace

Form::Form(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(kBetween);
  grid_->setVerticalSpacing(8);
  grid_->setColumnMinimumWidth(0, kLabelWidth);
  grid_->setColumnStretch(1, 1);
}

QLabel* Form::addHeading(const QString& text, const QString& help) {
  auto* label = new QLabel(text, this);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  const QMargins above(0, row_ == 0 ? 0 : 16, 0, 0);
  // Parts of an object have no text of their own in the documents.
  if (!help.isEmpty()) label->setObjectName(QStringLiteral("sectionTitle"));
  QWidget* shown = help.isEmpty() ? static_cast<QWidget*>(label) : titleWithSign(label, help);
  // Around both, so that the sign stays beside its title.
  if (help.isEmpty())
    label->setContentsMargins(above);
  else
    shown->layout()->setContentsMargins(above);
  grid_->addWidget(shown, row_++, 0, 1, 2);
  return label;
}

QLabel* Form::addRow(const QString& label, QWidget* widget) {
  auto* name = new QLabel(label, this);
  name->setBuddy(widget);
  // The label is as high as one line, so that it stands beside the widget and not beside its
  // findings.
  name->setMinimumHeight(
      std::max(name->sizeHint().height(),
               std::min(widget->sizeHint().height(), 2 * name->fontMetrics().height())));
  addPair(name, widget);
  return name;
}

void Form::addPair(QLabel* name, QWidget* widget) {
  pairs_.push_back({name, widget, row_});
  row_ += 2;
  place(pairs_.back());
}

void Form::place(const Pair& pair) {
  if (pair.name != nullptr)
    grid_->addWidget(pair.name, pair.row, 0, 1, narrow_ ? 2 : 1, Qt::AlignTop | Qt::AlignLeft);
  if (narrow_)
    grid_->addWidget(pair.widget, pair.row + 1, 0, 1, 2);
  else
    grid_->addWidget(pair.widget, pair.row, 1);
}

void Form::fold(bool narrow) {
  if (narrow == narrow_) return;
  narrow_ = narrow;
  grid_->setColumnMinimumWidth(0, narrow ? 0 : kLabelWidth);
  for (const Pair& pair : pairs_) {
    if (pair.name != nullptr) grid_->removeWidget(pair.name);
    grid_->removeWidget(pair.widget);
    place(pair);
  }
  updateGeometry();
}

QSize Form::minimumSizeHint() const {
  QSize size = QWidget::minimumSizeHint();
  size.setWidth(std::min(size.width(), kNarrowWidth));
  return size;
}

void Form::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // Beside each other they need as much as the widest of them.
  int label = kLabelWidth, widget = 0;
  for (const Pair& pair : pairs_) {
    if (pair.name != nullptr) label = std::max(label, pair.name->sizeHint().width());
    widget = std::max(widget, pair.widget->minimumSizeHint().width());
  }
  fold(width() < label + kBetween + widget);
}

Field* Form::addField(const QString& pointer, const QString& label, const BindingMaker& make) {
  auto* field = new Field(editor_, pointer, label, this, make);
  QLabel* name = addRow(label, field);
  name->setBuddy(field->editWidget());
  name->setToolTip(field->editWidget()->toolTip());
  name->setVisible(field->isInDocument());
  connect(field, &Field::presenceChanged, name, &QWidget::setVisible);
  fields_.push_back(field);
  return field;
}

Field* Form::addFolded(const QString& pointer, const QString& label, const BindingMaker& make) {
  Field* field = addField(pointer, label, make);
  folded_.push_back({.field = field});
  moreButton();
  return field;
}

void Form::addFolded(QWidget* name, QWidget* widget, std::function<bool()> needed) {
  Folded folded{.needed = std::move(needed)};
  for (QWidget* each : {name, widget})
    if (each != nullptr) folded.widgets.push_back(each);
  folded_.push_back(std::move(folded));
  moreButton();
}

/// Below all rows, whichever are added later.
QToolButton& Form::moreButton() {
  if (more_ != nullptr) return *more_;
  constexpr int kLastRow = 1000;
  more_ = textButton(tr("More settings"), tr("Shows settings that are as they are by default, too"),
                     this);
  more_->setObjectName(QStringLiteral("more"));
  more_->setCheckable(true);
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  grid_->addWidget(more_, kLastRow, 0, 1, 2, Qt::AlignLeft);
  connect(more_, &QToolButton::toggled, this, &Form::followFolded);
  for (const auto changed :
       {&ExperimentEditor::documentChanged, &ExperimentEditor::findingsChanged})
    connect(&editor_, changed, this, [this] {
      if (isVisible()) followFolded();
    });
  return *more_;
}

bool Form::isUnfolded() const {
  return more_ != nullptr && more_->isChecked();
}

void Form::setUnfolded(bool unfolded) {
  if (more_ != nullptr) more_->setChecked(unfolded);
}

void Form::followFolded() {
  const bool all = isUnfolded();
  const nlohmann::ordered_json differing =
      all ? nlohmann::ordered_json() : withoutDefaults(editor_.document(), {});
  int hidden = 0;
  for (const Folded& folded : folded_) {
    // One that somebody types in stays until it is left.
    const bool used = folded.field != nullptr && folded.field->editWidget()->hasFocus();
    const bool shown = all || used ||
                       (folded.field != nullptr ? folded.field->isNeeded(differing)
                                                : folded.needed && folded.needed());
    if (folded.field != nullptr) folded.field->setApplies(shown);
    for (QWidget* widget : folded.widgets) widget->setVisible(shown);
    const bool counts =
        folded.field != nullptr ? folded.field->isInDocument() : bool(folded.needed);
    if (!shown && counts) ++hidden;
  }
  more_->setVisible(all || hidden > 0);
  more_->setArrowType(all ? Qt::UpArrow : Qt::DownArrow);
  more_->setText(all           ? tr("Fewer settings")
                 : hidden == 1 ? tr("One more setting")
                               : tr("%n more settings", nullptr, static_cast<int>(hidden)));
  more_->setToolTip(all ? tr("Hides settings that are as they are by default")
                        : tr("Shows settings that are as they are by default, too"));
  more_->setAccessibleName(more_->text());
}

void Form::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (more_ != nullptr) followFolded();
}

QLabel* Form::addNote(const QString& text) {
  auto* label = new QLabel(text, this);
  label->setWordWrap(true);
  label->setForegroundRole(QPalette::PlaceholderText);
  addPair(nullptr, label);
  return label;
}

void Form::addWide(QWidget* widget) {
  grid_->addWidget(widget, row_++, 0, 1, 2);
}

void Form::addFindings(const QString& pointer) {
  auto* label = new FindingsLabel(this);
  const auto follow = [this, label, pointer] {
    experiment::Findings here = editor_.findingsAt(pointer);
    const auto isBelow = [&pointer](const experiment::Problem& problem) {
      return problem.pointer != pointer.toStdString();
    };
    std::erase_if(here.problems, isBelow);
    std::erase_if(here.warnings, isBelow);
    label->setFindings(here);
  };
  connect(&editor_, &ExperimentEditor::findingsChanged, label, follow);
  follow();
  addWide(label);
}

bool Form::reveal(const QString& pointer) {
  for (Field* field : fields_)
    if (pointer == field->pointer() || pointer.startsWith(field->pointer() + '/')) {
      if (field->isHidden()) setUnfolded(true);
      field->editWidget()->setFocus(Qt::OtherFocusReason);
      return true;
    }
  return false;
}

SettingsForm::SettingsForm(ExperimentEditor& editor, const QString& pointer,
                           const QString& absentLabel, QWidget* parent)
    : QWidget(parent), editor_(editor), pointer_(pointer), form_(new Form(editor, this)) {
  auto* layout = verticalBox(this);
  layout->addWidget(form_);
  if (fieldInfo(pointer).nullable) {
    if (fieldKeys(pointer).contains("kind"))
      addKindOrNull(absentLabel);
    else
      addPresence();
  }
  QStringList parts;
  for (const QString& key : fieldKeys(pointer)) {
    if (key == "kind" && fieldInfo(pointer).nullable) continue;
    const FieldInfo info = fieldInfo(pointer + '/' + key);
    if (info.type == FieldInfo::Type::kObject) {
      parts << key;
    } else if (info.elements != FieldInfo::Type::kObject) {
      isFolded(key) ? form_->addFolded(pointer + '/' + key, labelOf(key))
                    : form_->addField(pointer + '/' + key, labelOf(key));
      if (fieldKeys(pointer + '/' + key).contains("trainable")) addTrainable(key);
    }
  }
  // Under all other settings: what follows a heading seems to belong to it.
  for (const QString& key : parts) addPart(key);
  form_->addFindings(pointer);
}

void SettingsForm::addPart(const QString& key) {
  const QString pointer = pointer_ + '/' + key;
  // The experiment has one, too.
  const bool own = isFolded(key);
  QLabel* heading =
      form_->addHeading(own ? tr("Own %1").arg(insideSentence(labelOf(key))) : labelOf(key));
  heading->setToolTip(fieldInfo(pointer).toolTip());
  auto* part = new SettingsForm(editor_, pointer, tr("experiment's"), form_);
  form_->addWide(part);
  parts_.push_back(part);
  if (own)
    return form_->addFolded(heading, part,
                            [this, pointer] { return editor_.value(pointer).is_object(); });
  const auto follow = [this, pointer, heading, part] {
    const bool there = parapet::ui::find(editor_.document(), pointer) != nullptr;
    heading->setVisible(there);
    part->setVisible(there);
  };
  connect(&editor_, &ExperimentEditor::documentChanged, part, follow);
  follow();
}

bool SettingsForm::reveal(const QString& pointer) {
  for (SettingsForm* part : parts_) {
    if (pointer != part->pointer_ && !pointer.startsWith(part->pointer_ + '/')) continue;
    if (part->isHidden()) form_->setUnfolded(true);
    if (part->reveal(pointer)) return true;
  }
  return form_->reveal(pointer);
}

void SettingsForm::addPresence() {
  auto* box = new QCheckBox(form_);
  const QString label = labelOf(pointer_.section('/', -1));
  box->setObjectName(pointer_);
  box->setAccessibleName(label);
  box->setToolTip(fieldInfo(pointer_).toolTip());
  form_->addRow(tr("Used"), box);
  const auto follow = [this, box] { box->setChecked(editor_.value(pointer_).is_object()); };
  connect(&editor_, &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this, label](bool used) {
    set(pointer_, used ? nlohmann::json::object() : nlohmann::json(),
        tr("Change %1").arg(insideSentence(label)));
  });
  follow();
}

void SettingsForm::addTrainable(const QString& key) {
  const QString pointer = pointer_ + '/' + key;
  const QString label = tr("Train %1").arg(insideSentence(labelOf(key)));
  auto* box = new QCheckBox(form_);
  box->setObjectName(pointer + "/trainable");
  box->setAccessibleName(label);
  box->setToolTip(fieldInfo(pointer + "/trainable").toolTip());
  QLabel* name = form_->addRow(label, box);
  const auto follow = [this, box, name, pointer] {
    const bool there = parapet::ui::find(editor_.document(), pointer) != nullptr;
    box->setVisible(there);
    name->setVisible(there);
    const nlohmann::json value = editor_.value(pointer);
    box->setChecked(value.is_object() && value.value("trainable", false));
  };
  connect(&editor_, &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this, pointer, label](bool trains) {
    const nlohmann::json value = editor_.value(pointer);
    const nlohmann::json initial =
        value.is_object() ? value.value("initial", nlohmann::json(1.0)) : value;
    set(pointer, trains ? nlohmann::json{{"initial", initial}, {"trainable", true}} : initial,
        label);
  });
  follow();
}

void SettingsForm::addKindOrNull(const QString& absentLabel) {
  auto* combo = new QComboBox(form_);
  combo->addItem(absentLabel, absentLabel);
  for (const QString& word : fieldInfo(pointer_ + "/kind").words)
    combo->addItem(valueName(word), word);
  combo->setAccessibleName(tr("Kind"));
  combo->setToolTip(fieldInfo(pointer_).toolTip());
  form_->addRow(tr("Kind"), combo);
  const auto follow = [this, combo] {
    const QSignalBlocker quiet(combo);
    const auto kind = editor_.value(pointer_ + "/kind");
    combo->setCurrentIndex(kind.is_null() ? 0 : combo->findData(shownValue(kind)));
  };
  connect(&editor_, &ExperimentEditor::documentChanged, combo, follow);
  connect(combo, &QComboBox::activated, this, [this, absentLabel, combo](int at) {
    chooseKind(absentLabel, combo->itemData(at).toString());
  });
  follow();
}

void SettingsForm::chooseKind(const QString& absentLabel, const QString& kind) {
  const QString what = tr("Change kind");
  if (kind == absentLabel) {
    set(pointer_, nullptr, what);
  } else if (editor_.value(pointer_).is_object()) {
    set(pointer_ + "/kind", kind.toStdString(), what);
  } else {
    set(pointer_, {{"kind", kind.toStdString()}}, what);
  }
}

QStringList SettingsForm::alongside(const QString& pointer) const {
  QStringList pointers;
  for (const QString& object : alongside_) pointers << object + pointer.mid(pointer_.size());
  return pointers;
}

void SettingsForm::set(const QString& pointer, const nlohmann::json& value, const QString& what) {
  editor_.setValues(QStringList{pointer} + alongside(pointer), value, what);
}

void SettingsForm::setAlongside(const QStringList& objects) {
  alongside_ = objects;
  for (Field* field : form_->fields()) field->setAlongside(alongside(field->pointer()));
  for (SettingsForm* part : parts_) part->setAlongside(alongside(part->pointer_));
}

}  // namespace parapet::ui
