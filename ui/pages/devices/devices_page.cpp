// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/devices/devices_page.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/base/files.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/selftest/measure.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/device_model.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

// A name and its numbers are read together.
constexpr int kWidestTable = 720;

QString titleOf(const workspace::DeviceInfo& device) {
  const QString name = QString::fromStdString(device.name);
  return device.instructionSet.empty()
             ? name
             : QStringLiteral("%1 · %2").arg(name, QString::fromStdString(device.instructionSet));
}

QString originOf(const workspace::DeviceInfo& device) {
  const QString plugin = QString::fromStdString(device.plugin);
  const QString reason = shownText(device.reason);
  return plugin.isEmpty() || reason.isEmpty() ? plugin + reason
                                              : QStringLiteral("%1\n%2").arg(plugin, reason);
}

QString errorText(double maxError) {
  return std::isfinite(maxError) ? QString::number(maxError / selftest::kUnit, 'f', 2)
                                 : DeviceDetails::tr("failed");
}

/// Cells of the device table: the outcome with a coloured dot before it (the word says the same),
/// what is only for looking up in quiet colour.
class OutcomeDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

constexpr int kDotSize = 10;

QColor colorOf(DeviceModel::Health health, const QPalette& palette) {
  switch (health) {
    case DeviceModel::Health::kGood:
      return goodColor(palette);
    case DeviceModel::Health::kCareful:
      return carefulColor(palette);
    default:
      return badColor(palette);
  }
}

QPixmap dot(const QColor& color, const QPen& outline) {
  QPixmap pixmap(kDotSize, kDotSize);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(outline);
  painter.setBrush(color);
  painter.drawEllipse(1, 1, kDotSize - 2, kDotSize - 2);
  return pixmap;
}

/// In a selected row the dot needs an edge to be seen on the highlight.
QIcon dotIcon(const QColor& color, const QPalette& palette) {
  QIcon icon(dot(color, Qt::NoPen));
  icon.addPixmap(dot(color, palette.color(QPalette::HighlightedText)), QIcon::Selected);
  return icon;
}

void OutcomeDelegate::initStyleOption(QStyleOptionViewItem* option,
                                      const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (index.column() == DeviceModel::kReason)
    option->palette.setColor(QPalette::Text, quietColor(option->palette));
  if (index.column() != DeviceModel::kOutcome) return;
  const auto health = index.data(DeviceModel::kHealthRole).value<DeviceModel::Health>();
  option->icon = dotIcon(colorOf(health, option->palette), option->palette);
  option->features |= QStyleOptionViewItem::HasDecoration;
  option->decorationSize = QSize(kDotSize, kDotSize);
}

QToolButton* buttonFor(QAction* action, const QString& text) {
  auto* button = new QToolButton;
  button->setDefaultAction(action);
  button->setText(text);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setAccessibleName(action->text());
  button->setVisible(action->isVisible());
  // Each change of the action would bring its long text back.
  QObject::connect(action, &QAction::changed, button, [action, button, text] {
    button->setText(text);
    button->setVisible(action->isVisible());
  });
  return button;
}

/// Tall enough for its rows, as long as they are few.
void fitHeight(QTableView& table) {
  constexpr int kMaxRows = 10;
  const int rows = std::min(table.model()->rowCount(), kMaxRows);
  table.setFixedHeight(table.horizontalHeader()->sizeHint().height() +
                       rows * table.verticalHeader()->defaultSectionSize() +
                       2 * table.frameWidth() + table.horizontalScrollBar()->sizeHint().height());
}

}  // namespace

DeviceDetails::DeviceDetails(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel),
      origin_(new QLabel),
      hint_(new QLabel),
      ops_({tr("Operation"), tr("Cases"), tr("Failed"), tr("Largest error [2⁻²⁴]")}, {1, 2, 3}),
      opsView_(new QTableView) {
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  origin_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  origin_->setWordWrap(true);
  origin_->setAccessibleName(tr("Where the device comes from"));
  hint_->setWordWrap(true);
  opsView_->setModel(&ops_);
  setTableLook(*opsView_, tr("Operations of the device"));
  opsView_->setMaximumWidth(kWidestTable);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(title_);
  layout->addWidget(origin_);
  layout->addWidget(hint_);
  layout->addWidget(opsView_, 1);
  layout->addStretch();
  clear();
}

