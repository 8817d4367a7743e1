// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/download_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QVBoxLayout>

#include "engine/base/text.h"
#include "engine/workspace/downloads.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kListWidth = 180, kTextWidth = 460;

QLabel* wrappedLabel() {
  auto* label = new QLabel;
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

}  // namespace

DownloadDialog::DownloadDialog(const QString& folder, QWidget* parent,
                               std::span<const workspace::KnownDataset> known)
    : QDialog(parent),
      folder_(folder.toStdString()),
      known_(known),
      list_(new QListWidget),
      title_(new QLabel),
      facts_(wrappedLabel()),
      terms_(new QStackedWidget),
      licence_(wrappedLabel()),
      accept_(new QCheckBox(tr("I &accept these conditions"))),
      address_(new QLineEdit),
      checksum_(new QLineEdit),
      place_(wrappedLabel()),
      progress_(new ThinProgressBar),
      status_(wrappedLabel()),
      download_(new QPushButton),
      cancel_(new QPushButton(tr("&Cancel"))),
      close_(new QPushButton(tr("Close"))) {
  setObjectName(QStringLiteral("downloadDialog"));
  // The label holds a link; the other text in it is escaped.
  licence_->setTextFormat(Qt::RichText);
  licence_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  licence_->setOpenExternalLinks(true);
  setWindowTitle(tr("Download a data set"));
  auto* layout = verticalBox(this, 12, {24, 24, 24, 16});
  layout->addWidget(makeChoice(), 1);
  layout->addWidget(place_);
  layout->addWidget(progress_);
  layout->addWidget(status_);
  layout->addWidget(makeButtons());
  place_->setAccessibleName(tr("Where the file goes"));
  progress_->setAccessibleName(tr("Progress of the download"));
  status_->setAccessibleName(tr("State of the download"));
  progress_->setVisible(false);
  connectParts();
  list_->setCurrentRow(0);
}

QWidget* DownloadDialog::makeChoice() {
  for (const workspace::KnownDataset& set : known_)
    list_->addItem(QString::fromStdString(set.name));
  list_->addItem(tr("Another address"));
  list_->setFixedWidth(kListWidth);
  list_->setAccessibleName(tr("Data sets"));
  list_->setToolTip(tr("Public data sets that Parapet can read, and any file on the web"));
  title_->setWordWrap(true);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  facts_->setAccessibleName(tr("Size, checksum and address"));
  terms_->addWidget(makeLicence());
  terms_->addWidget(makeAddress());
  auto* choice = new QWidget;
  auto* across = horizontalBox(choice, 16);
  across->addWidget(list_);
  for (QLabel* label : {title_, facts_})
    label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  auto* right = new QVBoxLayout;
  right->addWidget(title_);
  right->addWidget(facts_);
  right->addWidget(terms_, 1);
  across->addLayout(right, 1);
  return choice;
}

QWidget* DownloadDialog::makeLicence() {
  licence_->setMinimumWidth(kTextWidth);
  licence_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  licence_->setAccessibleName(tr("Licence"));
  accept_->setAccessibleName(tr("I accept these conditions"));
  accept_->setToolTip(tr("Nothing is downloaded before you accept the licence of the data set"));
  auto* page = new QWidget;
  auto* column = verticalBox(page);
  column->addWidget(licence_, 1);
  column->addWidget(accept_);
  return page;
}

QWidget* DownloadDialog::makeAddress() {
  address_->setPlaceholderText(QStringLiteral("https://example.org/ratings.csv"));
  address_->setAccessibleName(tr("Address of the file"));
  address_->setToolTip(tr("Begins with https:// or http://"));
  checksum_->setPlaceholderText(QStringLiteral("md5:… / sha256:…"));
  checksum_->setAccessibleName(tr("Checksum of the file"));
  checksum_->setToolTip(
      tr("As published beside the file; may be empty. A file that does not match it is removed."));
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  form->setContentsMargins(0, 0, 0, 0);
  form->addRow(tr("&Address"), address_);
  form->addRow(tr("Check&sum"), checksum_);
  return page;
}

QWidget* DownloadDialog::makeButtons() {
  download_->setDefault(true);
  cancel_->setToolTip(
      tr("Stops the download; the part that has arrived is kept and can be resumed"));
  cancel_->setAccessibleName(tr("Cancel"));
  close_->setToolTip(
      tr("Stops a download under way and closes; the part that has arrived is kept"));
  close_->setAccessibleName(tr("Close"));
  auto* buttons = new QDialogButtonBox;
  buttons->addButton(download_, QDialogButtonBox::ActionRole);
  buttons->addButton(cancel_, QDialogButtonBox::ActionRole);
  buttons->addButton(close_, QDialogButtonBox::RejectRole);
  return buttons;
}

void DownloadDialog::connectParts() {
  connect(list_, &QListWidget::currentRowChanged, this, &DownloadDialog::showSelected);
  connect(accept_, &QCheckBox::toggled, this, &DownloadDialog::follow);
  for (QLineEdit* line : {address_, checksum_})
    connect(line, &QLineEdit::textChanged, this, &DownloadDialog::follow);
  connect(download_, &QPushButton::clicked, this, &DownloadDialog::start);
  connect(cancel_, &QPushButton::clicked, this, [this] { background_.stop(); });
  connect(close_, &QPushButton::clicked, this, &DownloadDialog::reject);
  connect(&background_, &Background::progressed, this, &DownloadDialog::showProgress);
  connect(&background_, &Background::runningChanged, this, &DownloadDialog::follow);
}

