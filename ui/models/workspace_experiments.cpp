// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/workspace_experiments.h"

#include <QSignalBlocker>
#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/experiment/experiment_name.h"
#include "engine/experiment/renamed_keys.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_source.h"

namespace parapet::ui {
namespace {

using store::ExperimentRecord;
using store::SavedExperiment;

QString shownName(const ExperimentRecord& record) {
  return shownText(record.title);
}

void keptBy(ExperimentEditor& editor, const ExperimentRecord& record) {
  editor.setExperiment(QString::fromStdString(record.id), QString::fromStdString(record.name),
                       QString::fromStdString(record.title));
}

}  // namespace

WorkspaceExperiments::WorkspaceExperiments(workspace::Workspace& workspace,
                                           ExperimentEditor& editor,
                                           const std::filesystem::path& settingsFolder,
                                           QObject* parent)
    : QObject(parent), workspace_(workspace), editor_(editor), fallback_(editor, settingsFolder) {
  callAfterPause(saveTimer_, kSaveAfterMs, this, &WorkspaceExperiments::saveSoon);
  pollTimer_.setInterval(kPollMs);
  connect(&pollTimer_, &QTimer::timeout, this, &WorkspaceExperiments::poll);
  connect(&editor_, &ExperimentEditor::aboutToLoad, this, [this] {
    if (!opening_) (void)saveNow();
  });
  connect(&editor_, &ExperimentEditor::loaded, this, &WorkspaceExperiments::adopt);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &WorkspaceExperiments::changed);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &WorkspaceExperiments::changed);
  connect(&editor_, &ExperimentEditor::reasonsChanged, this, &WorkspaceExperiments::keepReasons);
  connect(&fallback_, &Autosave::failed, this, &WorkspaceExperiments::failed);
}

WorkspaceExperiments::~WorkspaceExperiments() {
  poller_.reset();
  // Whoever would hear of it goes too.
  const QSignalBlocker silent(this);
  if (begun_ && canWrite()) (void)saveNow();
}

bool WorkspaceExperiments::begin(const QString& id) {
  if (auto found = experiments().list())
    list_ = std::move(found).value();
  else
    complain(found.error());
  begun_ = true;
  pollTimer_.start();
  if (!canWrite()) {
    if (!fallback_.restore() && !list_.empty()) open(QString::fromStdString(list_.front().id));
    fallback_.begin();
    return !editor_.origin().isEmpty() || !list_.empty();
  }
  // Loading it made it an experiment.
  if (fallback_.restore()) {
    if (saveNow()) fallback_.discard();
    return true;
  }
  if (const QString warning = fallback_.warning(); !warning.isEmpty()) emit failed(warning);
  if (list_.empty()) return false;
  const auto wanted = std::ranges::find(list_, id.toStdString(), &ExperimentRecord::id);
  open(QString::fromStdString(wanted == list_.end() ? list_.front().id : wanted->id));
  return true;
}

WorkspaceExperiments::Content WorkspaceExperiments::content() const {
  Content now;
  now.document = textOf(editor_.document()).toStdString();
  if (editor_.draftError()) now.draft = editor_.text().toStdString();
  return now;
}

// An edit that is still being stored has the target before, and cannot reach this one.
void WorkspaceExperiments::aim(const ExperimentRecord& record) {
  target_ = std::make_shared<Target>();
  target_->id = record.id;
  target_->revision = record.revision;
  saidGone_ = false;
}

// The document was written as it is, or differs from what was by defaults alone.
void WorkspaceExperiments::takeAsStored() {
  const std::lock_guard lock(target_->mutex);
  target_->stored = content();
}

// A document was loaded that is no experiment yet: it becomes one.
void WorkspaceExperiments::adopt() {
  if (!begun_ || opening_ || !canWrite()) return;
  const std::string name = editor_.experiment().name;
  const auto made =
      experiments().create({name, content().document, {}, editor_.origin().toStdString()});
  if (!made) {
    // The document that was edited before keeps its experiment.
    aim({});
    editor_.setExperiment({}, {}, {});
    return complain(made.error());
  }
  aim(*made);
  keptBy(editor_, *made);
  takeAsStored();
  inTrouble_ = false;
  list_.insert(list_.begin(), *made);
  emit listChanged();
}

void WorkspaceExperiments::open(const QString& id) {
  // The undo steps of the current experiment stay.
  if (!id.isEmpty() && id == currentId()) return;
  (void)saveNow();
  const auto found = experiments().byId(id.toStdString());
  if (!found) return complain(found.error());
  show(*found);
}

