// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>
#include <optional>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/forms/card.h"
#include "ui/models/run_curves.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// A curve in the size of a stamp: its values at equal distances, the last one in figures, and a
/// level to compare them with.
class CurveThumbnail : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  struct Content {
    QString name{};                ///< "recall@10"
    std::vector<double> values{};  ///< finite
    QString levelName{};           ///< "most popular"; "" if there is no level
    double level = 0.0;
  };
  explicit CurveThumbnail(QWidget* parent = nullptr);
  /// With a value, at least.
  void setContent(Content content);
  [[nodiscard]] const Content& content() const { return content_; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Content content_;
};

/// The outcome of a run at a glance: its metric over the epochs, and the first items of a user's
/// list. Read in workers, and again when the run has changed.
class RunGlimpse : public QWidget {
  Q_OBJECT

 public:
  /// Larger checkpoints are not opened for three titles.
  static constexpr std::uint64_t kMaxBytes = 64ULL << 20;

  explicit RunGlimpse(workspace::Workspace& workspace, QWidget* parent = nullptr);
  void follow(const store::RunRecord& run);

 private:
  void showCurve(const StoredRun& run);
  void showList(const std::optional<retrieval::Recommendation>& list);

  workspace::Workspace& workspace_;
  Background curveReader_, listReader_;
  QString runId_, shown_;
  CurveThumbnail* thumbnail_;
  QWidget* list_;
  QLabel* user_;
  ElidedLabel* items_;
};

}  // namespace parapet::ui