void DeviceDetails::clear() {
  for (QWidget* part : {static_cast<QWidget*>(title_), static_cast<QWidget*>(origin_),
                        static_cast<QWidget*>(hint_), static_cast<QWidget*>(opsView_)})
    part->hide();
}

void DeviceDetails::show(const workspace::DeviceInfo& device,
                         const selftest::DeviceReport* report) {
  title_->setText(titleOf(device));
  origin_->setText(originOf(device));
  title_->show();
  origin_->show();
  hint_->setText(device.usable ? tr("Not tested yet. The self-test compares every operation with a "
                                    "plain double-precision reference and measures the speed.")
                               : QString());
  hint_->setVisible(!report && device.usable);
  opsView_->setVisible(report);
  if (report) showOps(*report);
}

void DeviceDetails::showOps(const selftest::DeviceReport& report) {
  std::vector<ReportTableModel::Row> rows;
  for (const selftest::OpReport& op : report.ops)
    rows.push_back({QString::fromStdString(op.op), op.cases, op.failed, errorText(op.maxError)});
  ops_.setRows(std::move(rows));
  fitTableColumns(*opsView_, 0);
}

SelfTest::SelfTest(QObject* parent) : QObject(parent), background_("self-test", this) {
  connect(&background_, &Background::progressed, this,
          [this](const QString& stage, qint64 done, qint64 total) {
            // All devices have about as many cases.
            const auto before = static_cast<qint64>(devices_ - waiting_.size()) - 1;
            emit progressed(stage, before * total + done, static_cast<qint64>(devices_) * total);
          });
}

void SelfTest::start() {
  if (running_) return;
  waiting_ = selftest::devicesNamed("").value();
  std::ranges::reverse(waiting_);
  devices_ = waiting_.size();
  running_ = true;
  emit runningChanged(true);
  testNext();
}

void SelfTest::testNext() {
  if (waiting_.empty()) return end({});
  const tensor::Device device = waiting_.back();
  waiting_.pop_back();
  background_.start(
      [device](const WorkContext& context) { return selftest::testDevice(device, {}, context); },
      [this](const Result<selftest::DeviceReport>& report) {
        if (!report)
          return end(report.error().code == ErrorCode::kCancelled
                         ? tr("The self-test was stopped")
                         : shownText(report.error().text()));
        emit reported(*report);
        testNext();
      });
}

void SelfTest::end(const QString& error) {
  running_ = false;
  emit runningChanged(false);
  emit ended(error);
}

DevicesPage::DevicesPage(Workbench& bench, QWidget* parent)
    : Page(parent),
      workspace_(bench.workspace),
      failed_({tr("Device"), tr("Case"), tr("Error"), tr("Accepted"), tr("Problem")}, {2, 3}),
      summary_(new QLabel),
      progress_(new ThinProgressBar),
      table_(new QTableView),
      details_(new DeviceDetails),
      failuresTitle_(new QLabel(tr("Cases that did not pass"))),
      failures_(new QTableView),
      test_(makeAction("run", tr("Test the devices"),
                       tr("Compares every operation of every usable device with its reference and "
                          "measures its speed; takes some seconds"))),
      stop_(makeAction("stop", tr("Stop the self-test"),
                       tr("Stops the self-test; results so far are kept"))),
      measure_(makeAction("step", tr("Measure this machine"),
                          tr("Measures memory and arithmetic of this machine anew, in about a "
                             "second; plans and placements rest on it"))),
      refresh_(makeAction("refresh", tr("Look for devices again"),
                          tr("Shows the devices that the program found at its start"))),
      retry_(makeAction("redo", tr("Try disabled plugins again"),
                        tr("Tries disabled plugins again at the next start of the program"))),
      copy_(makeAction("copy", tr("Copy the devices"), tr("Copies the table as CSV"))),
      exportCsv_(makeAction("export", tr("Export the devices as CSV…"), {})),
      exportJson_(makeAction("export", tr("Export the devices as JSON…"), {})) {
  setObjectName(QStringLiteral("devicesPage"));
  stop_->setVisible(false);
  retry_->setVisible(false);
  makeTable();
  makeFailures();
  auto* layout = verticalBox(this, 16, {24, 24, 24, 16});
  layout->addWidget(makeHeader());
  layout->addWidget(progress_);
  layout->addWidget(table_);
  layout->addWidget(details_, 1);
  failuresTitle_->setObjectName(QStringLiteral("sectionTitle"));
  failuresHead_ =
      titleWithSign(failuresTitle_, QStringLiteral("docs/devices.md#when-a-device-fails"));
  layout->addWidget(failuresHead_);
  layout->addWidget(failures_, 1);
  connectParts();
  followTest(false);
  showFailures();
  refresh();
}

