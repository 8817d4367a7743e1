// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/experiment_picker.h"

#include <QAction>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/log.h"
#include "ui/bridge/shown_text.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

constexpr QSize kPopupSize(560, 440);
constexpr int kPopupMargin = 8;

constexpr int kMaxNameWidth = 220;

}  // namespace

ExperimentPickerPopup::ExperimentPickerPopup(WorkspaceExperiments& experiments, QWidget* parent)
    : PopupDialog(parent),
      experiments_(experiments),
      model_(experiments, ExperimentsModel::Content::kExperimentsAndRecipes),
      search_(new QLineEdit),
      list_(new QTreeView),
      refused_(new QLabel) {
  setObjectName(QStringLiteral("experimentPickerPopup"));
  setAccessibleName(tr("Experiments"));
  filter_.setSourceModel(&model_);
  search_->setPlaceholderText(tr("Search experiments and recipes"));
  search_->setAccessibleName(tr("Search experiments and recipes"));
  search_->setToolTip(tr("Shows those whose name, origin or title holds every word"));
  search_->setClearButtonEnabled(true);
  search_->installEventFilter(this);
  list_->setModel(&filter_);
  list_->setObjectName(QStringLiteral("experimentList"));
  list_->setAccessibleName(tr("Experiments and recipes; Return opens, F2 renames, Delete removes"));
  showAsList(*list_);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(ExperimentsModel::kEdited, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(ExperimentsModel::kRuns, QHeaderView::ResizeToContents);
  list_->installEventFilter(this);
  refused_->setWordWrap(true);
  refused_->setTextFormat(Qt::PlainText);
  refused_->setAccessibleName(tr("Why the name was not taken"));
  refused_->hide();
  rename_ = button(tr("Rename"), QStringLiteral("renameExperiment"),
                   tr("Gives the chosen experiment another name (F2)"));
  duplicate_ = button(tr("Duplicate"), QStringLiteral("duplicateExperiment"),
                      tr("Makes a copy under the next free name and opens it (Ctrl+D)"));
  delete_ = button(tr("Delete"), QStringLiteral("deleteExperiment"),
                   tr("Moves the chosen experiment to the trash; its runs stay (Delete)"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(rename_);
  buttons->addWidget(duplicate_);
  buttons->addWidget(delete_);
  buttons->addStretch();
  auto* layout = verticalBox(this, 8, {12, 12, 12, 12});
  layout->addWidget(search_);
  layout->addWidget(list_, 1);
  layout->addWidget(refused_);
  layout->addLayout(buttons);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_.setText(text);
    list_->setCurrentIndex(filter_.index(0, 0));
    update();
  });
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &ExperimentPickerPopup::update);
  connect(list_, &QTreeView::clicked, this, &ExperimentPickerPopup::accept);
  connect(rename_, &QPushButton::clicked, this, [this] {
    refused_->hide();
    list_->setFocus();
    list_->edit(chosen());
  });
  connect(duplicate_, &QPushButton::clicked, this, [this] {
    const QString id = chosenExperiment();
    hide();
    experiments_.duplicate(id);
  });
  connect(delete_, &QPushButton::clicked, this, [this] {
    const QString id = chosenExperiment();
    hide();
    experiments_.remove(id);
  });
  connect(&model_, &ExperimentsModel::refused, this, [this](const QString& reason) {
    refused_->setText(reason);
    refused_->show();
  });
  connect(&model_, &QAbstractItemModel::modelReset, this, &ExperimentPickerPopup::update);
}

QPushButton* ExperimentPickerPopup::button(const QString& text, const QString& name,
                                           const QString& tip) {
  auto* made = new QPushButton(text);
  made->setObjectName(name);
  made->setAccessibleName(text);
  made->setToolTip(tip);
  made->setAutoDefault(false);
  return made;
}

