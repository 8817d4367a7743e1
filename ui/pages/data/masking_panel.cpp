// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/masking_panel.h"

#include <fmt/format.h>

#include <QCheckBox>
#include <QCoreApplication>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <QTextBrowser>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "engine/base/atomic_file.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

namespace fs = std::filesystem;

/// The folder that a vocabulary is looked for in.
fs::path folderOf(const fs::path& data) {
  std::error_code ignored;
  return fs::is_directory(data, ignored) ? data : data.parent_path();
}

/// `wanted`, or the first of "vocab-2.txt", … that is free; "vocab.txt" where it is elsewhere.
std::string freeName(const fs::path& folder, const std::string& wanted) {
  const fs::path file(wanted.empty() || fs::path(wanted).is_absolute() ? "vocab.txt" : wanted);
  std::error_code ignored;
  fs::path name = file;
  for (int number = 2; fs::exists(folder / name, ignored); ++number)
    name = file.parent_path() /
           fmt::format("{}-{}{}", file.stem().string(), number, file.extension().string());
  return name.string();
}

using workspace::MaskedText;
using workspace::PieceFate;

// One look for a burst of edits.
constexpr int kMasksPauseMs = 120;
constexpr int kViewHeight = 260, kEpochWidth = 96, kSeedWidth = 144, kMaxEpoch = 1'000'000;
constexpr double kTint = 0.35;

/// A fate as a reader meets it: its name, and the series whose colour it has.
struct Fate {
  PieceFate fate;
  const char* name;
  int colour;
};
constexpr std::array<Fate, 3> kFates{
    {{PieceFate::kMasked, QT_TRANSLATE_NOOP("MaskingPanel", "[MASK]"), 0},
     {PieceFate::kReplaced, QT_TRANSLATE_NOOP("MaskingPanel", "another token"), 1},
     {PieceFate::kKept, QT_TRANSLATE_NOOP("MaskingPanel", "kept"), 2}}};

const Fate& fateOf(PieceFate fate) {
  for (const Fate& known : kFates)
    if (known.fate == fate) return known;
  throw InvalidArgument("[ui.MaskingPanel] a token that is seen has no mark");
}

QString nameOfFate(const Fate& fate) {
  return QCoreApplication::translate("MaskingPanel", fate.name);
}

QString piece(const std::string& text) {
  return shownText(QString::fromStdString(text)).toHtmlEscaped();
}

/// A light ground in the colour of a fate.
QString groundOf(const Fate& fate, const QPalette& palette) {
  const QColor base = palette.color(QPalette::Base);
  const QColor mark = seriesStyle(fate.colour, SeriesRole::kTraining, isDark(palette)).color;
  const auto mix = [](int a, int b) { return static_cast<int>(a + (b - a) * kTint); };
  return QColor(mix(base.red(), mark.red()), mix(base.green(), mark.green()),
                mix(base.blue(), mark.blue()))
      .name();
}

QString markedPiece(const MaskedText::Piece& of, const QPalette& palette) {
  if (of.fate == PieceFate::kSeen) return piece(of.shown);
  const QString ground = groundOf(fateOf(of.fate), palette);
  if (of.fate == PieceFate::kKept)
    return QStringLiteral("<span style=\"background-color:%1\"><u>%2</u></span>")
        .arg(ground, piece(of.shown));
  return QStringLiteral("<span style=\"background-color:%1\">%2&nbsp;<s>%3</s></span>")
      .arg(ground, piece(of.shown), piece(of.piece));
}

/// A paragraph for each text; [CLS] and [SEP] frame every sequence and are left out.
QString htmlOf(const std::vector<MaskedText>& texts, const QPalette& palette) {
  QString html;
  for (const MaskedText& text : texts) {
    html += QStringLiteral("<p>");
    for (std::size_t at = 1; at + 1 < text.pieces.size(); ++at)
      html += (at > 1 ? QStringLiteral(" ") : QString()) + markedPiece(text.pieces[at], palette);
    html += QStringLiteral("</p>");
  }
  return html;
}

/// The settings that decide which lines there are and what their pieces are.
std::string keyOf(const ExperimentEditor& editor) {
  std::string key;
  for (const char* name : {"source", "path", "text", "filter", "derived", "split"})
    key += editor.value(QStringLiteral("/dataset/") + QLatin1String(name)).dump() + '\n';
  return key;
}

}  // namespace

VocabularyTraining::VocabularyTraining(ExperimentEditor& editor, QObject* parent)
    : QObject(parent), editor_(editor) {}

void VocabularyTraining::start() {
  const experiment::Dataset& dataset = editor_.experiment().dataset;
  if (running()) return;
  if (!dataset.path || !dataset.text) return emit failed(tr("Choose the texts first."));
  const fs::path data(*dataset.path);
  const std::string name = freeName(folderOf(data), dataset.text->vocabulary);
  workspace::PieceTraining training;
  if (!dataset.text->lowercase) training.casing = workspace::Casing::kCased;
  background_.start(
      [data, training, target = folderOf(data) / name](
          const WorkContext& context) -> Result<workspace::TrainedPieces> {
        PARAPET_ASSIGN(auto pieces, workspace::trainPieces(data, training, context));
        PARAPET_TRY(writeFileAtomically(target.string(), pieces.text()));
        return pieces;
      },
      [this, id = editor_.experimentId(), name](const Result<workspace::TrainedPieces>& pieces) {
        if (pieces)
          take(id, name, *pieces);
        else
          emit failed(shownText(pieces.error().text()));
      });
}

