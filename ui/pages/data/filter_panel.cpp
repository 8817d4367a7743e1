// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/filter_panel.h"

#include <QCheckBox>
#include <QFontDatabase>
#include <QSignalBlocker>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/problems_model.h"
#include "ui/models/runs_format.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kBarWidth = 416;

QString sentenceOf(const workspace::FilterCount& count, bool counting) {
  QString text = FilterPanel::tr("%1 of %2 rows pass (%3 %)")
                     .arg(countText(count.kept), countText(count.rows),
                          QString::number(100.0 * count.share(), 'f', 1));
  if (!count.complete)
    text = counting ? FilterPanel::tr("%1 at the start; counting the rest…").arg(text)
                    : FilterPanel::tr("%1 at the start").arg(text);
  if (count.rejected > 0)
    text += FilterPanel::tr(", %1 lines rejected", nullptr, static_cast<int>(count.rejected))
                .arg(countText(count.rejected));
  text += '.';
  if (count.times)
    text += ' ' + FilterPanel::tr("They are from %1 to %2.")
                      .arg(dayText(count.times->front()), dayText(count.times->back()));
  return text;
}

}  // namespace

FilterPanel::FilterPanel(ExperimentEditor& editor, SourceWatch& watch, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      watch_(watch),
      form_(new Form(editor, this)),
      fault_(new QLabel(this)),
      count_(new QLabel(this)),
      share_(new ThinProgressBar(this)) {
  Field* filter = form_->addField("/dataset/filter", tr("Filter"));
  // The finding is told once, below, where the sign under the wrong letter stands right.
  filter->leaveFindings();
  line_ = filter->editWidget();
  line_->setMaximumWidth(QWIDGETSIZE_MAX);
  callAfterPause(typing_, Field::kTypingMs, this, &FilterPanel::showFault);
  fault_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  fault_->setTextFormat(Qt::PlainText);
  fault_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  fault_->setAccessibleName(tr("What is wrong with the filter"));
  share_->setMaximumWidth(kBarWidth);
  share_->setAccessibleName(tr("Share of the rows that pass the filter"));
  count_->setWordWrap(true);
  count_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* outcome = new QWidget(form_);
  auto* column = verticalBox(outcome, 6);
  for (QWidget* part : std::initializer_list<QWidget*>{fault_, count_, share_})
    column->addWidget(part);
  form_->addRow({}, outcome);
  form_->addNote(
      tr("Comparisons joined by and, or, not, as in: rating >= 3 and weekday in "
         "(\"saturday\", \"sunday\")"));
  auto* rare = new QCheckBox(tr("Drop rare users and items"), this);
  rare->setToolTip(tr("Repeats until every user and every item has the minimum of rows (k-core)"));
  form_->addRow({}, rare);
  form_->addField("/dataset/k_core/user", tr("Min. rows per user"));
  form_->addField("/dataset/k_core/item", tr("Min. rows per item"));
  auto* layout = verticalBox(this);
  layout->addWidget(form_);
  connect(rare, &QCheckBox::clicked, this, [this](bool on) {
    constexpr int kFew = 5;
    editor_.setValue("/dataset/k_core",
                     on ? nlohmann::json{{"user", kFew}, {"item", kFew}} : nlohmann::json(),
                     tr("Change the minimum of rows"));
  });
  const auto followRare = [this, rare] {
    rare->setChecked(!editor_.value("/dataset/k_core").is_null());
  };
  connect(&editor, &ExperimentEditor::documentChanged, rare, followRare);
  connect(&editor, &ExperimentEditor::documentChanged, this, &FilterPanel::follow);
  connect(&watch, &SourceWatch::countChanged, this, &FilterPanel::follow);
  followRare();
  follow();
}

void FilterPanel::follow() {
  const std::optional<std::string>& filter = editor_.experiment().dataset.filter;
  std::optional<Error> error = watch_.countError();
  if (filter)
    // Errors that need the columns come with the count.
    if (const auto parsed = workspace::Filter::parse(*filter); !parsed) error = parsed.error();
  wrong_ = filter ? error : std::nullopt;
  // A filter is wrong until it is typed to its end.
  wrong_ && line_->hasFocus() ? typing_.start() : showFault();
  const auto& count = watch_.count();
  share_->setVisible(count.has_value());
  if (count) {
    share_->showShare(count->kept, count->rows);
    count_->setText(sentenceOf(*count, watch_.counting()));
  } else if (watch_.counting()) {
    count_->setText(tr("Counting…"));
  } else if (error) {
    count_->setText(tr("Not counted."));
  } else {
    count_->setText(tr("Rows are counted once there are data."));
  }
}

void FilterPanel::showFault() {
  typing_.stop();
  fault_->setVisible(wrong_.has_value());
  if (!wrong_) return;
  fault_->setText(shownText(wrong_->text()));
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, severityColor(colors, Severity::kProblem));
  fault_->setPalette(colors);
}

}  // namespace parapet::ui