void WorkspaceExperiments::show(const ExperimentRecord& record) {
  nlohmann::json document = nlohmann::json::parse(record.document, nullptr, false);
  if (!document.is_object()) document = nlohmann::json::object();
  experiment::useCurrentNames(document);
  opening_ = true;
  editor_.load(document, QString::fromStdString(record.origin));
  // Not before: until then the editor holds the document of another.
  aim(record);
  keptBy(editor_, record);
  editor_.setReasons(record.reasons);
  if (!record.draft.empty()) editor_.setText(QString::fromStdString(record.draft));
  opening_ = false;
  takeAsStored();
  emit listChanged();
}

Status WorkspaceExperiments::rename(const QString& id, const QString& name) {
  const std::string wanted = experiment::normalizedTitle(name.toStdString());
  PARAPET_TRY(experiment::checkExperimentTitle(wanted));
  const bool taken = std::ranges::any_of(list_, [&](const ExperimentRecord& record) {
    const auto is = [&](const std::string& word) {
      return QString::fromStdString(word).compare(QString::fromStdString(wanted),
                                                  Qt::CaseInsensitive) == 0;
    };
    return record.id != id.toStdString() && (is(record.name) || is(record.title));
  });
  if (taken)
    return Error{ErrorCode::kInvalidDocument,
                 "another experiment has the name " + wanted +
                     "; accepted: a name that differs in "
                     "more than case",
                 "/name"};
  if (id == currentId() && !editor_.draftError()) {
    editor_.setValue(QStringLiteral("/name"), wanted, tr("Rename the experiment"));
    (void)saveNow();
    return {};
  }
  (void)saveNow();
  const auto renamed = experiments().rename(id.toStdString(), wanted);
  if (!renamed) return renamed.error();
  if (id == currentId()) show(*renamed);
  refresh();
  return {};
}

void WorkspaceExperiments::keepReasons() {
  if (!begun_ || opening_ || !canWrite() || currentId().isEmpty()) return;
  const Status kept = experiments().setReasons(currentId().toStdString(), editor_.reasons());
  if (!kept.ok()) complain(kept.error());
}

void WorkspaceExperiments::duplicate(const QString& id) {
  (void)saveNow();
  const auto copy = experiments().duplicate(id.toStdString());
  if (!copy) return complain(copy.error());
  refresh();
  open(QString::fromStdString(copy->id));
}

void WorkspaceExperiments::remove(const QString& id) {
  (void)saveNow();
  const auto record = experiments().byId(id.toStdString());
  if (!record) return complain(record.error());
  const Status trashed = experiments().trash(record->id);
  if (!trashed.ok()) return complain(trashed.error());
  refresh();
  if (id == currentId()) {
    aim({});
    if (!list_.empty())
      open(QString::fromStdString(list_.front().id));
    else if (const auto sample = documentOfRecipe(QStringLiteral("sample"), {}))
      editor_.load(sample->document, sample->origin);
  }
  emit removed(id, QString::fromStdString(record->title));
}

void WorkspaceExperiments::restore(const QString& id) {
  const auto restored = experiments().restore(id.toStdString());
  if (!restored) return complain(restored.error());
  refresh();
  open(id);
}

void WorkspaceExperiments::refresh() {
  auto found = experiments().list();
  if (!found) return complain(found.error());
  list_ = std::move(found).value();
  emit listChanged();
}

void WorkspaceExperiments::changed() {
  if (!begun_ || opening_ || !canWrite() || saveTimer_.isActive()) return;
  saveTimer_.start();
}

Result<SavedExperiment> WorkspaceExperiments::save(store::Experiments& experiments, Target& target,
                                                   const Content& content) {
  const std::lock_guard lock(target.mutex);
  if (target.id.empty()) return Error{ErrorCode::kCancelled, "no experiment is edited"};
  PARAPET_ASSIGN(SavedExperiment done,
                 experiments.save({target.id, target.revision, content.document, content.draft}));
  target.id = done.record.id;
  target.revision = done.record.revision;
  target.stored = content;
  return done;
}

void WorkspaceExperiments::saveSoon() {
  if (saver_->running()) return saveTimer_.start();
  // Nothing else has the target now.
  Content now = content();
  if (target_->id.empty() || target_->stored == now) return;
  saver_->start([&experiments = experiments(), target = target_, now = std::move(now)](
                    const WorkContext&) { return save(experiments, *target, now); },
                [this, target = target_](const Result<SavedExperiment>& outcome) {
                  if (target == target_)
                    saved(outcome);
                  else if (outcome && outcome->outcome == SavedExperiment::Outcome::kSavedAs)
                    tellSavedAs(outcome->record);
                });
}

void WorkspaceExperiments::tellSavedAs(const ExperimentRecord& record) {
  emit told(
      tr("The experiment was changed or deleted in another program. What was edited here goes "
         "on as %1; nothing is lost.")
          .arg(shownName(record)));
}

