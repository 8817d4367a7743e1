// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/workspace/proposal.h"
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
  /// The experiment that gets the data that are opened.
  enum class Into {
    kThisExperiment,  ///< one undo step
    kNewExperiment,
  };
  static constexpr std::int64_t kRows = 200;        ///< of the preview
  static constexpr std::int64_t kSample = 200'000;  ///< rows that are counted first

  explicit SourceWatch(ExperimentEditor& editor, QObject* parent = nullptr);

  /// Sets the test for names that other experiments have; without it none is taken.
  void setTakenNames(std::function<bool(const std::string&)> isTaken) {
    isTaken_ = std::move(isTaken);
  }
  /// Reads what has changed meanwhile.
  void setActive(bool active);
  /// Opens a file or folder. Settings that are about such data (workspace::requireDataOf) go on with
  /// it; else the experiment is the proposal for it, that of `parapet-cli init`. Where nothing can be
  /// proposed, refusal() says why, and the data take the place of those before, or of the sample's, as
  /// workspace::chooseData does. Tells opened(), or what is no data by openFailed().
  void open(const QString& path, Into into = Into::kThisExperiment);
  /// Proposes an experiment for the data of the document, whatever its settings are.
  void propose();
  /// Trains variants of that proposal beside whatever else is done, and takes the best one on validation rows
  /// (workspace::raceProposal) in one undo step. An edit, or another experiment, ends the race: its outcome would
  /// replace what a person chose.
  void race();
  void stopRacing() { endRace({}); }
  /// `why`: what a person did not ask for; "" of a race that was stopped by hand.
  void endRace(const QString& why);
  [[nodiscard]] bool racing() const { return racer_.running(); }
  /// "Racing variants of clicks.csv: 42 %, about 20 s left"; "" while there is no race.
  [[nodiscard]] QString raceText() const;
  [[nodiscard]] double raceShare() const { return raceShare_; }  ///< in [0, 1]
  /// Whether a race follows each proposal for data that are opened.
  void setRacesProposals(bool on) { racesProposals_ = on; }
  /// Gives the data of the document the settings of the sample.
  void useSample();
  /// Leaves everything as it is.
  void cancelOpening() { opener_.cancel(); }
  /// Reads again: the file may have changed.
  void refresh();
  /// Another use of a column: one undo step. `use` as workspace::withUse has it.
  void setUse(const QString& column, const QString& use);
  [[nodiscard]] QString useOf(const QString& column) const;
  /// Why the use of a column was proposed when the data were opened; "" if it was not, or if the
  /// column has another use by now.
  [[nodiscard]] QString proposalReason(const QString& column) const;
  [[nodiscard]] bool hasProposals() const { return !proposals_.empty(); }
  /// Why the settings of the experiment are as they were proposed, until its data are others.
  [[nodiscard]] const std::vector<workspace::ProposalReason>& reasons() const { return reasons_; }
  /// Why none were proposed.
  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }

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
  /// "" while nothing is opened.
  [[nodiscard]] QString opening() const { return opener_.running() ? openedPath_ : QString(); }

 signals:
  void previewChanged();
  /// A count, its error, or whether it is being counted.
  void countChanged();
  void openingChanged();
  void openProgressed(const QString& stage, qint64 done, qint64 total);
  /// reasons() or refusal().
  void proposalChanged();
  /// `changes`: settings that had to change for these data, one sentence each.
  void opened(const QStringList& changes);
  void openFailed(const Error& error);
  /// Whether there is a race, or raceText().
  void raceChanged();
  /// A race has ended: the sentence says what it changed, or why it was ended before its outcome.
  void raceEnded(const QString& sentence);
  /// Data that were being opened are not, since another experiment is.
  void openingDropped(const QString& path);

 private:
  void follow();
  void read();
  void readPreview();
  void count(std::int64_t atMost);
  void setState(State state);
  [[nodiscard]] experiment::Dataset dataset() const { return editor_.experiment().dataset; }
  enum class Settings {
    kOfSuchData,  ///< those of the document if they are about such data, else proposed ones
    kProposed,    ///< proposed ones, or those of the document
    kOnlyProposed,
    kGiven,  ///< those of the document
  };
  struct Found;
  static Result<Found> look(const nlohmann::json& document, const std::string& path,
                            Settings settings, const WorkContext& context);
  void start(const nlohmann::json& document, const QString& path, Settings settings, Into into);
  QStringList use(const Found& found, nlohmann::json document, Into into);
  void finishRace(Result<Found> found);
  [[nodiscard]] QStringList settingsOfRace() const;
  /// The document but for its name, which is no setting.
  [[nodiscard]] nlohmann::json settings() const;
  /// Tells the editor what the count of all rows says of an import.
  void tellCount();
  void setProposal(std::vector<workspace::RoleProposal> roles,
                   std::vector<workspace::ProposalReason> reasons, std::optional<Error> refusal);
  /// The document with other data; its relevance threshold goes with the labels.
  [[nodiscard]] static nlohmann::json withDataset(nlohmann::json document,
                                                  const experiment::Dataset& dataset);
  /// Takes the reasons that the experiment keeps, if they are about its data.
  void takeKeptReasons();
  void noteProposedName();
  [[nodiscard]] std::optional<std::string> newName(const experiment::Dataset& chosen) const;

  ExperimentEditor& editor_;
  std::function<bool(const std::string&)> isTaken_;
  QTimer pause_;
  bool active_ = false, keeping_ = false;
  State state_ = State::kNothing;
  workspace::SourcePreview preview_;
  mutable std::optional<std::map<std::string, std::string, std::less<>>> uses_;  ///< by column
  std::vector<workspace::RoleProposal> proposals_;
  std::vector<workspace::ProposalReason> reasons_;
  std::optional<Error> refusal_;
  Error error_;
  std::optional<workspace::FilterCount> count_;
  std::optional<Error> countError_;
  QString namedId_;                         ///< the experiment that has proposedNames_
  std::vector<std::string> proposedNames_;  ///< those that no person typed
  QString openedPath_;
  std::string proposedFor_;          ///< the file that the proposals are about
  std::string previewed_, counted_;  ///< the settings that were looked at
  bool racesProposals_ = false, usingRace_ = false;
  nlohmann::json racedSettings_;
  QString racedFile_;
  double raceShare_ = 0.0;
  Stopwatch raceClock_;
  Background opener_{"propose"}, reader_{"preview"}, counter_{"count rows"}, racer_{"race"};
};

}  // namespace parapet::ui