void VocabularyTraining::take(const QString& experimentId, const std::string& name,
                              const workspace::TrainedPieces& pieces) {
  // Another experiment may have been opened meanwhile; the file is there all the same.
  const auto& text = editor_.experiment().dataset.text;
  if (editor_.experimentId() == experimentId && text && text->vocabulary != name)
    editor_.setValue("/dataset/text/vocabulary", name, tr("Use the trained vocabulary"));
  emit trained(tr("%1 tokens from %2 words, stored as %3")
                   .arg(countText(static_cast<std::int64_t>(pieces.pieces.size())),
                        countText(pieces.words), shownText(name)));
}

MaskingPanel::MaskingPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      form_(new Form(editor, this)),
      epoch_(new QSpinBox(this)),
      seed_(new QSpinBox(this)),
      summary_(new QLabel(this)),
      view_(new QTextBrowser(this)),
      selections_({tr("Line"), tr("Position"), tr("Token"), tr("Becomes"), tr("The model reads")},
                  {0, 1}, this) {
  buildForm();
  view_->setAccessibleName(tr("Texts with their masks"));
  view_->setOpenLinks(false);
  view_->setMinimumHeight(kViewHeight);
  table_ = makeReportView(selections_, tr("Tokens that are to be predicted"), this);
  addTableActions(*table_);
  table_->show();
  auto* tabs = new QTabWidget(this);
  tabs->setDocumentMode(true);
  tabs->setAccessibleName(tr("Tokens and masks"));
  tabs->addTab(view_, tr("Texts"));
  tabs->addTab(table_, tr("Table"));
  summary_->setWordWrap(true);
  summary_->setAccessibleName(tr("Shares of what is masked"));
  auto* layout = verticalBox(this, 8);
  layout->addWidget(form_);
  layout->addWidget(summary_);
  layout->addWidget(tabs, 1);
  callAfterPause(pause_, kMasksPauseMs, this, &MaskingPanel::look);
  connect(&editor, &ExperimentEditor::documentChanged, this, &MaskingPanel::follow);
  connect(epoch_, &QSpinBox::valueChanged, this, &MaskingPanel::follow);
}

void MaskingPanel::buildForm() {
  auto* own = new QCheckBox(tr("Set the masking"), this);
  own->setToolTip(tr("Rate, shares and method of the masks; those of BERT otherwise"));
  form_->addRow({}, own);
  connect(own, &QCheckBox::clicked, this, [this](bool on) {
    editor_.setValue("/model/masking", on ? nlohmann::json::object() : nlohmann::json(),
                     tr("Change the masking"));
  });
  const auto follow = [this, own] { own->setChecked(!editor_.value("/model/masking").is_null()); };
  connect(&editor_, &ExperimentEditor::documentChanged, own, follow);
  follow();
  form_->addField("/model/masking/rate", tr("Rate"));
  form_->addField("/model/masking/method", tr("Method"));
  form_->addField("/model/masking/mask", tr("Become [MASK]"));
  form_->addField("/model/masking/random", tr("Become another token"));
  form_->addField("/model/masking/max_selections", tr("Max. of a sequence"));
  addNumbers();
}

// Adds the numbers of the sample that is shown; they change nothing in the training.
void MaskingPanel::addNumbers() {
  seed_->setRange(0, std::numeric_limits<int>::max());
  seed_->setMaximumWidth(kSeedWidth);
  seed_->setAccessibleName(tr("Seed whose masks are shown"));
  seed_->setToolTip(
      tr("Another seed shows what it would mask; that of the run is set under Training"));
  form_->addRow(tr("Seed shown"), seed_);
  const auto follow = [this] {
    // One that is tried stays until the run has another.
    const std::uint64_t now = editor_.experiment().training.seed;
    if (runSeed_ == now) return;
    runSeed_ = now;
    const QSignalBlocker quiet(seed_);
    seed_->setValue(static_cast<int>(
        std::min<std::uint64_t>(now, static_cast<std::uint64_t>(seed_->maximum()))));
  };
  connect(&editor_, &ExperimentEditor::documentChanged, seed_, follow);
  follow();
  connect(seed_, &QSpinBox::valueChanged, this, &MaskingPanel::follow);
  epoch_->setRange(0, kMaxEpoch);
  epoch_->setValue(1);
  epoch_->setMaximumWidth(kEpochWidth);
  epoch_->setSpecialValueText(tr("validation"));
  epoch_->setAccessibleName(tr("Epoch whose masks are shown"));
  epoch_->setToolTip(
      tr("Masks are drawn anew in every epoch; those of validation are always the same. Lines are "
         "numbered as they stand in the file; a shuffled epoch numbers them otherwise."));
  form_->addRow(tr("Epoch shown"), epoch_);
}

