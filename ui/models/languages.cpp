// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/languages.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>

// The resources lie in a static library; without this call the linker would leave them out. The
// macro must stand outside of any namespace.
static void initTranslationResources() {
  Q_INIT_RESOURCE(translations);
}

namespace parapet::ui {
namespace {

QDir translationFolder() {
  static const bool kReady = (initTranslationResources(), true);
  (void)kReady;
  return QDir(QStringLiteral(":/translations"));
}

}  // namespace

QStringList languages() {
  QStringList codes{QStringLiteral("en")};
  for (const QString& file : translationFolder().entryList({QStringLiteral("parapet_*.qm")}))
    codes << file.section(QLatin1Char('_'), 1).section(QLatin1Char('.'), 0, 0);
  return codes;
}

QString languageName(const QString& code) {
  // QLocale calls it "American English".
  return code == QLatin1String("en") ? QStringLiteral("English")
                                     : QLocale(code).nativeLanguageName();
}

QString fittingLanguage(const QStringList& wanted) {
  const QStringList known = languages();
  for (const QString& tag : wanted)
    if (const QString code = tag.section(QLatin1Char('-'), 0, 0); known.contains(code)) return code;
  return known.front();
}

Translation::Translation(const QString& choice)
    : language_(languages().contains(choice) ? choice
                                             : fittingLanguage(QLocale::system().uiLanguages())) {
  const QString folder = translationFolder().path();
  if (ofWindow_.load(QStringLiteral("parapet_") + language_, folder))
    QCoreApplication::installTranslator(&ofWindow_);
  const QString qt = QStringLiteral("qtbase_") + language_;
  if (ofQt_.load(qt, folder) || ofQt_.load(qt, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(&ofQt_);
}

}  // namespace parapet::ui
