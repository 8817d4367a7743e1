// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <vector>

#include "engine/experiment/time_use.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// The use of time of each device of a run, in shares of it: a row per rank. Numbers come
/// exact under Qt::EditRole.
class LanesModel : public RowsModel<experiment::LaneShares> {
  Q_OBJECT

 public:
  enum Column { kRank, kDevice, kCompute, kExchange, kUpdate, kInput, kWaiting, kColumnCount };
  static constexpr int kFirstPart = kCompute, kParts = kColumnCount - kCompute;

  explicit LanesModel(QObject* parent = nullptr);

  /// Names of the devices by rank; a rank beyond them is called by its number.
  void setDevices(const QStringList& devices);
  void setTimeUse(const experiment::TimeUse& use);

  /// Share of a part (kCompute … kWaiting) of a rank, in [0, 1].
  [[nodiscard]] double share(int rank, int part) const;
  /// "Cache hits: user 93.1 %, item 99.0 %", of the tables that devices have caches of; "" without.
  [[nodiscard]] QString cacheHits() const;
  /// "Replayed: 98.4 % of the pieces of steps", by devices that record them; "" without.
  [[nodiscard]] QString replays() const;
  /// "Compute", "Exchange", …, and what it means in a sentence.
  [[nodiscard]] static QString partName(int part);
  [[nodiscard]] static QString partMeaning(int part);
  /// "Rank 1, cpu:1: compute 62.1 %, exchange 0.3 %, …"
  [[nodiscard]] QString sentence(int rank) const;

 protected:
  [[nodiscard]] QVariant more(const experiment::LaneShares& lane, int column,
                              int role) const override;

 private:
  [[nodiscard]] QString deviceName(int rank) const;

  QStringList devices_;
  std::vector<experiment::CacheUse> caches_;
  experiment::RecordedUse recorded_;
};

}  // namespace parapet::ui