const workspace::KnownDataset* DownloadDialog::selected() const {
  const auto row = static_cast<std::size_t>(list_->currentRow());
  return row < known_.size() ? &known_[row] : nullptr;
}

Result<workspace::DownloadRequest> DownloadDialog::request() const {
  if (const workspace::KnownDataset* set = selected())
    return workspace::DownloadRequest{set->url, folder_ / set->fileName, set->checksum};
  const std::string url = address_->text().trimmed().toStdString();
  PARAPET_ASSIGN(const workspace::WebAddress address, workspace::parseWebAddress(url));
  if (address.fileName.empty())
    return Error{ErrorCode::kInvalidDocument, tr("The address names no file").toStdString()};
  workspace::DownloadRequest wanted{url, folder_ / address.fileName};
  if (const QString text = checksum_->text().trimmed(); !text.isEmpty()) {
    PARAPET_ASSIGN(wanted.checksum, workspace::parseChecksum(text.toStdString()));
  }
  return wanted;
}

void DownloadDialog::showSelected() {
  const workspace::KnownDataset* set = selected();
  accept_->setChecked(false);
  status_->clear();
  terms_->setCurrentIndex(set ? 0 : 1);
  facts_->setVisible(set != nullptr);
  if (set) {
    title_->setText(shownText(set->title));
    facts_->setText(tr("%1 · %2\n%3")
                        .arg(set->bytes ? bytesText(static_cast<std::int64_t>(*set->bytes))
                                        : tr("size not known"),
                             set->checksum ? QString::fromStdString(set->checksumText())
                                           : tr("no checksum published here"),
                             shownText(set->url)));
    licence_->setText(QStringLiteral("%1<br><br><a href=\"%2\">%3</a>")
                          .arg(QString::fromStdString(set->licence).toHtmlEscaped(),
                               QString::fromStdString(set->licenceUrl).toHtmlEscaped(),
                               tr("Full text of the licence")));
  } else {
    title_->setText(tr("A file on the web. Check yourself whether you may use it."));
  }
  follow();
}

void DownloadDialog::follow() {
  const auto wanted = request();
  const bool busy = running();
  const bool resumes = wanted.ok() && workspace::partialBytes(wanted->target) > 0;
  download_->setText(resumes ? tr("&Resume") : tr("&Download"));
  download_->setAccessibleName(resumes ? tr("Resume") : tr("Download"));
  download_->setToolTip(resumes ? tr("Continues where the last download ended")
                                : tr("Fetches the file and checks it"));
  download_->setEnabled(!busy && wanted.ok() && (!selected() || accept_->isChecked()));
  cancel_->setEnabled(busy);
  for (QWidget* input : {static_cast<QWidget*>(list_), static_cast<QWidget*>(terms_)})
    input->setEnabled(!busy);
  progress_->setVisible(busy);
  if (wanted.ok())
    place_->setText(tr("Goes to %1").arg(shownText(wanted->target.string())));
  else
    place_->setText(address_->text().isEmpty() ? QString() : shownText(wanted.error().text()));
}

void DownloadDialog::start() {
  const auto wanted = request();
  if (!wanted || running()) return;
  meter_ = {};
  progress_->showShare(0, 0);
  status_->setText(tr("Connecting…"));
  background_.start(
      [request = *wanted](const WorkContext& context) {
        return workspace::download(request, context);
      },
      [this](const Result<workspace::DownloadReport>& report) { finish(report); });
}

void DownloadDialog::showProgress(const QString& stage, qint64 done, qint64 total) {
  meter_.report(done, total);
  progress_->showShare(done, total);
  QString text = progressText(stage, done, total) + QStringLiteral(", ");
  text += total > 0 ? tr("%1 of %2").arg(bytesText(done), bytesText(total)) : bytesText(done);
  if (const auto speed = meter_.bytesPerSecond())
    text += tr(", %1/s").arg(bytesText(static_cast<std::int64_t>(*speed)));
  if (const auto left = meter_.secondsLeft())
    text += tr(", %1 left").arg(QString::fromStdString(formatDuration(*left)));
  status_->setText(text);
}

void DownloadDialog::finish(const Result<workspace::DownloadReport>& report) {
  follow();
  if (!report) return status_->setText(shownText(report.error().text()));
  status_->setText(
      tr("%1, %2: %3")
          .arg(bytesText(static_cast<std::int64_t>(report->bytes)),
               report->verified ? tr("verified") : tr("no checksum to check it against"),
               shownText(report->path.string())));
  for (const std::string& note : report->notes)
    status_->setText(status_->text() + QLatin1Char('\n') + shownText(note));
  if (!selected() || selected()->source)
    emit downloaded(QString::fromStdString(report->path.string()));
  // Notes of a download stay to be read.
  if (report->notes.empty()) accept();
}

void DownloadDialog::reject() {
  background_.stop();
  QDialog::reject();
}

}  // namespace parapet::ui
