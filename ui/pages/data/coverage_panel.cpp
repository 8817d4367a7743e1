// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/coverage_panel.h"

#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kCurvePoints = 60;

Result<std::vector<VocabularyCoverage>> coverageOf(const workspace::Dataset& dataset) {
  std::vector<VocabularyCoverage> coverage;
  for (const workspace::Vocabulary& vocabulary : dataset.vocabularies())
    coverage.push_back({QString::fromStdString(vocabulary.name()),
                        workspace::coverageCurve(vocabulary, kCurvePoints)});
  return coverage;
}

}  // namespace

CoveragePanel::CoveragePanel(QWidget* parent)
    : QWidget(parent), hint_(new QuietLabel), view_(new CoverageView) {
  hint_->setWordWrap(true);
  auto* layout = verticalBox(this);
  layout->addWidget(hint_);
  layout->addWidget(view_);
  setDataset(nullptr);
}

void CoveragePanel::setDataset(std::shared_ptr<const workspace::Dataset> dataset) {
  view_->setVisible(false);
  hint_->setVisible(true);
  if (!dataset) {
    background_.cancel();
    hint_->setText(tr("Sizes, OOV share and coverage are known after the import (7)."));
    return;
  }
  hint_->setText(tr("Counting ids…"));
  background_.start([dataset](const WorkContext&) { return coverageOf(*dataset); },
                    [this](Result<std::vector<VocabularyCoverage>> coverage) {
                      if (!coverage) {
                        hint_->setText(shownText(coverage.error().text()));
                        return;
                      }
                      view_->setCoverage(std::move(coverage).value());
                      view_->setVisible(true);
                      hint_->setVisible(false);
                    });
}

}  // namespace parapet::ui
