// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/source_watch.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <map>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/experiment_name.h"
#include "engine/workspace/proposal_race.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_names.h"
#include "ui/models/setting_names.h"

namespace parapet::ui {
namespace {

// One look for a burst of edits.
constexpr int kPreviewPauseMs = 300;

/// The settings that decide what the source looks like, as text.
std::string sourceKey(const nlohmann::ordered_json& dataset) {
  std::string key;
  if (!dataset.is_object()) return key;
  for (const char* name :
       {"source", "path", "format", "text", "slice", "generator", "derived", "catalogues"})
    key += dataset.value(name, nlohmann::ordered_json()).dump() + '\n';
  // The column with the ids decides what catalogues tell of a row.
  if (!dataset.value("catalogues", nlohmann::ordered_json()).empty())
    for (const nlohmann::ordered_json& column : dataset.value("columns", nlohmann::ordered_json()))
      if (column.is_object() &&
          (column.value("role", "") == "user" || column.value("role", "") == "item"))
        key += column.dump() + '\n';
  const auto split = dataset.value("split", nlohmann::ordered_json());
  if (split.is_object() && split.value("kind", nlohmann::ordered_json()) == "files")
    key += split.dump() + '\n';
  return key;
}

/// The file that the columns are those of.
std::string fileKey(const nlohmann::ordered_json& dataset) {
  return dataset.is_object() ? dataset.value("source", nlohmann::ordered_json()).dump() +
                                   dataset.value("path", nlohmann::ordered_json()).dump()
                             : std::string();
}

std::string filterKey(const nlohmann::ordered_json& dataset) {
  if (!dataset.is_object()) return {};
  // Roles decide which cells an import needs.
  std::string key = sourceKey(dataset);
  for (const char* name : {"filter", "columns", "label", "weight", "times"})
    key += dataset.value(name, nlohmann::ordered_json()).dump() + '\n';
  return key;
}

/// Files beside the data that a person has added stay; one is proposed where none is there yet.
void keepCatalogues(std::vector<experiment::Catalogue> now, nlohmann::json& document) {
  experiment::Experiment proposed = experiment::parse(document).experiment;
  for (experiment::Catalogue& each : proposed.dataset.catalogues)
    if (std::ranges::find(now, each.of, &experiment::Catalogue::of) == now.end())
      now.push_back(std::move(each));
  proposed.dataset.catalogues = std::move(now);
  document["dataset"]["catalogues"] = experiment::toJson(proposed)["dataset"]["catalogues"];
}

/// The text that an experiment keeps of a proposal: the reasons, and the data that they are about.
std::string textOfReasons(const std::vector<workspace::ProposalReason>& reasons,
                          const std::string& data) {
  if (reasons.empty()) return {};
  nlohmann::json list = nlohmann::json::array();
  for (const workspace::ProposalReason& each : reasons)
    list.push_back({{"pointer", each.pointer}, {"reason", each.reason}});
  return nlohmann::json{{"data", data}, {"reasons", std::move(list)}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json sampleDocument() {
  return experiment::parseJson(experiment::findRecipe("sample").value().text).value();
}

}  // namespace

/// Data that were looked at: an experiment for them, or the data alone.
struct SourceWatch::Found {
  nlohmann::json proposed;
  std::vector<workspace::RoleProposal> roles;
  std::vector<workspace::ProposalReason> reasons;
  std::optional<Error> refusal;
  std::optional<workspace::ChosenData> chosen;
  bool ofDocument = false;  ///< they were its data before
};

SourceWatch::SourceWatch(ExperimentEditor& editor, QObject* parent)
    : QObject(parent), editor_(editor) {
  callAfterPause(pause_, kPreviewPauseMs, this, &SourceWatch::read);
  connect(&editor, &ExperimentEditor::documentChanged, this, &SourceWatch::follow);
  connect(&counter_, &Background::runningChanged, this, &SourceWatch::countChanged);
  connect(&opener_, &Background::runningChanged, this, &SourceWatch::openingChanged);
  connect(&opener_, &Background::progressed, this, &SourceWatch::openProgressed);
  connect(&racer_, &Background::runningChanged, this, &SourceWatch::raceChanged);
  connect(&racer_, &Background::progressed, this,
          [this](const QString&, qint64 done, qint64 total) {
            raceShare_ = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
            emit raceChanged();
          });
  connect(&editor, &ExperimentEditor::loaded, this, [this] {
    if (const QString path = opening(); !path.isEmpty()) {
      opener_.cancel();
      emit openingDropped(path);
    }
    endRace(tr("another experiment was opened"));
    // The experiment keeps its reasons, which are not forgotten here.
    keeping_ = true;
    setProposal({}, {}, {});
    keeping_ = false;
    noteProposedName();
  });
  connect(&editor, &ExperimentEditor::reasonsChanged, this, &SourceWatch::takeKeptReasons);
  connect(&editor, &ExperimentEditor::experimentChanged, this, [this] {
    if (editor_.experimentId() != namedId_) noteProposedName();
  });
  noteProposedName();
}

void SourceWatch::noteProposedName() {
  const experiment::Experiment& now = editor_.experiment();
  namedId_ = editor_.experimentId();
  proposedNames_.clear();
  if (isProposedName(now.name, editor_.origin(),
                     QString::fromStdString(now.dataset.path.value_or(""))))
    proposedNames_.push_back(now.name);
}

void SourceWatch::setActive(bool active) {
  active_ = active;
  if (active) return read();
  // Nobody waits for the end of a large file.
  if (!counter_.running()) return;
  counter_.cancel();
  counted_.clear();
}

void SourceWatch::refresh() {
  previewed_.clear();
  counted_.clear();
  read();
}

void SourceWatch::open(const QString& path, Into into) {
  if (into == Into::kThisExperiment)
    return start(nlohmann::json(editor_.document()), path, Settings::kOfSuchData, into);
  nlohmann::json document = sampleDocument();
  document["name"] = workspace::nameOfData(path.toStdString());
  start(document, path, Settings::kProposed, into);
}

void SourceWatch::propose() {
  start(nlohmann::json(editor_.document()), QString::fromStdString(dataset().path.value_or("")),
        Settings::kOnlyProposed, Into::kThisExperiment);
}

void SourceWatch::race() {
  racedSettings_ = settings();
  const std::string path = dataset().path.value_or("");
  racedFile_ = QFileInfo(QDir::cleanPath(QString::fromStdString(path))).fileName();
  raceShare_ = 0.0;
  raceClock_.restart();
  racer_.start(
      [path](const WorkContext& context) -> Result<Found> {
        PARAPET_ASSIGN(auto proposal, workspace::proposeExperiment(path, context));
        proposal = workspace::raceProposal(std::move(proposal), context);
        if (context.cancelled()) return Error{ErrorCode::kCancelled, "the race was stopped"};
        Found found;
        found.ofDocument = true;
        found.proposed = nlohmann::json(workspace::documentOf(proposal));
        found.roles = std::move(proposal.roles);
        found.reasons = std::move(proposal.reasons);
        return found;
      },
      [this](Result<Found> found) { finishRace(std::move(found)); });
}

void SourceWatch::finishRace(Result<Found> found) {
  if (!found) return emit openFailed(found.error());
  usingRace_ = true;
  QStringList changes = use(*found, nlohmann::json(editor_.document()), Into::kThisExperiment);
  const QStringList changed = settingsOfRace();
  const QString outcome = changed.isEmpty() ? tr("the race of variants is over and keeps what was "
                                                 "proposed; its measurements are among "
                                                 "the reasons")
                                            : tr("the race of variants is over and changed %1; its "
                                                 "measurements are among the reasons")
                                                  .arg(changed.join(QStringLiteral(", ")));
  changes << outcome;
  setProposal(std::move(found->roles), std::move(found->reasons), {});
  usingRace_ = false;
  emit opened(changes);
  emit raceEnded(tr("%1.").arg(outcome.left(1).toUpper() + outcome.mid(1)));
}

// The names of the settings that the race has changed; of many settings of one part that of the part.
QStringList SourceWatch::settingsOfRace() const {
  std::map<std::string, std::vector<std::string>> parts;
  for (const nlohmann::json& change : nlohmann::json::diff(racedSettings_, settings())) {
    const auto path = change["path"].get<std::string>();
    parts[path.substr(0, path.find('/', 1))].push_back(path);
  }
  QStringList names;
  for (const auto& [part, paths] : parts)
    names << settingName(paths.size() == 1 ? paths.front() : part, editor_.document()).name;
  return names;
}

void SourceWatch::endRace(const QString& why) {
  if (!racer_.running()) return;
  racer_.cancel();
  if (!why.isEmpty()) emit raceEnded(tr("The race of variants was ended: %1.").arg(why));
}

nlohmann::json SourceWatch::settings() const {
  nlohmann::json document(editor_.document());
  if (document.is_object()) document.erase("name");
  return document;
}

QString SourceWatch::raceText() const {
  if (!racing()) return {};
  QString text = tr("Racing variants of %1").arg(shownText(racedFile_));
  constexpr double kTellsFrom = 0.1;  // of a race; before, what is left is a guess
  if (raceShare_ <= 0.0) return text;
  text += tr(": %1 %").arg(qRound(100.0 * raceShare_));
  if (raceShare_ < kTellsFrom) return text;
  const double left = raceClock_.seconds() * (1.0 - raceShare_) / raceShare_;
  return text + tr(", about %1 left").arg(QString::fromStdString(formatDuration(left)));
}

void SourceWatch::useSample() {
  nlohmann::json document = sampleDocument();
  document["name"] = nlohmann::json(editor_.value("/name"));
  start(document, QString::fromStdString(dataset().path.value_or("")), Settings::kGiven,
        Into::kThisExperiment);
}

Result<SourceWatch::Found> SourceWatch::look(const nlohmann::json& document,
                                             const std::string& path, Settings settings,
                                             const WorkContext& context) {
  Found found;
  found.ofDocument = settings == Settings::kOnlyProposed;
  const experiment::Dataset now = experiment::parse(document).experiment.dataset;
  const bool keeps = settings == Settings::kGiven || (settings == Settings::kOfSuchData &&
                                                      workspace::requireDataOf(now, path).ok());
  if (!keeps) {
    auto proposal = workspace::proposeExperiment(path, context);
    if (proposal && context.cancelled())
      return Error{ErrorCode::kCancelled, "no experiment was proposed"};
    if (proposal) {
      found.proposed = nlohmann::json(workspace::documentOf(*proposal));
      found.roles = std::move(proposal->roles);
      found.reasons = std::move(proposal->reasons);
      return found;
    }
    if (found.ofDocument || context.cancelled()) return proposal.error();
    found.refusal = proposal.error();
  }
  PARAPET_ASSIGN(found.chosen, workspace::chooseData(now, path, workspace::OtherColumns::kSuggest,
                                                     kRows, context));
  found.roles = std::move(found.chosen->proposals);
  return found;
}

void SourceWatch::start(const nlohmann::json& document, const QString& path, Settings settings,
                        Into into) {
  opener_.cancel();
  endRace(tr("other settings take the place of those that raced"));
  openedPath_ = path;
  opener_.start(
      [document, path = path.toStdString(), settings](const WorkContext& context) {
        return look(document, path, settings, context);
      },
      [this, document, into](Result<Found> found) {
        if (!found) {
          emit openFailed(found.error());
          return;
        }
        const QStringList changes = use(*found, document, into);
        const bool isProposed = !found->chosen && !found->ofDocument;
        setProposal(std::move(found->roles), std::move(found->reasons), std::move(found->refusal));
        if (found->chosen) {
          preview_ = std::move(found->chosen->preview);
          previewed_ = sourceKey(editor_.value("/dataset"));
          reader_.cancel();
          setState(State::kReady);
        }
        read();
        emit opened(changes);
        // Texts have no variants.
        if (racesProposals_ && isProposed && !dataset().isText()) race();
      });
}

QStringList SourceWatch::use(const Found& found, nlohmann::json document, Into into) {
  QStringList changes;
  if (found.chosen) {
    const experiment::Experiment before = experiment::parse(document).experiment;
    for (const std::string& change : found.chosen->changes) changes << shownText(change);
    document = withDataset(std::move(document), found.chosen->dataset);
    const bool isLabelled = found.chosen->dataset.label.column.has_value();
    if (!isLabelled && before.evaluation.relevanceThreshold)
      changes << tr("every held-out row counts as relevant, since no column is a label");
    // Without labels it would learn the constant 1.
    if (experiment::isRowwise(before.loss.kind) && !isLabelled &&
        experiment::hasTowers(before.model.kind)) {
      document["loss"] = {{"kind", "in_batch_softmax"}};
      changes << tr("the loss is in-batch softmax, since no column is a label");
    }
  } else {
    document = found.proposed;
  }
  if (into == Into::kNewExperiment) {
    editor_.load(document, QFileInfo(QDir::cleanPath(openedPath_)).fileName());
    return changes;
  }
  document["name"] = nlohmann::json(editor_.value("/name"));
  if (const auto name = newName(experiment::parse(document).experiment.dataset)) {
    document["name"] = *name;
    proposedNames_.push_back(*name);
    changes << tr("the experiment is named %1").arg(shownText(*name));
  }
  if (found.ofDocument) keepCatalogues(dataset().catalogues, document);
  editor_.replace(document, found.chosen ? tr("Use the data of %1").arg(openedPath_)
                                         : tr("Propose an experiment for %1").arg(openedPath_));
  return changes;
}

void SourceWatch::setProposal(std::vector<workspace::RoleProposal> roles,
                              std::vector<workspace::ProposalReason> reasons,
                              std::optional<Error> refusal) {
  proposals_ = std::move(roles);
  reasons_ = std::move(reasons);
  refusal_ = std::move(refusal);
  proposedFor_ = fileKey(editor_.value("/dataset"));
  if (!keeping_) {
    keeping_ = true;
    editor_.setReasons(textOfReasons(reasons_, proposedFor_));
    keeping_ = false;
  }
  emit proposalChanged();
}

void SourceWatch::takeKeptReasons() {
  if (keeping_) return;
  const auto kept = nlohmann::json::parse(editor_.reasons(), nullptr, false);
  const std::string now = fileKey(editor_.value("/dataset"));
  if (!kept.is_object() || kept.value("data", std::string()) != now) return;
  std::vector<workspace::ProposalReason> reasons;
  for (const auto& each : kept.value("reasons", nlohmann::json::array()))
    if (each.is_object())
      reasons.push_back(
          {each.value("pointer", std::string()), each.value("reason", std::string())});
  keeping_ = true;
  setProposal({}, std::move(reasons), {});
  keeping_ = false;
}

/// Null: the name stays, since a person typed it or it goes with these data.
std::optional<std::string> SourceWatch::newName(const experiment::Dataset& chosen) const {
  const experiment::Experiment& now = editor_.experiment();
  const QString path = QString::fromStdString(chosen.path.value_or(""));
  if (path.isEmpty() || isNameOfData(now.name, path) ||
      std::ranges::find(proposedNames_, now.name) == proposedNames_.end())
    return std::nullopt;
  return experiment::freeExperimentName(
      workspace::nameOfData(*chosen.path),
      [this](std::string_view name) { return isTaken_ && isTaken_(std::string(name)); });
}

QString SourceWatch::proposalReason(const QString& column) const {
  const auto found =
      std::ranges::find(proposals_, column.toStdString(), &workspace::RoleProposal::column);
  if (found == proposals_.end() || QString::fromStdString(found->use) != useOf(column)) return {};
  return shownText(found->reason);
}

nlohmann::json SourceWatch::withDataset(nlohmann::json document,
                                        const experiment::Dataset& dataset) {
  experiment::Experiment changed = experiment::parse(document).experiment;
  changed.dataset = dataset;
  document["dataset"] = experiment::toJson(changed)["dataset"];
  // Without labels every row counts 1, which a threshold of ratings leaves out.
  if (!dataset.label.column && changed.evaluation.relevanceThreshold)
    document["evaluation"]["relevance_threshold"] = nullptr;
  return document;
}

void SourceWatch::setUse(const QString& column, const QString& use) {
  if (state_ != State::kReady) return;
  editor_.replace(withDataset(nlohmann::json(editor_.document()),
                              workspace::withUse(dataset(), preview_.columns, column.toStdString(),
                                                 use.toStdString())),
                  use.isEmpty() ? tr("Leave out the column %1").arg(column)
                                : tr("Use the column %1 as %2").arg(column, use));
}

QString SourceWatch::useOf(const QString& column) const {
  // Asked for every column after every change, and answered for all of them at once.
  if (!uses_) uses_ = workspace::usesOfColumns(dataset(), preview_.columns);
  const auto found = uses_->find(column.toStdString());
  return found == uses_->end() ? QString() : QString::fromStdString(found->second);
}

void SourceWatch::follow() {
  uses_.reset();
  if (racing() && !usingRace_ && settings() != racedSettings_)
    endRace(tr("settings were changed, and its outcome would replace them"));
  const nlohmann::ordered_json now = editor_.value("/dataset");
  if (sourceKey(now) != previewed_) {
    // A catalogue that is added changes nothing of what the columns are.
    if (fileKey(now) != proposedFor_ && (hasProposals() || !reasons_.empty() || refusal_))
      setProposal({}, {}, {});
    reader_.cancel();
    if (state_ != State::kNothing) setState(State::kReading);
  }
  if (filterKey(now) != counted_) {
    counter_.cancel();
    count_.reset();
    countError_.reset();
    emit countChanged();
  }
  tellCount();
  if (active_) pause_.start();
}

void SourceWatch::tellCount() {
  experiment::Findings findings;
  const double accepted = dataset().maxRejectedShare;
  if (count_ && count_->complete && count_->rejectedShare() > accepted) {
    const double share = count_->rejectedShare();
    const std::int64_t lines = count_->rows + count_->rejected;
    findings.problems.push_back(
        {"/dataset/max_rejected_share",
         tr("%1 of %2 lines are rejected (%3 %), and an import fails above %4 %")
             .arg(QString::fromStdString(formatCount(count_->rejected)),
                  QString::fromStdString(formatCount(lines)),
                  QString::number(100.0 * share, 'f', 1), QString::number(100.0 * accepted))
             .toStdString(),
         tr("data whose lines can be read, or a larger share").toStdString()});
  }
  if (count_ && count_->lateTimes > 0)
    findings.warnings.push_back(
        {"/dataset/times", workspace::lateTimesWarning(count_->lateTimes, count_->kept), {}});
  editor_.setDataFindings(findings);
}

void SourceWatch::read() {
  pause_.stop();
  const nlohmann::ordered_json now = editor_.value("/dataset");
  if (!dataset().namesData()) {
    previewed_ = sourceKey(now);
    counted_ = filterKey(now);
    setState(State::kNothing);
    return;
  }
  if (sourceKey(now) != previewed_) {
    previewed_ = sourceKey(now);
    readPreview();
  }
  if (filterKey(now) != counted_) {
    counted_ = filterKey(now);
    count(kSample);
  }
}

void SourceWatch::readPreview() {
  setState(State::kReading);
  reader_.start(
      [spec = dataset()](const WorkContext& context) {
        return workspace::previewSource(spec, kRows, context);
      },
      [this](Result<workspace::SourcePreview> preview) {
        if (preview) {
          preview_ = std::move(preview).value();
        } else {
          error_ = preview.error();
        }
        setState(preview ? State::kReady : State::kFailed);
      });
}

void SourceWatch::count(std::int64_t atMost) {
  counter_.start(
      [spec = dataset(), atMost](const WorkContext& context) {
        return workspace::countRows(spec, atMost, context);
      },
      [this](const Result<workspace::FilterCount>& count) {
        if (count) {
          count_ = *count;
          if (!count->complete) this->count(0);
        } else {
          countError_ = count.error();
        }
        tellCount();
        emit countChanged();
      });
}

void SourceWatch::setState(State state) {
  uses_.reset();
  state_ = state;
  emit previewChanged();
}

}  // namespace parapet::ui
