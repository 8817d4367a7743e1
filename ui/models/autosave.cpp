// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/autosave.h"

#include "engine/experiment/renamed_keys.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

constexpr int kAutosaveVersion = 1;
/// Typing makes a change per key; a write per pause is enough.
constexpr int kDelayMs = 400;

}  // namespace

Autosave::Autosave(ExperimentEditor& editor, const std::filesystem::path& folder, QObject* parent)
    : QObject(parent), editor_(editor), file_(folder / "experiment.json", kAutosaveVersion) {
  callAfterPause(timer_, kDelayMs, this, &Autosave::save);
}

Autosave::~Autosave() {
  const bool pending = timer_.isActive() || writer_->running();
  if (!started_ || !pending) return;
  // Joins the write under way: this one must come after it.
  writer_.reset();
  (void)file_.save(snapshot());
}

bool Autosave::restore() {
  nlohmann::json saved = file_.load();
  const auto document = saved.find("document");
  if (document == saved.end() || !document->is_object()) return false;
  experiment::useCurrentNames(*document);
  editor_.load(*document, QString::fromStdString(saved.value("origin", std::string())));
  const std::string draft = saved.value("draft", std::string());
  if (!draft.empty()) editor_.setText(QString::fromStdString(draft));
  return true;
}

void Autosave::begin() {
  if (std::exchange(started_, true)) return;
  const auto changed = [this] {
    // What was only opened is elsewhere.
    if (editor_.modified() && !timer_.isActive()) timer_.start();
  };
  connect(&editor_, &ExperimentEditor::documentChanged, this, changed);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, changed);
  connect(&editor_, &ExperimentEditor::loaded, this, changed);
}

void Autosave::discard() {
  std::error_code ignored;
  std::filesystem::remove(file_.path(), ignored);
}

QString Autosave::warning() const {
  return shownText(file_.warning());
}

nlohmann::json Autosave::snapshot() const {
  nlohmann::json saved;
  saved["origin"] = editor_.origin().toStdString();
  saved["document"] = editor_.document();
  const QString text = editor_.text();
  // A draft that does not parse is kept beside the last document that did.
  if (!nlohmann::json::accept(text.toStdString())) saved["draft"] = text.toStdString();
  return saved;
}

void Autosave::save() {
  if (writer_->running()) {
    changedMeanwhile_ = true;
    return;
  }
  changedMeanwhile_ = false;
  writer_->start(
      [file = file_, saved = snapshot()](const WorkContext&) { return file.save(saved); },
      [this](const Status& written) {
        if (!written) emit failed(shownText(written.error().text()));
        if (changedMeanwhile_) timer_.start();
      });
}

}  // namespace parapet::ui
