// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "ui/models/settings_file.h"

namespace parapet::ui {

/// What a person chose once and expects to find again: the theme. Every change is written at once.
class AppSettings : public QObject {
  Q_OBJECT

 public:
  explicit AppSettings(const std::filesystem::path& folder, QObject* parent = nullptr);

  /// The fault of the file; "" if none.
  [[nodiscard]] QString warning() const;
  /// "follow", "light" or "dark".
  [[nodiscard]] QString theme() const { return theme_; }
  void setTheme(const QString& name);

 signals:
  void failed(const QString& reason);

 private:
  void save();

  SettingsFile file_;
  QString theme_ = QStringLiteral("follow");
};

}  // namespace parapet::ui
