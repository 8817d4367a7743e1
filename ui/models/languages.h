// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QTranslator>

namespace parapet::ui {

/// The language of the settings that follows the desktop.
inline constexpr const char* kSystemLanguage = "system";

/// Codes of the languages that the window has, "en" first: English is written in the sources, each
/// other one comes from `resources/translations/parapet_<code>.ts`. A build without lrelease has "en" alone.
QStringList languages();

/// The name of a language in that language, "Deutsch".
QString languageName(const QString& code);

/// The first of `wanted` ("de-AT", "en-GB", …, as QLocale::uiLanguages() gives them) that the window
/// has; "en" where it has none.
QString fittingLanguage(const QStringList& wanted);

/// Texts of the window and of Qt in a language, as long as the object lives. Widgets take their texts
/// when they are made, so it is made before them. Numbers and dates do not change with the language.
class Translation {
 public:
  /// `choice` is a code of languages() or kSystemLanguage; any other is taken as kSystemLanguage.
  explicit Translation(const QString& choice);

  /// The code of the language that the window speaks.
  [[nodiscard]] const QString& language() const { return language_; }

 private:
  QString language_;
  QTranslator ofQt_, ofWindow_;  ///< QTranslator removes itself when it goes
};

}  // namespace parapet::ui
