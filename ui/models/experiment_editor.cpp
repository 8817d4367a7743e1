// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/experiment_editor.h"

#include <algorithm>
#include <utility>

#include "engine/experiment/published_run.h"
#include "ui/models/document_edits.h"

namespace parapet::ui {
namespace {

// Longer, and two decisions of a user would become one step.
constexpr std::chrono::milliseconds kMergeWindow{1000};

using experiment::Findings;
using experiment::Problem;

void appendNew(std::vector<Problem>& to, const std::vector<Problem>& from) {
  for (const Problem& problem : from)
    if (std::ranges::find(to, problem) == to.end()) to.push_back(problem);
}

Problem problemOf(const Error& error) {
  return {.pointer = {}, .message = error.message, .accepted = "JSON text"};
}

}  // namespace

DocumentStep::DocumentStep(const QString& what, QString pointer, SharedDocument before,
                           SharedDocument after, Apply apply)
    : QUndoCommand(what),
      pointer_(std::move(pointer)),
      before_(std::move(before)),
      after_(std::move(after)),
      apply_(std::move(apply)) {}

bool DocumentStep::mergeWith(const QUndoCommand* other) {
  const auto* next = static_cast<const DocumentStep*>(other);
  if (next->pointer_ != pointer_ || next->at_ - at_ > kMergeWindow) return false;
  after_ = next->after_;
  at_ = next->at_;
  if (*after_ == *before_) setObsolete(true);
  return true;
}

struct ExperimentEditor::State {
  SharedDocument document = std::make_shared<const Document>();
  experiment::Parsed parsed;
  Findings preflight;
  Findings data;
  Findings all;  ///< of draft, document, preflight and data
  QString draft;
  std::optional<Error> draftError;
  QString origin, experimentId, experimentName, experimentTitle;
  std::string reasons;
  QUndoStack steps;

