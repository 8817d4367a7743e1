// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/choice_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "ui/models/document_text.h"

namespace parapet::ui {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kChoiceWidth = 320;
constexpr int kBoxColumns = 3;

bool isSame(const OrderedJson& shown, const nlohmann::json& choice) {
  return shown == OrderedJson(choice);
}

/// A combo box that the wheel changes only while it has the focus: a form is scrolled over it.
class ChoiceBox : public QComboBox {
 public:
  explicit ChoiceBox(QWidget* parent) : QComboBox(parent) { setFocusPolicy(Qt::StrongFocus); }

 protected:
  void wheelEvent(QWheelEvent* event) override {
    if (hasFocus())
      QComboBox::wheelEvent(event);
    else
      event->ignore();
  }
};

/// Check boxes as one widget: the focus goes to the first.
class BoxGrid : public QWidget {
 public:
  BoxGrid(const std::vector<Choice>& choices, QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    for (const Choice& choice : choices) {
      auto* box = new QCheckBox(choice.name, this);
      box->setAccessibleName(choice.name);
      box->setObjectName(QString::fromStdString(choice.value.get<std::string>()));
      const int at = static_cast<int>(boxes.size());
      grid->addWidget(box, at / kBoxColumns, at % kBoxColumns);
      boxes.push_back(box);
    }
    grid->setColumnStretch(kBoxColumns, 1);
    if (!boxes.empty()) setFocusProxy(boxes.front());
  }
  std::vector<QCheckBox*> boxes;
};

}  // namespace

BindingMaker choiceOf(std::vector<Choice> choices) {
  return [choices = std::move(choices)](const ValueChanged& changed, QWidget* parent) {
    auto* combo = new ChoiceBox(parent);
    combo->setMaximumWidth(kChoiceWidth);
    for (const Choice& choice : choices) combo->addItem(choice.name);
    const auto count = static_cast<int>(choices.size());
    QObject::connect(combo, &QComboBox::activated, combo, [changed, choices, count](int index) {
      if (index < count) changed(choices[static_cast<std::size_t>(index)].value);
    });
    const auto show = [combo, choices, count](const OrderedJson& value) {
      const QSignalBlocker quiet(combo);
      while (combo->count() > count) combo->removeItem(combo->count() - 1);
      const auto found = std::ranges::find_if(
          choices, [&](const Choice& choice) { return isSame(value, choice.value); });
      if (found == choices.end()) combo->addItem(shownValue(value));
      combo->setCurrentIndex(static_cast<int>(found - choices.begin()));
    };
    return FieldBinding{combo, show};
  };
}

BindingMaker choicesOf(std::vector<Choice> choices) {
  return [choices = std::move(choices)](const ValueChanged& changed, QWidget* parent) {
    auto* grid = new BoxGrid(choices, parent);
    for (QCheckBox* box : grid->boxes)
      QObject::connect(box, &QCheckBox::clicked, grid, [changed, choices, grid] {
        nlohmann::json list = nlohmann::json::array();
        for (std::size_t i = 0; i < choices.size(); ++i)
          if (grid->boxes[i]->isChecked()) list.push_back(choices[i].value);
        changed(list);
      });
    const auto show = [grid, choices](const OrderedJson& value) {
      for (std::size_t i = 0; i < choices.size(); ++i)
        grid->boxes[i]->setChecked(value.is_array() &&
                                   std::ranges::any_of(value, [&](const OrderedJson& entry) {
                                     return isSame(entry, choices[i].value);
                                   }));
    };
    return FieldBinding{grid, show};
  };
}

}  // namespace parapet::ui