bool WorkspaceExperiments::saveNow() {
  saveTimer_.stop();
  if (!begun_ || !canWrite()) return true;
  const Content now = content();
  {
    // Waits for what is being stored.
    const std::lock_guard lock(target_->mutex);
    if (target_->id.empty() || target_->stored == now) return true;
  }
  const auto outcome = save(experiments(), *target_, now);
  saved(outcome);
  return outcome.ok();
}

void WorkspaceExperiments::saved(const Result<SavedExperiment>& outcome) {
  if (!outcome) {
    complain(outcome.error());
    return;
  }
  if (std::exchange(inTrouble_, false)) emit recovered();
  const ExperimentRecord& record = outcome->record;
  const QString id = QString::fromStdString(record.id);
  if (outcome->outcome == SavedExperiment::Outcome::kSavedAs) {
    keptBy(editor_, record);
    tellSavedAs(record);
  } else if (editor_.experimentId() == id) {
    takeTitle(record);
  }
  if (!outcome->nameRefused.empty() && editor_.experimentId() == id) {
    emit told(
        tr("The experiment stays %1: %2.").arg(shownName(record), shownText(outcome->nameRefused)));
    editor_.refuseTitle();
  }
  const auto same = std::ranges::find(list_, record.id, &ExperimentRecord::id);
  if (same != list_.end()) list_.erase(same);
  list_.insert(list_.begin(), record);
  emit listChanged();
}

// A document that was edited again meanwhile keeps the newer title.
void WorkspaceExperiments::takeTitle(const ExperimentRecord& record) {
  if (editor_.experimentName() == QString::fromStdString(record.name) &&
      editor_.experimentTitle() == QString::fromStdString(record.title))
    return;
  const bool isNewer = editor_.experiment().name != record.title;
  if (!isNewer || editor_.draftError()) keptBy(editor_, record);
}

void WorkspaceExperiments::complain(const Error& error) {
  if (error.code == ErrorCode::kCancelled) return;
  const bool first = !std::exchange(inTrouble_, true);
  if (first || error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidDocument)
    emit failed(shownText(error.text()));
}

void WorkspaceExperiments::poll() {
  // A list that is read now may be from before the change that is asked about.
  if (poller_->running()) {
    pollAgain_ = true;
    return;
  }
  // An edit that could not be stored is tried again.
  if (inTrouble_ && canWrite()) {
    if (currentId().isEmpty())
      adopt();
    else
      saveSoon();
  }
  poller_->start(
      [&experiments = experiments(),
       id = currentId().toStdString()](const WorkContext&) -> Result<Seen> {
        Seen seen;
        PARAPET_ASSIGN(seen.list, experiments.list());
        if (id.empty()) return seen;
        auto current = experiments.byId(id);
        if (current)
          seen.current = std::move(current).value();
        else if (current.error().code != ErrorCode::kNotFound)
          return current.error();
        return seen;
      },
      [this](Result<Seen> seen) {
        if (seen)
          saw(*seen);
        else
          complain(seen.error());
        if (std::exchange(pollAgain_, false))
          QTimer::singleShot(0, this, &WorkspaceExperiments::poll);
      });
}

void WorkspaceExperiments::saw(const Seen& seen) {
  const auto key = [](const ExperimentRecord& record) {
    return std::tie(record.id, record.name, record.title, record.revision, record.runs);
  };
  if (!std::ranges::equal(seen.list, list_, {}, key, key)) {
    list_ = seen.list;
    emit listChanged();
  }
  const std::string current = currentId().toStdString();
  if (current.empty() || (seen.current && seen.current->id != current)) return;
  if (seen.current && !seen.current->trashed) return follow(*seen.current);
  if (std::exchange(saidGone_, true)) return;
  emit told(tr("%1 was deleted in another program. It is still open here; an edit makes it an "
               "experiment again.")
                .arg(shownText(editor_.experimentTitle())));
}

// Another program has stored the experiment that is edited here.
void WorkspaceExperiments::follow(const ExperimentRecord& record) {
  if (saver_->running()) return;
  // An edit that waits comes second, and gets a name of its own.
  if (target_->id != record.id || target_->revision >= record.revision ||
      content() != target_->stored)
    return;
  const nlohmann::json document = nlohmann::json::parse(record.document, nullptr, false);
  if (!document.is_object()) return;
  const Content before = content();
  aim(record);
  opening_ = true;
  editor_.replace(document, tr("Edits of another program"));
  keptBy(editor_, record);
  if (!record.draft.empty()) editor_.setText(QString::fromStdString(record.draft));
  opening_ = false;
  takeAsStored();
  if (content() == before) return;
  emit told(tr("%1 was edited in another program; this window shows it as it is now. Undo brings "
               "back what was here.")
                .arg(shownName(record)));
}

}  // namespace parapet::ui
