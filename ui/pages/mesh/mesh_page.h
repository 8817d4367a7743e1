// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>
#include <functional>

#include "ui/forms/form.h"
#include "ui/pages/mesh/device_panel.h"
#include "ui/pages/mesh/estimate_panel.h"
#include "ui/pages/mesh/placement_panel.h"
#include "ui/pages/mesh/plan_panel.h"
#include "ui/pages/mesh/verify_panel.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// Devices, shape and axes of the mesh beside the plan of the placements. Tables are placed
/// by dragging, by a menu or by a list; each change is a step that can be taken back, and planned
/// anew.
class MeshPage : public StepPage {
  Q_OBJECT

 public:
  /// "parapet-cli VERB DOC …" for the document that is open.
  using CommandOf = std::function<QString(const QString& verb)>;
  MeshPage(const Workbench& bench, PreflightWatch& preflight, CommandOf command,
           QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Devices & placement"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("mesh"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  [[nodiscard]] QStringList prefixes() const override;
  bool reveal(const QString& pointer) override;
  /// Trains a few steps twice and compares; for every step, with its result on this one.
  [[nodiscard]] QAction* verifyAction() const { return verifyAction_; }

  [[nodiscard]] Form& form() const { return *form_; }
  [[nodiscard]] DevicePanel& devices() const { return *devices_; }
  [[nodiscard]] PlanWatch& watch() { return watch_; }
  [[nodiscard]] PlanPanel& plan() const { return *plan_; }
  [[nodiscard]] PlacementPanel& placement() const { return *placement_; }
  [[nodiscard]] EstimatePanel& estimate() const { return *estimate_; }
  [[nodiscard]] MemoryPanel& memory() const { return *memory_; }
  [[nodiscard]] VerifyPanel& verify() const { return *verify_; }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeSide();
  void makeForm();
  void makeActions();
  void startVerify();
  void connectParts();
  void moveTable(int table, int device);
  void openMenu(int table, const QPoint& at);

  Workbench bench_;
  CommandOf command_;
  PreflightWatch& preflight_;
  PlanWatch watch_;
  QSplitter* splitter_;
  DevicePanel* devices_;
  Form* form_;
  PlacementPanel* placement_;
  EstimatePanel* estimate_;
  PlanPanel* plan_;
  MemoryPanel* memory_;
  VerifyPanel* verify_;
  QAction* verifyAction_ = nullptr;
};

}  // namespace parapet::ui
