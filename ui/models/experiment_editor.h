// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoCommand>
#include <QUndoStack>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/experiment/experiment.h"

namespace parapet::ui {

using Document = nlohmann::ordered_json;
using SharedDocument = std::shared_ptr<const Document>;

/// One step of the undo history: the document before and after. Documents are some kilobytes, and
/// steps share them, so whole documents are kept and no step can be undone wrongly.
class DocumentStep : public QUndoCommand {
 public:
  using Apply = std::function<void(const SharedDocument&)>;
  /// `pointer` names what changed; "" for changes that never merge.
  DocumentStep(const QString& what, QString pointer, SharedDocument before, SharedDocument after,
               Apply apply);

  void undo() override { apply_(before_); }
  void redo() override { apply_(after_); }
  [[nodiscard]] int id() const override { return pointer_.isEmpty() ? -1 : 1; }
  [[nodiscard]] bool isOf(const QString& pointer) const { return pointer_ == pointer; }
  /// Merges changes of one field that follow each other within a second.
  bool mergeWith(const QUndoCommand* other) override;

 private:
  QString pointer_;
  SharedDocument before_, after_;
  Apply apply_;
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

/// The experiment that is being edited: one JSON document, every change an undo step, everything
/// finding known at once. Sections and the live JSON are two views of it; neither
/// holds state of its own.
///
/// The document always has every default filled in (canonical order) while it parses; text that is
/// no JSON is kept aside as a draft with its error until it is fixed.
///
/// Thread   GUI.
class ExperimentEditor : public QObject {
  Q_OBJECT

 public:
  explicit ExperimentEditor(QObject* parent = nullptr);
  ~ExperimentEditor() override;

  /// Starts over with a document (recipe, file, clone of a run); the undo history begins anew. Whoever
  /// keeps the document before is told by aboutToLoad().
  /// `origin` is a recipe name, a file or "run <id>", for the record and the terminal command.
  void load(const nlohmann::json& document, const QString& origin);
  [[nodiscard]] const nlohmann::ordered_json& document() const;
  /// The document as text, two spaces of indent; or the draft that does not parse.
  [[nodiscard]] QString text() const;
  /// Why the draft is no JSON, with its line; nullopt while there is no draft.
  [[nodiscard]] const std::optional<Error>& draftError() const;
  /// The value at a JSON pointer; JSON null where there is none.
  [[nodiscard]] nlohmann::ordered_json value(const QString& pointer) const;
  /// The typed experiment; meaningful only if findings() has no problems.
  [[nodiscard]] const experiment::Experiment& experiment() const;
  /// Problems and warnings of the document; preflight's are added by setPreflight().
  [[nodiscard]] const experiment::Findings& findings() const;
  [[nodiscard]] bool runnable() const { return findings().problems.empty(); }
  [[nodiscard]] QString origin() const;
  /// Why its settings are as they were proposed, [{"pointer", "reason"}]; "" if they were not. Kept with
  /// the experiment.
  [[nodiscard]] const std::string& reasons() const;
  void setReasons(const std::string& reasons);
  /// The experiment of the workspace that keeps the document, as the terminal names it; "" if none does.
  [[nodiscard]] QString experimentId() const;
  [[nodiscard]] QString experimentName() const;
  /// As people call it.
  [[nodiscard]] QString experimentTitle() const;
  /// Says which experiment keeps the document. /name becomes its title; no undo step while there is none,
  /// since that would lead back to a title that belongs to another.
  void setExperiment(const QString& id, const QString& name, const QString& title);
  /// /name becomes the title of the experiment again. Where the last step changed it alone, that step is
  /// taken back and forgotten.
  void refuseTitle();
  [[nodiscard]] bool modified() const;
  [[nodiscard]] QUndoStack& undoStack();

  /// One undo step: the value at a JSON pointer becomes `value`. Successive changes of the same
  /// pointer within a second merge. A null optional is written as JSON null. A change of "kind" or
  /// "source" takes the settings of other kinds away and gives the new one its own defaults.
  /// Missing parents are made; InvalidArgument if `pointer` is no JSON pointer.
  void setValue(const QString& pointer, const nlohmann::json& value, const QString& what);
  /// Sets a value at several pointers, at least one: one undo step, which merges as that of the first.
  void setValues(const QStringList& pointers, const nlohmann::json& value, const QString& what);
  /// Array elements, one undo step each.
  void insertElement(const QString& arrayPointer, int index, const nlohmann::json& value,
                     const QString& what);
  void removeElement(const QString& arrayPointer, int index, const QString& what);
  void moveElement(const QString& arrayPointer, int from, int to, const QString& what);
  /// Typed into the JSON view: one undo step if it parses and differs, else a draft with an error.
  void setText(const QString& text);
  /// One undo step to another document.
  void replace(const nlohmann::json& document, const QString& what);
  /// Findings that need data, devices or sizes; replaced as a whole.
  void setPreflightFindings(const experiment::Findings& findings);
  /// Findings of all rows of the data, as far as they were read; replaced as a whole, and gone with a change.
  void setDataFindings(const experiment::Findings& findings);
  /// Problems and warnings whose pointer is `pointer` or lies below it.
  [[nodiscard]] experiment::Findings findingsAt(const QString& pointer) const;

 signals:
  /// load() is about to leave the document.
  void aboutToLoad();
  /// Another experiment keeps the document, or its name has changed.
  void experimentChanged();
  void reasonsChanged();
  /// After every change, undo and redo included.
  void documentChanged();
  void findingsChanged();
  void loaded();
  /// A change made it an experiment of its own, so it no longer names the published `curve`; part of
  /// the same undo step. `difference`: what is not that of the published run, "the loss".
  void publishedRunLeft(const QString& curve, const QString& difference);

 private:
  struct State;
  /// Takes the curve of a published run out of a document that is no longer that run's.
  std::optional<std::string> leavePublishedRun(nlohmann::ordered_json& changed) const;
  /// False if the change changes nothing.
  bool pushStep(nlohmann::ordered_json changed, const QString& what, const QString& pointer);
  void tellNewFindings();
  std::unique_ptr<State> state_;
};

}  // namespace parapet::ui
