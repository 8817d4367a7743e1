// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/start_questions.h"

#include <QFileDialog>
#include <QGuiApplication>
#include <QMessageBox>
#include <QObject>
#include <QPushButton>

#include "ui/bridge/shown_text.h"

namespace parapet::window {
bool canAsk() {
  const QString platform = QGuiApplication::platformName();
  return platform != QLatin1String("offscreen") && platform != QLatin1String("minimal");
}

bool askForSafeMode() {
  QMessageBox box(QMessageBox::Warning, QObject::tr("Parapet"),
                  QObject::tr("Parapet ended while it was starting"));
  box.setInformativeText(
      QObject::tr("Safe mode starts without plugins, and with the default layout and settings. "
                  "Yours are kept as they are."));
  auto* safe = box.addButton(QObject::tr("Start in safe mode"), QMessageBox::AcceptRole);
  safe->setObjectName(QStringLiteral("startInSafeMode"));
  auto* normal = box.addButton(QObject::tr("Start normally"), QMessageBox::RejectRole);
  normal->setObjectName(QStringLiteral("startNormally"));
  box.setDefaultButton(safe);
  box.exec();
  return box.clickedButton() == safe;
}

std::optional<QString> askForWorkspace(const QString& reason) {
  QMessageBox box(QMessageBox::Critical, QObject::tr("Parapet"),
                  QObject::tr("The workspace cannot be opened"));
  box.setInformativeText(ui::shownText(reason));
  box.setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* other = box.addButton(QObject::tr("Choose another folder…"), QMessageBox::AcceptRole);
  other->setObjectName(QStringLiteral("otherWorkspace"));
  other->setToolTip(QObject::tr("A new folder becomes an empty workspace"));
  auto* quit = box.addButton(QObject::tr("Quit"), QMessageBox::RejectRole);
  quit->setObjectName(QStringLiteral("quitWithoutWorkspace"));
  box.setDefaultButton(other);
  box.exec();
  if (box.clickedButton() != other) return std::nullopt;
  const QString folder =
      QFileDialog::getExistingDirectory(nullptr, QObject::tr("Choose the folder of a workspace"));
  return folder.isEmpty() ? std::nullopt : std::optional(folder);
}

}  // namespace parapet::window
