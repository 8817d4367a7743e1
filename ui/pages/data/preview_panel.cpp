// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/preview_panel.h"

#include <QBrush>
#include <QDateTime>
#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QScrollBar>
#include <QTabBar>
#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/pages/data/side_files_panel.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kSpace = 6, kMinWidth = 128;
// Wider tables are told what their columns are by the list of columns.
constexpr int kMaxBoxes = 200;

struct Use {
  const char* word;
  const char* label;
};
constexpr Use kUses[] = {
    {"", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "not used")},
    {"user", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "user")},
    {"item", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "item")},
    {"label", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "label")},
    {"weight", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "weight")},
    {"context", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "context")},
    {"feature", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "feature")},
    {"number", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "number")},
    {"time", QT_TRANSLATE_NOOP("parapet::ui::RoleHeader", "time")},
};

/// "1997-12-04 15:55:49" of seconds since 1970, as an import reads them; other texts as they are.
QString dateText(const std::string& cell) {
  bool isNumber = false;
  const QString text = shownText(cell);
  const qint64 seconds = text.toLongLong(&isNumber);
  const auto time = QDateTime::fromSecsSinceEpoch(seconds, Qt::UTC);
  return isNumber && time.isValid() ? time.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) : text;
}

constexpr int kMinRows = 4, kMaxColumnWidth = 320, kRowHeight = 26;

}  // namespace

void PreviewModel::setPreview(workspace::SourcePreview preview) {
  beginResetModel();
  preview_ = std::move(preview);
  endResetModel();
}

void PreviewModel::setTimes(std::vector<bool> times) {
  if (times == times_) return;
  times_ = std::move(times);
  if (rowCount() == 0 || columnCount() == 0) return;
  emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

bool PreviewModel::isTime(int column) const {
  return column < static_cast<int>(times_.size()) && times_[static_cast<std::size_t>(column)];
}

int PreviewModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(preview_.rows.size());
}

int PreviewModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(preview_.columns.size());
}

QVariant PreviewModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto column = static_cast<std::size_t>(index.column());
  const workspace::SourcePreview::Cell& cell =
      preview_.rows[static_cast<std::size_t>(index.row())][column];
  const workspace::SourceColumn& about = preview_.columns[column];
  switch (role) {
    case Qt::DisplayRole:
      if (!cell) return QStringLiteral("∅");
      return isTime(index.column()) ? dateText(*cell) : shownText(*cell);
    case Qt::EditRole:
      return cell ? QString::fromStdString(*cell) : QString();
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return cell ? shownText(*cell) : tr("no value");
    case Qt::ForegroundRole:
      return cell ? QVariant() : QVariant(QGuiApplication::palette().placeholderText());
    case Qt::TextAlignmentRole: {
      const bool number = about.type != workspace::ValueType::kText && !about.isList;
      return QVariant::fromValue(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }
    default:
      return {};
  }
}

QVariant PreviewModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical)
    return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  if (section < 0 || section >= columnCount()) return {};
  const auto at = static_cast<std::size_t>(section);
  const workspace::SourceColumn& column = preview_.columns[at];
  const QString name = QString::fromStdString(column.name);
  const QString type = QString::fromStdString(workspace::typeName(column));
  if (role == Qt::DisplayRole) return name;
  if (role == Qt::UserRole) {
    const std::string of = at < preview_.describes.size() ? preview_.describes[at] : std::string();
    if (at >= preview_.sourceColumns) return tr("%1, derived").arg(type);
    if (isTime(section)) return tr("time (UTC)");
    return of.empty()     ? type
           : of == "item" ? tr("%1, of the item").arg(type)
                          : tr("%1, of the user").arg(type);
  }
  if (role == Qt::ToolTipRole)
    return tr("%1: %2").arg(shownText(name),
                            headerData(section, orientation, Qt::UserRole).toString());
  return {};
}