  void gatherFindings() {
    all = {};
    if (draftError) all.problems.push_back(problemOf(*draftError));
    appendNew(all.problems, parsed.findings.problems);
    appendNew(all.problems, preflight.problems);
    appendNew(all.problems, data.problems);
    appendNew(all.warnings, parsed.findings.warnings);
    appendNew(all.warnings, preflight.warnings);
    appendNew(all.warnings, data.warnings);
  }
  void dropDraft() {
    draft.clear();
    draftError.reset();
  }
  void take(SharedDocument next) {
    document = std::move(next);
    parsed = experiment::parse(nlohmann::json(*document));
    // Findings of preflight and of the data are about a document that is gone.
    preflight = {};
    data = {};
    dropDraft();
    gatherFindings();
  }
};

ExperimentEditor::ExperimentEditor(QObject* parent)
    : QObject(parent), state_(std::make_unique<State>()) {
  state_->take(std::make_shared<const Document>(completed(Document::object())));
}

ExperimentEditor::~ExperimentEditor() = default;

void ExperimentEditor::load(const nlohmann::json& document, const QString& origin) {
  emit aboutToLoad();
  state_->steps.clear();
  state_->origin = origin;
  state_->experimentId.clear();
  state_->experimentName.clear();
  state_->experimentTitle.clear();
  state_->reasons.clear();
  state_->take(std::make_shared<const Document>(completed(Document(document))));
  emit loaded();
  emit documentChanged();
  emit findingsChanged();
}

const Document& ExperimentEditor::document() const {
  return *state_->document;
}

QString ExperimentEditor::text() const {
  return state_->draftError ? state_->draft : textOf(*state_->document);
}

const std::optional<Error>& ExperimentEditor::draftError() const {
  return state_->draftError;
}

Document ExperimentEditor::value(const QString& pointer) const {
  const Document* found = find(*state_->document, pointer);
  return found == nullptr ? Document() : *found;
}

const experiment::Experiment& ExperimentEditor::experiment() const {
  return state_->parsed.experiment;
}

const Findings& ExperimentEditor::findings() const {
  return state_->all;
}

QString ExperimentEditor::origin() const {
  return state_->origin;
}

const std::string& ExperimentEditor::reasons() const {
  return state_->reasons;
}

void ExperimentEditor::setReasons(const std::string& reasons) {
  if (state_->reasons == reasons) return;
  state_->reasons = reasons;
  emit reasonsChanged();
}

QString ExperimentEditor::experimentId() const {
  return state_->experimentId;
}

QString ExperimentEditor::experimentName() const {
  return state_->experimentName;
}

QString ExperimentEditor::experimentTitle() const {
  return state_->experimentTitle;
}

void ExperimentEditor::refuseTitle() {
  const QString pointer = QStringLiteral("/name");
  const std::string title = state_->experimentTitle.toStdString();
  if (value(pointer) == title) return;
  QUndoStack& steps = state_->steps;
  const QUndoCommand* last = steps.index() > 0 ? steps.command(steps.index() - 1) : nullptr;
  if (const auto* step = dynamic_cast<const DocumentStep*>(last); step && step->isOf(pointer)) {
    // The stack removes a step that is obsolete without undoing it.
    auto* taken = const_cast<DocumentStep*>(step);
    taken->undo();
    taken->setObsolete(true);
    steps.undo();
  }
  if (value(pointer) != title) setValue(pointer, title, tr("Keep the name"));
}

void ExperimentEditor::setExperiment(const QString& id, const QString& name, const QString& title) {
  const bool same = state_->experimentId == id && state_->experimentName == name &&
                    state_->experimentTitle == title;
  state_->experimentId = id;
  state_->experimentName = name;
  state_->experimentTitle = title;
  const std::string wanted = title.toStdString();
  Document named = document();
  if (!title.isEmpty() && named.value("name", Document()) != wanted) {
    named["name"] = wanted;
    if (state_->steps.count() > 0) {
      pushStep(std::move(named), tr("Rename the experiment"), {});
    } else {
      // The draft stays: it is newer than the document.
      const auto draft = std::exchange(state_->draft, {});
      const auto error = std::exchange(state_->draftError, std::nullopt);
      const Findings preflight = state_->preflight;
      state_->take(std::make_shared<const Document>(std::move(named)));
      state_->draft = draft;
      state_->draftError = error;
      state_->preflight = preflight;
      state_->gatherFindings();
      emit documentChanged();
    }
  }
  if (!same) emit experimentChanged();
}

void ExperimentEditor::replace(const nlohmann::json& document, const QString& what) {
  pushStep(Document(document), what, {});
}

bool ExperimentEditor::modified() const {
  return state_->draftError.has_value() || !state_->steps.isClean();
}

QUndoStack& ExperimentEditor::undoStack() {
  return state_->steps;
}

void ExperimentEditor::setValue(const QString& pointer, const nlohmann::json& value,
                                const QString& what) {
  setValues({pointer}, value, what);
}

void ExperimentEditor::setValues(const QStringList& pointers, const nlohmann::json& value,
                                 const QString& what) {
  Document changed = document();
  for (const QString& pointer : pointers) assign(changed, pointer, Document(value));
  pushStep(std::move(changed), what, pointers.front());
}

void ExperimentEditor::insertElement(const QString& arrayPointer, int index,
                                     const nlohmann::json& value, const QString& what) {
  Document changed = document();
  insertAt(changed, arrayPointer, index, Document(value));
  pushStep(std::move(changed), what, {});
}

void ExperimentEditor::removeElement(const QString& arrayPointer, int index, const QString& what) {
  Document changed = document();
  removeAt(changed, arrayPointer, index);
  pushStep(std::move(changed), what, {});
}

void ExperimentEditor::moveElement(const QString& arrayPointer, int from, int to,
                                   const QString& what) {
  Document changed = document();
  moveAt(changed, arrayPointer, from, to);
  pushStep(std::move(changed), what, {});
}

void ExperimentEditor::setText(const QString& text) {
  Result<nlohmann::json> parsed = experiment::parseJson(text.toStdString());
  if (!parsed) {
    state_->draft = text;
    state_->draftError = parsed.error();
    state_->gatherFindings();
    emit findingsChanged();
    return;
  }
  const bool hadDraft = state_->draftError.has_value();
  state_->dropDraft();
  const bool changed = pushStep(Document(*parsed), tr("Edit the text"), {});
  if (hadDraft && !changed) {
    state_->gatherFindings();
    emit findingsChanged();
  }
}

bool ExperimentEditor::pushStep(Document changed, const QString& what, const QString& pointer) {
  Document next = completed(changed);
  if (next == document()) return false;
  const QString curve = QString::fromStdString(experiment().reference.curve.value_or(""));
  const std::optional<std::string> difference = leavePublishedRun(next);
  state_->steps.push(new DocumentStep(what, pointer, state_->document,
                                      std::make_shared<const Document>(std::move(next)),
                                      [this](const SharedDocument& step) {
                                        state_->take(step);
                                        emit documentChanged();
                                        emit findingsChanged();
                                      }));
  if (difference) emit publishedRunLeft(curve, QString::fromStdString(*difference));
  return true;
}

std::optional<std::string> ExperimentEditor::leavePublishedRun(Document& changed) const {
  if (!experiment().reference.curve || !state_->parsed.findings.problems.empty())
    return std::nullopt;
  experiment::Parsed after = experiment::parse(nlohmann::json(changed));
  if (!after.findings.problems.empty()) return std::nullopt;
  const auto difference = experiment::leavePublishedRun(experiment(), after.experiment);
  if (difference) changed["reference"]["curve"] = nullptr;
  return difference;
}

void ExperimentEditor::setPreflightFindings(const Findings& findings) {
  state_->preflight = findings;
  tellNewFindings();
}

void ExperimentEditor::setDataFindings(const Findings& findings) {
  state_->data = findings;
  tellNewFindings();
}

void ExperimentEditor::tellNewFindings() {
  const Findings before = std::move(state_->all);
  state_->gatherFindings();
  if (before.problems != state_->all.problems || before.warnings != state_->all.warnings)
    emit findingsChanged();
}

Findings ExperimentEditor::findingsAt(const QString& pointer) const {
  const std::string above = pointer.toStdString();
  const auto isThere = [&above](const Problem& problem) {
    return problem.pointer == above || problem.pointer.starts_with(above + "/");
  };
  Findings found;
  std::ranges::copy_if(state_->all.problems, std::back_inserter(found.problems), isThere);
  std::ranges::copy_if(state_->all.warnings, std::back_inserter(found.warnings), isThere);
  return found;
}

}  // namespace parapet::ui
