// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Looks at the source that the document names, off the GUI thread, and looks again when the
/// document says otherwise: first rows, columns, and how many rows pass the filter. What was
/// superseded is dropped. It reads only while somebody looks.
class SourceWatch : public QObject {
  Q_OBJECT

 public:
  enum class State {
    kNothing,  ///< the document names no data
    kReading,
    kReady,
    kFailed,
  };
  static constexpr std::int64_t kRows = 200;        ///< of the preview
  static constexpr std::int64_t kSample = 200'000;  ///< rows that are counted first

  explicit SourceWatch(ExperimentEditor& editor, QObject* parent = nullptr);

  /// Which names other experiments have; without it none is taken.
  void setTakenNames(std::function<bool(const std::string&)> isTaken) {
    isTaken_ = std::move(isTaken);
  }
  /// Reads what has changed meanwhile.
  void setActive(bool active);
  /// Makes a file or folder the data of the document as workspace::chooseData does: one undo step.
  /// Tells opened(), or what is no data by openFailed().
  void open(const QString& path);
  /// Reads again: the file may have changed.
  void refresh();
  /// Another use of a column: one undo step. `use` as workspace::withUse has it.
  void setUse(const QString& column, const QString& use);
  [[nodiscard]] QString useOf(const QString& column) const;
  /// Why the use of a column was proposed when the data were opened; "" if it was not, or if the
  /// column has another use by now.
  [[nodiscard]] QString proposalReason(const QString& column) const;
  [[nodiscard]] bool hasProposals() const { return !proposals_.empty(); }

  [[nodiscard]] State state() const { return state_; }
  /// In kReady.
  [[nodiscard]] const workspace::SourcePreview& preview() const { return preview_; }
  /// In kFailed.
  [[nodiscard]] const Error& error() const { return error_; }

  /// The newest count, that of the sample until the whole source is counted.
  [[nodiscard]] const std::optional<workspace::FilterCount>& count() const { return count_; }
  /// Why the filter cannot be applied.
  [[nodiscard]] const std::optional<Error>& countError() const { return countError_; }
  [[nodiscard]] bool counting() const { return counter_.running(); }
  [[nodiscard]] bool opening() const { return opener_.running(); }

 signals:
  void previewChanged();
  /// A count, its error, or whether it is being counted.
  void countChanged();
  /// `changes`: settings that had to change for these data, one sentence each.
  void opened(const QStringList& changes);
  void openFailed(const Error& error);

 private:
  void follow();
  void read();
  void readPreview();
  void count(std::int64_t atMost);
  void setState(State state);
  [[nodiscard]] experiment::Dataset dataset() const { return editor_.experiment().dataset; }
  /// The document with other data; its relevance threshold goes with the labels.
  [[nodiscard]] nlohmann::json withDataset(const experiment::Dataset& dataset) const;
  /// The document with these data, in one undo step: under their name while no person has edited the one
  /// before; a loss that needs labels gives way where the data have none. Returns what had to change.
  QStringList use(const workspace::ChosenData& chosen, const QString& path);
  void noteProposedName();
  [[nodiscard]] std::optional<std::string> newName(const experiment::Dataset& chosen) const;

  ExperimentEditor& editor_;
  std::function<bool(const std::string&)> isTaken_;
  QTimer pause_;
  bool active_ = false;
  State state_ = State::kNothing;
  workspace::SourcePreview preview_;
  mutable std::optional<std::map<std::string, std::string, std::less<>>> uses_;  ///< by column
  std::vector<workspace::RoleProposal> proposals_;
  Error error_;
  std::optional<workspace::FilterCount> count_;
  std::optional<Error> countError_;
  QString namedId_;                         ///< the experiment that has proposedNames_
  std::vector<std::string> proposedNames_;  ///< those that no person typed
  std::string proposedFor_;                 ///< the file whose columns the proposals are about
  std::string previewed_, counted_;         ///< the settings that were looked at
  Background opener_{"look at data"}, reader_{"preview"}, counter_{"count rows"};
};

}  // namespace parapet::ui