QAction* DevicesPage::makeAction(const char* icon, const QString& text, const QString& toolTip) {
  auto* action = new QAction(lineIcon(QString::fromLatin1(icon)), text, this);
  if (!toolTip.isEmpty()) action->setToolTip(toolTip);
  return action;
}

QWidget* DevicesPage::makeHeader() {
  summary_->setAccessibleName(tr("Summary"));
  summary_->setWordWrap(true);
  auto* header = new QWidget;
  auto* texts = verticalBox(header, 4);
  auto* layout = horizontalBox(nullptr, 8);
  layout->addWidget(titleWithSign(headingLabel(tr("Devices"), TextSize::kTitle),
                                  QStringLiteral("docs/devices.md")),
                    1);
  texts->addLayout(layout);
  texts->addWidget(summary_);
  for (const auto& [action, text] : {std::pair{test_, tr("Self-test")},
                                     {stop_, tr("Stop")},
                                     {measure_, tr("Measure")},
                                     {retry_, tr("Try again")},
                                     {refresh_, tr("Refresh")}})
    layout->addWidget(buttonFor(action, text), 0, Qt::AlignBottom);
  auto* exporting = exportButton(tr("Export the devices"), tr("Copy or save the table of devices"),
                                 {copy_, exportCsv_, exportJson_}, header);
  layout->addWidget(exporting, 0, Qt::AlignBottom);
  return header;
}

