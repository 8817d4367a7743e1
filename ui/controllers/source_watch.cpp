// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/source_watch.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "engine/experiment/experiment.h"
#include "engine/experiment/experiment_name.h"
#include "engine/workspace/proposal_race.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_names.h"

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
  // Which column has the ids decides what catalogues tell of a row.
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
  return dataset.is_object()
             ? sourceKey(dataset) + dataset.value("filter", nlohmann::ordered_json()).dump()
             : std::string();
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

/// What an experiment keeps of a proposal: the reasons, and the data that they are about.
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
  connect(&editor, &ExperimentEditor::loaded, this, [this] {
    opener_.cancel();
    // What the experiment keeps is not what is forgotten here.
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

void SourceWatch::propose(Race race) {
  start(nlohmann::json(editor_.document()), QString::fromStdString(dataset().path.value_or("")),
        race == Race::kVariants ? Settings::kRaced : Settings::kOnlyProposed,
        Into::kThisExperiment);
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
  found.ofDocument = settings == Settings::kOnlyProposed || settings == Settings::kRaced;
  const experiment::Dataset now = experiment::parse(document).experiment.dataset;
  const bool keeps = settings == Settings::kGiven || (settings == Settings::kOfSuchData &&
                                                      workspace::requireDataOf(now, path).ok());
  if (!keeps) {
    auto proposal = workspace::proposeExperiment(path, context);
    if (proposal && settings == Settings::kRaced)
      proposal = workspace::raceProposal(std::move(proposal).value(), context);
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
  openedPath_ = path;
  opener_.start(
      [document, path = path.toStdString(), settings](const WorkContext& context) {
        return look(document, path, settings, context);
      },
      [this, document, into, settings](Result<Found> found) {
        if (!found) {
          emit openFailed(found.error());
          return;
        }
        if (settings == Settings::kRaced && nlohmann::json(editor_.document()) != document) {
          emit openFailed(Error{ErrorCode::kCancelled,
                                "settings were changed during the race, and its outcome would "
                                "replace them"});
          return;
        }
        QStringList changes = use(*found, document, into);
        if (settings == Settings::kRaced)
          changes << tr("the race of variants is over: what it measured is among the reasons");
        setProposal(std::move(found->roles), std::move(found->reasons), std::move(found->refusal));
        if (found->chosen) {
          preview_ = std::move(found->chosen->preview);
          previewed_ = sourceKey(editor_.value("/dataset"));
          reader_.cancel();
          setState(State::kReady);
        }
        read();
        emit opened(changes);
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
  if (active_) pause_.start();
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
        emit countChanged();
      });
}

void SourceWatch::setState(State state) {
  uses_.reset();
  state_ = state;
  emit previewChanged();
}

}  // namespace parapet::ui
