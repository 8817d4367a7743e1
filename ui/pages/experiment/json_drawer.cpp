// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/json_drawer.h"

#include <QPushButton>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/info_sign.h"
#include "ui/models/document_edits.h"
#include "ui/style/box_layout.h"
#include "ui/style/flat_buttons.h"

namespace parapet::ui {

JsonDrawer::JsonDrawer(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      view_(new JsonView(editor, this)),
      defaults_(new QCheckBox(tr("Show defaults"), this)),
      draftBar_(new QWidget(this)),
      draftText_(new QLabel(this)) {
  setObjectName(QStringLiteral("jsonDrawer"));
  constexpr int kColumns = 44;  // lines of usual length
  view_->setMinimumWidth(kColumns * view_->fontMetrics().averageCharWidth());
  defaults_->setAccessibleName(defaults_->text());
  defaults_->setToolTip(tr("Shows the settings that stand at their default, too"));
  connect(defaults_, &QCheckBox::toggled, view_, &JsonView::setShowsDefaults);
  auto* close = closeButton(tr("Close the JSON"), tr("Closes the drawer (F4)"), this);
  connect(close, &QToolButton::clicked, this, &JsonDrawer::closeRequested);
  auto* head = horizontalBox(nullptr, 8);
  head->addWidget(
      titleWithSign(headingLabel(tr("Document"), 1.0), QStringLiteral("docs/experiment.md")));
  head->addStretch(1);
  head->addWidget(defaults_);
  head->addWidget(close);
  auto* line = horizontalBox(draftBar_);
  draftText_->setWordWrap(true);
  line->addWidget(draftText_, 1);
  auto* discard = new QPushButton(tr("Discard"), draftBar_);
  discard->setToolTip(tr("Discards what was typed since the last valid JSON"));
  discard->setAccessibleName(tr("Discard the typed text"));
  connect(discard, &QPushButton::clicked, this,
          [this] { editor_.setText(textOf(editor_.document())); });
  line->addWidget(discard, 0, Qt::AlignTop);
  auto* layout = verticalBox(this, 8, {8, 4, 16, 0});
  layout->addLayout(head);
  layout->addWidget(draftBar_);
  layout->addWidget(view_, 1);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &JsonDrawer::followFindings);
  followFindings();
}

void JsonDrawer::followStep(const QStringList& prefixes) {
  view_->markParts(prefixes);
  if (!prefixes.isEmpty()) view_->showPointer(prefixes.front());
}

void JsonDrawer::followFindings() {
  const auto& draft = editor_.draftError();
  draftBar_->setVisible(draft.has_value());
  if (draft)
    draftText_->setText(tr("The text is not valid JSON; the steps show the last valid one. %1")
                            .arg(shownText(draft->message)));
}

}  // namespace parapet::ui
