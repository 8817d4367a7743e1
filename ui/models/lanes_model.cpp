// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/lanes_model.h"

#include "ui/models/document_words.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

using experiment::LaneShares;

QString percent(double share) {
  return fixedText(100.0 * share, 1);
}

/// The share of a part from kCompute to kWaiting.
double shareOf(const LaneShares& lane, int part) {
  switch (part) {
    case LanesModel::kCompute:
      return lane.compute;
    case LanesModel::kExchange:
      return lane.exchange;
    case LanesModel::kUpdate:
      return lane.update;
    case LanesModel::kInput:
      return lane.input;
    default:
      return lane.waiting;
  }
}

}  // namespace

LanesModel::LanesModel(QObject* parent) : RowsModel(parent) {
  std::vector<RowsColumn<LaneShares>> columns{
      {.title = tr("Rank"),
       .alignment = Qt::AlignRight,
       .value = [](const LaneShares&, int rank) { return QVariant(rank); }},
      {.title = tr("Device"),
       .text = [this](const LaneShares&, int rank) { return deviceName(rank); }}};
  for (int part = kFirstPart; part < kColumnCount; ++part)
    columns.push_back(
        {.title = tr("%1 [%]").arg(partName(part)),
         .tip = partMeaning(part),
         .alignment = Qt::AlignRight,
         .text = [part](const LaneShares& lane, int) { return percent(shareOf(lane, part)); },
         .value = [part](const LaneShares& lane, int) { return QVariant(shareOf(lane, part)); },
         .toolTip = [part](const LaneShares&, int) { return partMeaning(part); }});
  setColumns(std::move(columns));
}

void LanesModel::setDevices(const QStringList& devices) {
  if (devices_ == devices) return;
  devices_ = devices;
  if (rowCount() > 0) emit dataChanged(index(0, kDevice), index(rowCount() - 1, kDevice));
}

QString LanesModel::cacheHits() const {
  QStringList tables;
  for (const experiment::CacheUse& cache : caches_)
    if (cache.rows > 0)
      tables << tr("%1 %2 %").arg(QString::fromStdString(cache.table), percent(cache.hitRate()));
  return tables.isEmpty() ? QString() : tr("Cache hits: %1").arg(tables.join(QStringLiteral(", ")));
}

QString LanesModel::replays() const {
  if (recorded_.pieces == 0) return {};
  return tr("Replayed: %1 % of the pieces of steps").arg(percent(recorded_.share()));
}

void LanesModel::setTimeUse(const experiment::TimeUse& use) {
  caches_ = use.caches;
  recorded_ = use.recorded;
  const std::vector<LaneShares> lanes = experiment::laneShares(use);
  const int after = static_cast<int>(lanes.size());
  removeRowsAt(after, rowCount() - after);
  for (int rank = 0; rank < rowCount(); ++rank)
    recordAt(rank) = lanes[static_cast<std::size_t>(rank)];
  if (rowCount() > 0)
    emit dataChanged(index(0, kFirstPart), index(rowCount() - 1, kColumnCount - 1));
  insertRowsAt(rowCount(), {lanes.begin() + rowCount(), lanes.end()});
}

double LanesModel::share(int rank, int part) const {
  return shareOf(recordAt(rank), part);
}

QString LanesModel::partName(int part) {
  switch (part) {
    case kCompute:
      return tr("Compute");
    case kExchange:
      return tr("Exchange");
    case kUpdate:
      return tr("Update");
    case kInput:
      return tr("Input wait");
    default:
      return tr("Waiting");
  }
}

QString LanesModel::partMeaning(int part) {
  switch (part) {
    case kCompute:
      return tr(
          "Forward and backward pass over the examples of this device; of a GPU its updates, too");
    case kExchange:
      return tr("Gradients summed and embedding rows exchanged over the devices");
    case kUpdate:
      return tr("Gradients of the same row summed and applied by the optimizer");
    case kInput:
      return tr("The next batch was not ready");
    default:
      return tr(
          "Waiting for the other devices, which share the cores, and between the parts of a step");
  }
}

QString LanesModel::deviceName(int rank) const {
  return rank < devices_.size() ? devices_.at(rank) : tr("rank %1").arg(rank);
}

QString LanesModel::sentence(int rank) const {
  QStringList parts;
  for (int part = kFirstPart; part < kColumnCount; ++part)
    parts << tr("%1 %2 %").arg(insideSentence(partName(part)), percent(share(rank, part)));
  return tr("Rank %1, %2: %3").arg(rank).arg(deviceName(rank), parts.join(QStringLiteral(", ")));
}

QVariant LanesModel::more(const LaneShares& lane, int column, int role) const {
  if (role != Qt::AccessibleTextRole || column != kRank) return {};
  return sentence(static_cast<int>(&lane - rows().data()));
}

}  // namespace parapet::ui