void ExperimentPickerPopup::addAction(QAction* action) {
  auto* made = button(action->text().remove(QLatin1Char('&')),
                      action->objectName() + QStringLiteral(".button"), action->toolTip());
  auto* buttons = qobject_cast<QHBoxLayout*>(layout()->itemAt(layout()->count() - 1)->layout());
  buttons->addWidget(made);
  connect(made, &QPushButton::clicked, this, [this, action] {
    hide();
    action->trigger();
  });
}

void ExperimentPickerPopup::openBelow(QWidget* anchor) {
  resize(kPopupSize);
  const QWidget* window = anchor->window();
  const QPoint corner = window->mapToGlobal(QPoint(window->width(), window->height()));
  QPoint at = anchor->mapToGlobal(QPoint(0, anchor->height() + 4));
  at.setX(std::max(0, std::min(at.x(), corner.x() - width() - kPopupMargin)));
  resize(width(), std::max(240, std::min(height(), corner.y() - at.y() - kPopupMargin)));
  move(at);
  refused_->hide();
  search_->clear();
  list_->setColumnWidth(ExperimentsModel::kName, width() * 2 / 5);
  show();
  list_->setCurrentIndex(filter_.index(0, 0));
  search_->setFocus();
  update();
}

QModelIndex ExperimentPickerPopup::chosen() const {
  return list_->currentIndex().siblingAtColumn(ExperimentsModel::kName);
}

QString ExperimentPickerPopup::chosenExperiment() const {
  const QModelIndex at = chosen();
  const auto kind =
      static_cast<ExperimentsModel::Kind>(at.data(ExperimentsModel::kKindRole).toInt());
  return at.isValid() && kind == ExperimentsModel::Kind::kExperiment
             ? at.data(ExperimentsModel::kIdRole).toString()
             : QString();
}

void ExperimentPickerPopup::accept() {
  const QModelIndex at = chosen();
  if (!at.isValid()) return;
  const QString experiment = chosenExperiment();
  const QString recipe = at.data(ExperimentsModel::kIdRole).toString();
  hide();
  if (!experiment.isEmpty())
    experiments_.open(experiment);
  else
    emit recipeChosen(recipe);
}

void ExperimentPickerPopup::update() {
  const bool isExperiment = !chosenExperiment().isEmpty();
  for (QPushButton* button : {rename_, duplicate_, delete_})
    setUsable(*button, isExperiment, tr("Choose an experiment; recipes stay as they are"));
}

bool ExperimentPickerPopup::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return PopupDialog::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool inSearch = watched == search_;
  // Keys that the editor of a name has left over are none of the list's.
  if (!inSearch && !list_->hasFocus()) return PopupDialog::eventFilter(watched, event);
  // The list is walked through while one types.
  if (inSearch && (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up)) {
    const int row = list_->currentIndex().row() + (key->key() == Qt::Key_Down ? 1 : -1);
    if (row >= 0 && row < filter_.rowCount()) list_->setCurrentIndex(filter_.index(row, 0));
    return true;
  }
  if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
    accept();
    return true;
  }
  if (key->key() == Qt::Key_F2 && inSearch) return rename_->click(), true;
  if (key->key() == Qt::Key_D && key->modifiers() == Qt::ControlModifier)
    return duplicate_->click(), true;
  if (key->key() == Qt::Key_Delete && (!inSearch || search_->text().isEmpty()))
    return delete_->click(), true;
  return PopupDialog::eventFilter(watched, event);
}

