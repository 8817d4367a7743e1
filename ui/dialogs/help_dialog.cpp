// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/help_dialog.h"

#include <QDesktopServices>
#include <QFile>
#include <QHeaderView>
#include <QRegularExpression>
#include <QTableView>
#include <QTextBlock>
#include <QTextCursor>

#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr QSize kSize(880, 480);
constexpr int kListWidth = 152;

QString markdownOf(const QString& name) {
  QFile file(QStringLiteral(":/docs/") + name);
  if (!file.open(QIODevice::ReadOnly)) return {};
  QString text = QString::fromUtf8(file.readAll());
  // Comments and pictures are for the readers of the source; so are links to files beside it.
  static const QRegularExpression kComment(QStringLiteral("<!--.*?-->\\n*"),
                                           QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression kPicture(QStringLiteral("!\\[[^\\]]*\\]\\([^)]*\\)\\n?"));
  static const QRegularExpression kFile(QStringLiteral("\\[([^\\]]*)\\]\\(\\.\\./[^)]*\\)"));
  return text.remove(kComment).remove(kPicture).replace(kFile, QStringLiteral("\\1"));
}

/// "Tables and features" as links name it: "tables-and-features".
QString anchorOf(const QString& heading) {
  static const QRegularExpression kOther(QStringLiteral("[^a-z0-9 -]"));
  return heading.toLower().remove(kOther).replace(QLatin1Char(' '), QLatin1Char('-'));
}

constexpr QSize kHelpSize(720, 480);

}  // namespace

DocumentDialog::DocumentDialog(QWidget* parent)
    : QDialog(parent), list_(new QListWidget(this)), text_(new QTextBrowser(this)) {
  setObjectName(QStringLiteral("documentDialog"));
  setWindowTitle(tr("Documents"));
  resize(kSize);
  list_->setFixedWidth(kListWidth);
  list_->setAccessibleName(tr("Documents"));
  list_->setToolTip(tr("Shows the chosen document"));
  for (const auto& [name, title] : documents()) {
    auto* item = new QListWidgetItem(title, list_);
    item->setData(Qt::UserRole, name);
  }
  text_->setAccessibleName(tr("Text of the document"));
  text_->setOpenLinks(false);
  text_->document()->setDocumentMargin(16);
  auto* layout = horizontalBox(this, 8, {16, 16, 16, 16});
  layout->addWidget(list_);
  layout->addWidget(text_, 1);
  connect(list_, &QListWidget::currentRowChanged, this, [this] { load(current()); });
  connect(text_, &QTextBrowser::anchorClicked, this, &DocumentDialog::follow);
  list_->setCurrentRow(0);
}

QList<std::pair<QString, QString>> DocumentDialog::documents() {
  return {{QStringLiteral("window.md"), tr("The window")},
          {QStringLiteral("data.md"), tr("Data")},
          {QStringLiteral("contexts.md"), tr("Contexts")},
          {QStringLiteral("experiment.md"), tr("Experiments")},
          {QStringLiteral("keys.md"), tr("Keys of a document")},
          {QStringLiteral("devices.md"), tr("Devices")},
          {QStringLiteral("gpu.md"), tr("GPUs")},
          {QStringLiteral("commands.md"), tr("Commands")},
          {QStringLiteral("serving.md"), tr("Serving")},
          {QStringLiteral("fidelity.md"), tr("Fidelity")},
          {QStringLiteral("benchmarks.md"), tr("Benchmarks")}};
}

QString DocumentDialog::current() const {
  const QListWidgetItem* item = list_->currentItem();
  return item ? item->data(Qt::UserRole).toString() : QString();
}

void DocumentDialog::load(const QString& name) {
  text_->setMarkdown(markdownOf(name));
  text_->moveCursor(QTextCursor::Start);
}

void DocumentDialog::showDocument(const QString& name, const QString& part) {
  bool isListed = false;
  for (int row = 0; row < list_->count() && !isListed; ++row) {
    isListed = list_->item(row)->data(Qt::UserRole).toString() == name;
    if (isListed) list_->setCurrentRow(row);
  }
  if (!isListed) load(name);  // a tutorial, which a listed document links
  if (part.isEmpty()) return;
  for (QTextBlock block = text_->document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || anchorOf(block.text()) != part) continue;
    // From below, so that the heading comes to stand at the top.
    text_->moveCursor(QTextCursor::End);
    text_->setTextCursor(QTextCursor(block));
    return;
  }
}

void DocumentDialog::follow(const QUrl& link) {
  if (link.isRelative())
    showDocument(link.path().isEmpty() ? current() : link.path(), link.fragment());
  else
    QDesktopServices::openUrl(link);
}

HelpDialog::HelpDialog(const QString& title, const QStringList& titles, const Entries& entries,
                       QWidget* parent)
    : QDialog(parent), filter_(new QLineEdit(this)) {
  setObjectName(QStringLiteral("helpDialog"));
  setWindowTitle(title);
  resize(kHelpSize);
  all_.setHorizontalHeaderLabels(titles);
  for (const auto& [term, meaning] : entries)
    all_.appendRow({new QStandardItem(term), new QStandardItem(meaning)});
  shown_.setSourceModel(&all_);
  shown_.setFilterKeyColumn(-1);
  shown_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  filter_->setPlaceholderText(tr("Search"));
  filter_->setAccessibleName(tr("Search"));
  filter_->setToolTip(tr("Shows the lines that contain this text"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, &shown_, &QSortFilterProxyModel::setFilterFixedString);
  auto* table = new QTableView(this);
  table->setModel(&shown_);
  table->setAccessibleName(title);
  table->setShowGrid(false);
  table->setWordWrap(true);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setTabKeyNavigation(false);
  table->verticalHeader()->hide();
  table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  table->horizontalHeader()->setStretchLastSection(true);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  auto* layout = verticalBox(this, 8, {16, 16, 16, 16});
  layout->addWidget(filter_);
  layout->addWidget(table, 1);
  filter_->setFocus();
}

HelpDialog::Entries glossary() {
  HelpDialog::Entries entries;
  QFile file(QStringLiteral(":/glossary.tsv"));
  if (!file.open(QIODevice::ReadOnly)) return entries;
  for (const QString& line : QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts))
    entries.append({line.section('\t', 0, 0), line.section('\t', 1)});
  return entries;
}

}  // namespace parapet::ui