void DevicesPage::makeTable() {
  sorted_.setSourceModel(&model_);
  sorted_.setSortRole(DeviceModel::kSortRole);
  table_->setModel(&sorted_);
  table_->setItemDelegate(new OutcomeDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(DeviceModel::kName, Qt::AscendingOrder);
  setTableLook(*table_, tr("Devices and plugins"));
}

void DevicesPage::makeFailures() {
  failures_->setModel(&failed_);
  setTableLook(*failures_, tr("Cases that did not pass"));
  progress_->setAccessibleName(tr("Progress of the self-test"));
}

void DevicesPage::connectParts() {
  connect(test_, &QAction::triggered, &selfTest_, &SelfTest::start);
  connect(stop_, &QAction::triggered, &selfTest_, &SelfTest::stop);
  connect(measure_, &QAction::triggered, this, &DevicesPage::measure);
  connect(refresh_, &QAction::triggered, this, &DevicesPage::refresh);
  connect(retry_, &QAction::triggered, this, &DevicesPage::retry);
  connect(copy_, &QAction::triggered, this,
          [this] { copyCsv(this, model_.asCsv().toStdString()); });
  connect(exportCsv_, &QAction::triggered, this,
          [this] { exportTo(QStringLiteral("csv"), model_.asCsv()); });
  connect(exportJson_, &QAction::triggered, this,
          [this] { exportTo(QStringLiteral("json"), model_.asJson()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &DevicesPage::showDetails);
  connect(&selfTest_, &SelfTest::runningChanged, this, &DevicesPage::followTest);
  connect(&selfTest_, &SelfTest::progressed, this,
          [this](const QString& stage, qint64 done, qint64 total) {
            progress_->showShare(done, total);
            summary_->setText(
                tr("%1: %2").arg(progressText(QStringLiteral("testing"), done, total), stage));
          });
  connect(&selfTest_, &SelfTest::reported, this, [this](const selftest::DeviceReport& report) {
    model_.setReport(report);
    showFailures();
    showDetails();
    fitTable();
  });
  connect(&selfTest_, &SelfTest::ended, this, [this](const QString& error) {
    showSummary();
    if (!error.isEmpty()) emit complained(error);
  });
}

void DevicesPage::refresh() {
  setUsable(*refresh_, false, tr("It is looking for devices"));
  if (!selfTest_.running()) summary_->setText(tr("Looking…"));
  using Answer = Result<std::vector<workspace::DeviceInfo>>;
  background_.start(
      [&workspace = workspace_](const WorkContext&) -> Answer {
        std::vector<workspace::DeviceInfo> found = workspace::Workspace::devices();
        std::ranges::move(workspace.machines(), std::back_inserter(found));
        return found;
      },
      [this](Answer answer) {
        setUsable(*refresh_, true, {});
        if (!answer) return summary_->setText(shownText(answer.error().text()));
        model_.setDevices(std::move(answer).value());
        retry_->setVisible(model_.hasCrashed());
        setUsable(*test_, !selfTest_.running() && model_.usable() > 0,
                  tr("No device can train here"));
        fitTable();
        if (!selfTest_.running()) showSummary();
      });
}

void DevicesPage::showSummary() {
  const bool one = model_.rowCount() == 1;
  summary_->setText(
      tr("%1 of %2 can train. Name one in the mesh of an experiment, as cpu:0 or cpu*4.")
          .arg(model_.usable())
          .arg(one ? tr("1 device") : tr("%n devices and plugins", nullptr, model_.rowCount())));
}

void DevicesPage::fitTable() {
  fitTableColumns(*table_, DeviceModel::kReason);
  fitHeight(*table_);
  if (!table_->currentIndex().isValid() && sorted_.rowCount() > 0) table_->selectRow(0);
}

void DevicesPage::showDetails() {
  const QModelIndex current = sorted_.mapToSource(table_->currentIndex());
  if (!current.isValid()) return details_->clear();
  const auto& device = model_.devices()[static_cast<std::size_t>(current.row())];
  const auto report = model_.reports().find(device.name);
  details_->show(device, report == model_.reports().end() ? nullptr : &report->second);
}

void DevicesPage::showFailures() {
  std::vector<ReportTableModel::Row> rows;
  for (const auto& [device, report] : model_.reports())
    for (const selftest::FailedCase& failed : report.failures)
      rows.push_back({QString::fromStdString(device), QString::fromStdString(failed.name),
                      QString::number(failed.outcome.maxError, 'g', 3),
                      QString::number(failed.outcome.tolerance, 'g', 3),
                      shownText(failed.outcome.detail)});
  failuresHead_->setVisible(!rows.empty());
  failures_->setVisible(!rows.empty());
  failed_.setRows(std::move(rows));
  constexpr int kWhatIsWrong = 4;
  fitTableColumns(*failures_, kWhatIsWrong);
}

void DevicesPage::followTest(bool running) {
  test_->setVisible(!running);
  setUsable(*test_, !running && model_.usable() > 0, tr("No device can train here"));
  stop_->setVisible(running);
  progress_->setVisible(running);
  progress_->showShare(0, 1);
}

void DevicesPage::retry() {
  const int again = workspace::Workspace::forgetPluginCrashes();
  retry_->setVisible(false);
  emit messageRequested(again > 0 ? tr("The next start of Parapet tries them again")
                                  : tr("They are no longer disabled; start Parapet again"));
}

void DevicesPage::measure() {
  setUsable(*measure_, false, tr("It is being measured"));
  measuring_.start(
      [&workspace = workspace_](const WorkContext& context) {
        return workspace.measureMachine(context);
      },
      [this](const Status& measured) {
        setUsable(*measure_, true, {});
        if (!measured) return emit complained(shownText(measured.error().text()));
        emit messageRequested(tr("This machine was measured; plans rest on its profile"));
        refresh();
      });
}

void DevicesPage::exportTo(const QString& suffix, const QString& text) {
  auto* dialog = new QFileDialog(window(), tr("Export the devices"), QString(),
                                 QStringLiteral("*.%1").arg(suffix));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  connect(dialog, &QFileDialog::fileSelected, this, [this, text](const QString& file) {
    const Status saved = writeFileAtomically(file.toStdString(), text.toStdString());
    if (!saved) return emit complained(shownText(saved.error().text()));
    const std::string note =
        file.endsWith(QLatin1String("csv")) ? formulaNote(text.toStdString()) : "";
    emit messageRequested(tr("Exported to %1").arg(withNote(file, note)));
  });
  dialog->open();
}

}  // namespace parapet::ui