ExperimentPicker::ExperimentPicker(ExperimentEditor& editor, WorkspaceExperiments& experiments,
                                   QWidget* parent)
    : QToolButton(parent),
      editor_(editor),
      list_(new QAction(lineIcon(QStringLiteral("experiment")), tr("List the e&xperiments"), this)),
      open_(new QAction(lineIcon(QStringLiteral("open")), tr("&Open a file…"), this)),
      save_(new QAction(lineIcon(QStringLiteral("save")), tr("&Save as a file…"), this)),
      popup_(new ExperimentPickerPopup(experiments, this)) {
  setObjectName(QStringLiteral("experimentPicker"));
  setAccessibleName(tr("Experiment"));
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setIcon(lineIcon(QStringLiteral("experiment")));
  list_->setObjectName(QStringLiteral("experiment.list"));
  list_->setShortcut(QKeySequence(QStringLiteral("Ctrl+E")));
  open_->setShortcut(QKeySequence::Open);
  open_->setObjectName(QStringLiteral("experiment.open"));
  open_->setToolTip(tr("Makes an experiment from a document in a file (Ctrl+O)"));
  save_->setShortcut(QKeySequence::Save);
  save_->setObjectName(QStringLiteral("experiment.save"));
  save_->setToolTip(
      tr("Writes the document into a file; the experiment itself is always saved (Ctrl+S)"));
  popup_->addAction(open_);
  popup_->addAction(save_);
  for (const experiment::Recipe& recipe : experiment::recipes()) {
    const QString name = QString::fromStdString(recipe.name);
    auto* action = new QAction(lineIcon(QStringLiteral("document")), shownText(recipe.title), this);
    action->setObjectName(QStringLiteral("recipe.") + name);
    action->setProperty("paletteGroup", tr("New experiment"));
    action->setToolTip(recipe.needsData ? tr("Needs data: %1").arg(name) : name);
    connect(action, &QAction::triggered, this, [this, name] { emit openRequested(name); });
    recipes_.append(action);
  }
  connect(this, &QToolButton::clicked, list_, &QAction::trigger);
  connect(list_, &QAction::triggered, this, [this] { popup_->openBelow(this); });
  connect(popup_, &ExperimentPickerPopup::recipeChosen, this, &ExperimentPicker::openRequested);
  connect(open_, &QAction::triggered, this, &ExperimentPicker::askForFile);
  connect(save_, &QAction::triggered, this, &ExperimentPicker::askWhereToSave);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &ExperimentPicker::update);
  connect(&editor_, &ExperimentEditor::experimentChanged, this, &ExperimentPicker::update);
  update();
}

void ExperimentPicker::update() {
  QString name = editor_.experimentTitle();
  if (name.isEmpty())
    if (const auto& document = editor_.document(); document.is_object())
      if (const auto at = document.find("name"); at != document.end() && at->is_string())
        name = QString::fromStdString(at->get<std::string>());
  if (name.isEmpty()) name = tr("no name");
  name = fontMetrics().elidedText(shownText(name), Qt::ElideMiddle, kMaxNameWidth);
  setText(name.replace(QLatin1Char('&'), QStringLiteral("&&")));
  const QString kept =
      editor_.experimentName().isEmpty()
          ? tr("Not an experiment of the workspace")
          : tr("Every edit is saved; in commands %1").arg(editor_.experimentName());
  const QString origin = editor_.origin();
  setToolTip(
      tr("%1%2\nA click lists the experiments and recipes (Ctrl+E)")
          .arg(kept, origin.isEmpty() ? QString() : tr("; made from %1").arg(shownText(origin))));
}

void ExperimentPicker::askForFile() {
  auto* dialog = new QFileDialog(window(), tr("Open an experiment"), QString(),
                                 tr("Experiments (*.json);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &ExperimentPicker::openRequested);
  dialog->open();
}

void ExperimentPicker::askWhereToSave() {
  auto* dialog =
      new QFileDialog(window(), tr("Save the experiment"), QString(), tr("Experiments (*.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    const Status saved =
        writeFileAtomically(file.toStdString(), (editor_.text() + QLatin1Char('\n')).toStdString());
    if (!saved.ok()) return log(LogLevel::kError, saved.error().text());
    editor_.undoStack().setClean();
    log(LogLevel::kInfo, "saved the experiment as " + file.toStdString());
  });
  dialog->open();
}

}  // namespace parapet::ui