QString MaskingPanel::summary() const {
  return summary_->text();
}

QString MaskingPanel::terminalOptions() const {
  QString options = QStringLiteral("--masks %1 --epoch %2").arg(kLines).arg(epoch_->value());
  if (static_cast<std::uint64_t>(seed_->value()) != editor_.experiment().training.seed &&
      seed_->value() != seed_->maximum())
    options += QStringLiteral(" --set /training/seed=%1").arg(seed_->value());
  return options;
}

void MaskingPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  follow();
}

void MaskingPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !texts_.empty()) showTexts();
}

void MaskingPanel::follow() {
  if (isVisible()) pause_.start();
}

void MaskingPanel::look() {
  const experiment::Experiment& experiment = editor_.experiment();
  if (!experiment::readsText(experiment.model.kind))
    return showMessage(
        tr("The model masks nothing: choose the kind “masked language model” under Model."));
  for (const char* pointer : {"/dataset", "/model/masking"})
    if (const auto problems = editor_.findingsAt(pointer).problems; !problems.empty())
      return showMessage(shownText(problems.front().message));
  const std::string source = keyOf(editor_);
  reader_.start(
      [spec = experiment.dataset, sample = source == source_ ? sample_ : Sample(),
       masking = experiment.model.masking.value_or(experiment::Masking{}),
       // A seed that the box has no room for is that of the document.
       seed = seed_->value() == seed_->maximum() ? experiment.training.seed
                                                 : static_cast<std::uint64_t>(seed_->value()),
       epoch = epoch_->value()](const WorkContext& context) mutable -> Result<Masked> {
        if (!sample) {
          PARAPET_ASSIGN(sample, workspace::TextSample::read(spec, kLines, context));
        }
        return Masked{sample, masking, sample->masked(masking, seed, epoch)};
      },
      [this, source](Result<Masked> masked) {
        if (!masked.ok()) return showMessage(shownText(masked.error().text()));
        source_ = source;
        sample_ = std::move(masked->sample);
        masking_ = masked->masking;
        texts_ = std::move(masked->texts);
        showTexts();
      });
}

void MaskingPanel::showMessage(const QString& text) {
  reader_.cancel();
  texts_.clear();
  selections_.setRows({});
  view_->clear();
  summary_->setTextFormat(Qt::PlainText);
  summary_->setText(text);
}

/// The lines of which the maximum of a sequence selects less than the rate; "" if there are none.
QString MaskingPanel::capText() const {
  const auto isCapped = [this](const MaskedText& text) {
    const auto pieces = static_cast<double>(std::ssize(text.pieces) - 2);
    return std::llround(masking_.rate * pieces) > masking_.maxSelections;
  };
  const std::int64_t capped = std::ranges::count_if(texts_, isCapped);
  if (capped == 0) return {};
  return tr(" Of a sequence at most %1 are selected (Max. of a sequence), which is less than %2 % "
            "in %3 of the lines.")
      .arg(countText(masking_.maxSelections), QString::number(100.0 * masking_.rate),
           countText(capped));
}

void MaskingPanel::showTexts() {
  std::vector<ReportTableModel::Row> rows;
  std::array<std::int64_t, 4> counts{};
  std::int64_t pieces = 0;
  for (std::size_t line = 0; line < texts_.size(); ++line) {
    const std::vector<MaskedText::Piece>& all = texts_[line].pieces;
    pieces += std::ssize(all) - 2;
    for (std::size_t at = 0; at < all.size(); ++at) {
      ++counts[static_cast<std::size_t>(all[at].fate)];
      if (all[at].fate == PieceFate::kSeen) continue;
      rows.push_back({static_cast<qlonglong>(line + 1), static_cast<qlonglong>(at),
                      shownText(QString::fromStdString(all[at].piece)),
                      nameOfFate(fateOf(all[at].fate)),
                      shownText(QString::fromStdString(all[at].shown))});
    }
  }
  const auto selected = static_cast<std::int64_t>(rows.size());
  selections_.setRows(std::move(rows));
  QStringList parts;
  for (const Fate& fate : kFates)
    parts << QStringLiteral("<span style=\"background-color:%1\">&nbsp;%2&nbsp;</span> %3")
                 .arg(groundOf(fate, palette()), nameOfFate(fate),
                      countText(counts[static_cast<std::size_t>(fate.fate)]));
  summary_->setTextFormat(Qt::RichText);
  summary_->setText(
      texts_.empty()
          ? tr("No training line passes the filter.")
          : tr("%1 of %2 tokens of %3 lines are to be predicted (%4 %): %5. What stood there is "
               "struck through.")
                    .arg(countText(selected), countText(pieces), countText(std::ssize(texts_)),
                         QString::number(pieces > 0 ? 100.0 * static_cast<double>(selected) /
                                                          static_cast<double>(pieces)
                                                    : 0.0,
                                         'f', 1),
                         parts.join(QStringLiteral(", "))) +
                capText());
  view_->setHtml(htmlOf(texts_, palette()));
}

}  // namespace parapet::ui
