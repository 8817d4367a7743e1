// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <cstdint>
#include <vector>

class QLabel;
class QSlider;
class QToolButton;

namespace parapet::ui {

/// Goes through the checkpoints of a run, to see how a list grew: by slider, keys, or by itself.
class ReplayBar : public QWidget {
  Q_OBJECT

 public:
  explicit ReplayBar(QWidget* parent = nullptr);

  /// Steps of the checkpoints, ascending. With fewer than two there is nothing to replay.
  void setSteps(const std::vector<std::int64_t>& steps);
  /// The step that is shown; one that is not among them is shown as the last below it.
  void setStep(std::int64_t step);
  /// While a checkpoint is being read.
  void setOpening(bool opening);
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
  [[nodiscard]] bool playing() const;
  void stop();

 signals:
  void stepRequested(qint64 step);
  /// What is being read is not wanted any more.
  void cancelRequested();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void request();
  void play(bool on);
  void playNext();
  void showStep();

  std::vector<std::int64_t> steps_;
  QSlider* slider_;
  QToolButton* play_;
  QLabel* label_;
  QTimer rest_, next_;
  bool opening_ = false;
};

}  // namespace parapet::ui