RoleHeader::RoleHeader(OfColumn useOf, OfColumn reasonOf, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent),
      useOf_(std::move(useOf)),
      reasonOf_(std::move(reasonOf)) {
  setDefaultAlignment(Qt::AlignLeft | Qt::AlignTop);
  setHighlightSections(false);
  setSectionsClickable(false);
  connect(this, &QHeaderView::sectionResized, this, &RoleHeader::placeBoxes);
  connect(this, &QHeaderView::sectionCountChanged, this, &RoleHeader::makeBoxes);
}

QComboBox* RoleHeader::box(int column) const {
  const auto at = static_cast<std::size_t>(column);
  return at < boxes_.size() ? boxes_[at] : nullptr;
}

QString RoleHeader::nameOf(int section) const {
  return model() == nullptr
             ? QString()
             : model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString();
}

void RoleHeader::makeBoxes() {
  const auto wanted = static_cast<std::size_t>(std::min(count(), kMaxBoxes));
  while (boxes_.size() > wanted) {
    boxes_.back()->deleteLater();
    boxes_.back()->hide();
    boxes_.pop_back();
  }
  while (boxes_.size() < wanted) {
    auto* box = new QComboBox(viewport());
    for (const Use& use : kUses) box->addItem(tr(use.label), QString::fromLatin1(use.word));
    box->setFocusPolicy(Qt::StrongFocus);
    const int section = static_cast<int>(boxes_.size());
    connect(box, &QComboBox::activated, this, [this, box, section] {
      emit useChosen(nameOf(section), box->currentData().toString());
    });
    box->show();
    boxes_.push_back(box);
  }
  follow();
}

void RoleHeader::follow() {
  for (std::size_t at = 0; at < boxes_.size(); ++at) {
    QComboBox& box = *boxes_[at];
    const QString name = nameOf(static_cast<int>(at));
    box.setCurrentIndex(std::max(0, box.findData(useOf_(name))));
    box.setAccessibleName(tr("Role of the column %1").arg(name));
    const QString roles =
        tr("Role of the column %1: user, item, label, weight, context, time, id feature "
           "of user or item, or dense feature")
            .arg(name);
    const QString reason = reasonOf_(name);
    box.setToolTip(reason.isEmpty() ? roles : tr("Proposed, because of %1. %2").arg(reason, roles));
  }
  placeBoxes();
}

void RoleHeader::placeBoxes() {
  for (std::size_t at = 0; at < boxes_.size(); ++at) {
    const int section = static_cast<int>(at);
    QComboBox& box = *boxes_[at];
    const int high = box.sizeHint().height();
    // The last column takes the rest of the table; its list of roles does not.
    const int wide = visualIndex(section) == count() - 1
                         ? std::min(sectionSize(section),
                                    std::max(sectionSizeHint(section), kMaxColumnWidth / 2))
                         : sectionSize(section);
    box.setGeometry(sectionViewportPosition(section) + kSpace / 2, height() - high - kSpace / 2,
                    wide - kSpace, high);
  }
}

QSize RoleHeader::sizeHint() const {
  const int box = boxes_.empty() ? 0 : boxes_.front()->sizeHint().height() + kSpace;
  return {QHeaderView::sizeHint().width(), 2 * fontMetrics().height() + 2 * kSpace + box};
}

QSize RoleHeader::sectionSizeFromContents(int section) const {
  const int name = fontMetrics().horizontalAdvance(nameOf(section)) + 2 * kSpace + 8;
  const int below = reasonOf_(nameOf(section)).isEmpty()
                        ? 0
                        : fontMetrics().horizontalAdvance(tr("integer, role proposed"));
  const int box = boxes_.empty() ? kMinWidth : boxes_.front()->minimumSizeHint().width() + kSpace;
  return {std::max({kMinWidth, box, name, below + 2 * kSpace}), sizeHint().height()};
}

void RoleHeader::updateGeometries() {
  QHeaderView::updateGeometries();
  placeBoxes();
}

void RoleHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  painter->save();
  painter->fillRect(rect, palette().window());
  painter->setPen(lineColor(palette()));
  painter->drawLine(rect.topRight(), rect.bottomRight());
  painter->drawLine(rect.bottomLeft(), rect.bottomRight());
  QRect text = rect.adjusted(kSpace, kSpace, -kSpace, 0);
  text.setHeight(fontMetrics().height());
  QFont bold = font();
  bold.setBold(true);
  painter->setFont(bold);
  painter->setPen(palette().color(QPalette::WindowText));
  const QFontMetrics metrics(bold);
  painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                    metrics.elidedText(shownText(nameOf(section)), Qt::ElideRight, text.width()));
  painter->setFont(font());
  painter->setPen(quietColor(palette()));
  text.translate(0, fontMetrics().height());
  QString below = model()->headerData(section, Qt::Horizontal, Qt::UserRole).toString();
  if (!reasonOf_(nameOf(section)).isEmpty()) below = tr("%1, role proposed").arg(below);
  painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                    fontMetrics().elidedText(below, Qt::ElideRight, text.width()));
  painter->restore();
}

PreviewPanel::PreviewPanel(ExperimentEditor& editor, SourceWatch& watch, SideFiles& files,
                           QWidget* parent)
    : QWidget(parent),
      watch_(watch),
      model_(new PreviewModel(this)),
      rejectedLines_(new ReportTableModel({tr("Line"), tr("Reason"), tr("Text")}, {0}, this)),
      summary_(new QLabel(this)),
      findings_(new FindingsLabel(this)),
      tabs_(new QTabWidget(this)),
      rows_(new QTableView(this)) {
  header_ =
      new RoleHeader([&watch](const QString& name) { return watch.useOf(name); },
                     [&watch](const QString& name) { return watch.proposalReason(name); }, rows_);
  rows_->setHorizontalHeader(header_);
  rows_->setModel(model_);
  rows_->setAccessibleName(tr("First rows of the source"));
  rows_->setAlternatingRowColors(true);
  rows_->setShowGrid(false);
  rows_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  rows_->verticalHeader()->setDefaultSectionSize(kRowHeight);
  addTableActions(*rows_);
  rejectedLineView_ = makeReportView(*rejectedLines_, tr("Rejected lines"), this);
  rejectedLineView_->horizontalHeader()->setStretchLastSection(true);
  tabs_->addTab(rows_, tr("Rows"));
  tabs_->addTab(rejectedLineView_, tr("Rejected lines"));
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Preview of the source"));
  summary_->setWordWrap(true);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(summary_);
  layout->addWidget(findings_);
  layout->addWidget(new CatalogueOffers(files, this));
  layout->addWidget(tabs_, 1);
  // While there is nothing to show the texts stay on top.
  layout->addStretch(0);
  connect(header_, &RoleHeader::useChosen, &watch, &SourceWatch::setUse);
  connect(&watch, &SourceWatch::previewChanged, this, &PreviewPanel::follow);
  connect(&watch, &SourceWatch::countChanged, this, &PreviewPanel::followCount);
  connect(&editor, &ExperimentEditor::documentChanged, header_, &RoleHeader::follow);
  connect(&editor, &ExperimentEditor::documentChanged, this, &PreviewPanel::followTimes);
  follow();
}

void PreviewPanel::follow() {
  switch (watch_.state()) {
    case SourceWatch::State::kNothing:
      return showMessage(tr("No preview yet: drop a file above, or start from a recipe."));
    case SourceWatch::State::kReading:
      // The rows of before stay in sight: most edits change little.
      summary_->setText(tr("Reading…"));
      return;
    case SourceWatch::State::kFailed: {
      showMessage(tr("The source cannot be read."));
      const Error& error = watch_.error();
      experiment::Findings findings;
      findings.problems.push_back({error.pointer, error.text(), {}});
      findings_->setFindings(findings);
      return;
    }
    case SourceWatch::State::kReady:
      showPreview();
  }
}

void PreviewPanel::followTimes() {
  std::vector<bool> times;
  for (const workspace::SourceColumn& column : model_->preview().columns)
    times.push_back(watch_.useOf(QString::fromStdString(column.name)) == QLatin1String("time"));
  model_->setTimes(std::move(times));
}

void PreviewPanel::showMessage(const QString& text) {
  summary_->setText(text);
  findings_->setFindings({});
  tabs_->hide();
}

void PreviewPanel::showPreview() {
  const workspace::SourcePreview& preview = watch_.preview();
  model_->setPreview(preview);
  followTimes();
  std::vector<ReportTableModel::Row> bad;
  for (const workspace::Quarantine::Line& line : preview.rejectedLines.lines())
    bad.push_back({QString::number(line.number), shownText(line.reason), shownText(line.excerpt)});
  rejectedLines_->setRows(std::move(bad));
  rejectedLineView_->resizeColumnsToContents();
  rejectedLineView_->show();
  const std::int64_t rejected = preview.rejectedLines.rejected();
  tabs_->setTabText(1, rejected == 0 ? tr("Rejected lines")
                       : preview.complete
                           ? tr("Rejected lines (%1)").arg(countText(rejected))
                           : tr("Rejected lines (%1 of the first %2)")
                                 .arg(countText(rejected), countText(preview.rowsRead + rejected)));
  tabs_->setTabEnabled(1, preview.rejectedLines.rejected() > 0);
  // One tab says nothing, and on a low screen its line is worth a row of data.
  tabs_->tabBar()->setVisible(preview.rejectedLines.rejected() > 0);
  followCount();
  rows_->resizeColumnsToContents();
  for (int column = 0; column < model_->columnCount(); ++column)
    rows_->setColumnWidth(column, std::min(kMaxColumnWidth, rows_->columnWidth(column)));
  header_->follow();
  // The boxes over the columns leave room for rows.
  tabs_->setMinimumHeight(tabs_->tabBar()->sizeHint().height() + header_->sizeHint().height() +
                          kMinRows * kRowHeight +
                          rows_->horizontalScrollBar()->sizeHint().height());
  tabs_->show();
  showTitles();
}

/// Says how many rows were read and rejected: the first ones promise nothing for the rest.
void PreviewPanel::followCount() {
  if (watch_.state() != SourceWatch::State::kReady) return;
  const workspace::SourcePreview& preview = watch_.preview();
  const std::optional<workspace::FilterCount>& count = watch_.count();
  const bool isWhole = preview.complete || (count && count->complete);
  const QString roles = watch_.hasProposals() ? tr("Roles are proposed from names and cells; "
                                                   "correct them above the columns, and press Run.")
                                              : tr("Choose the role of each column above it.");
  const std::int64_t rows = count && count->complete ? count->rows : preview.rowsExpected;
  QString text = tr("%1: %2 rows, %3 columns. %4")
                     .arg(shownText(preview.file),
                          isWhole ? countText(rows) : tr("about %1").arg(countText(rows)),
                          countText(static_cast<std::int64_t>(preview.sourceColumns)), roles);
  if (!isWhole)
    text += watch_.counting()
                ? tr(" Only the first %1 rows were read so far; the others are being read.")
                      .arg(countText(count ? count->rows : preview.rowsRead))
                : tr(" Only the first %1 rows were read.").arg(countText(preview.rowsRead));
  summary_->setText(text);
  experiment::Findings findings;
  for (const std::string& warning : preview.warnings)
    findings.warnings.push_back({{}, warning, {}});
  for (const Error& error : preview.derivedProblems)
    findings.problems.push_back({error.pointer, error.text(), {}});
  // More of them are a problem of the experiment.
  if (count && count->complete && count->rejected > 0)
    findings.warnings.push_back(
        {{},
         tr("%1 of all %2 lines are rejected")
             .arg(countText(count->rejected), countText(count->rows + count->rejected))
             .toStdString(),
         {}});
  findings_->setFindings(findings);
}

void PreviewPanel::showTitles() {
  const workspace::SourcePreview& preview = model_->preview();
  const bool sameFile = std::exchange(file_, preview.file) == preview.file;
  const auto isTitle = [](const std::string& of) { return !of.empty(); };
  const int before =
      std::exchange(titles_, static_cast<int>(std::ranges::count_if(preview.describes, isTitle)));
  if (!sameFile || titles_ <= before) return;
  int seen = 0;
  for (int column = model_->columnCount() - 1; column >= 0; --column)
    if (isTitle(preview.describes[static_cast<std::size_t>(column)]) && ++seen == titles_ - before)
      return rows_->scrollTo(model_->index(0, column));
}

}  // namespace parapet::ui
