// SPDX-License-Identifier: GPL-3.0-or-later
// Languages of the window: translations are complete and fit the sources, every text is asked of the
// translator in the context under which lupdate lists it, and pages have room for longer words.
#include <QAbstractButton>
#include <QDirIterator>
#include <QFile>
#include <QGroupBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenuBar>
#include <QProcess>
#include <QRegularExpression>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include "app/parapet/parts.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/ranking_metric.h"
#include "tests/ui/window_look.h"
#include "ui/models/app_settings.h"
#include "ui/models/document_words.h"
#include "ui/models/languages.h"
#include "ui/models/setting_names.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 120'000, kDataSteps = 8;
constexpr const char* kPages[] = {"home",
                                  "experiment/data",
                                  "experiment/tables",
                                  "experiment/model",
                                  "experiment/training",
                                  "experiment/mesh",
                                  "train",
                                  "runs",
                                  "browse",
                                  "devices",
                                  "log"};
const QString kGerman = PARAPET_TRANSLATIONS "/parapet_de.ts";
const QString kMark = QStringLiteral("‹");

/// An entry of a .ts file.
struct Message {
  QString context, source;
  QStringList texts;  ///< one, or one for each numerus form
  bool isFinished = true, isNumerus = false;
};

QList<Message> readTranslation(const QString& path) {
  QFile file(path);
  QList<Message> messages;
  if (!file.open(QIODevice::ReadOnly)) return messages;
  QXmlStreamReader xml(&file);
  QString context;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    const auto name = xml.name();
    if (name == QLatin1String("name")) context = xml.readElementText();
    if (name == QLatin1String("message"))
      messages.append({.context = context,
                       .source = {},
                       .texts = {},
                       .isNumerus = xml.attributes().value("numerus") == QLatin1String("yes")});
    if (name == QLatin1String("source")) messages.last().source = xml.readElementText();
    if (name == QLatin1String("translation")) {
      messages.last().isFinished = !xml.attributes().hasAttribute("type");
      if (!messages.last().isNumerus) messages.last().texts << xml.readElementText();
    }
    if (name == QLatin1String("numerusform")) messages.last().texts << xml.readElementText();
  }
  return messages;
}

QStringList keysOf(const QList<Message>& messages) {
  QStringList keys;
  for (const Message& message : messages)
    keys << QString("%1 | %2 | %3 forms")
                .arg(message.context, message.source)
                .arg(message.texts.size());
  keys.sort();
  return keys;
}

/// "%1", "%2", "%n" and HTML tags, sorted: what a translation must take over.
QStringList placeholdersOf(const QString& text) {
  static const QRegularExpression kPlaceholder(QStringLiteral("%[0-9n]|</?[a-z]+[^>]*>"));
  QStringList found;
  for (auto at = kPlaceholder.globalMatch(text); at.hasNext();) found << at.next().captured();
  found.sort();
  return found;
}

/// Letters after a single '&', which menus and labels underline.
int acceleratorsOf(const QString& text) {
  static const QRegularExpression kAccelerator(QStringLiteral("&(?=[\\wÄÖÜäöü])"));
  return static_cast<int>(text.count(kAccelerator));
}

/// Every text longer by 40 % and marked, with accents; what a translation keeps stays as it is.
class PseudoTranslator : public QTranslator {
 public:
  [[nodiscard]] bool isEmpty() const override { return false; }
  QString translate(const char*, const char* source, const char*, int n) const override {
    static const QRegularExpression kKept(
        QStringLiteral("%[0-9n]|</?[a-z]+[^>]*>|\\([^)]*\\*[^)]*\\)"));
    const QString text = QString::fromUtf8(source);
    QString out;
    qsizetype from = 0;
    for (auto at = kKept.globalMatch(text); at.hasNext();) {
      const auto kept = at.next();
      out += accented(text.mid(from, kept.capturedStart() - from)) + kept.captured();
      from = kept.capturedEnd();
    }
    out += accented(text.mid(from));
    // Words of a language have seven letters or so.
    QString more;
    for (int count = 0; count < (text.size() * 2 + 4) / 5 - 1; ++count)
      more += count % 8 == 7 ? ' ' : 'o';
    out = kMark + out + more;
    return n < 0 ? out : out.replace(QStringLiteral("%n"), QString::number(n));
  }

 private:
  static QString accented(QString text) {
    static const QString kPlain = QStringLiteral("aeiouAEIOU"),
                         kMarked = QStringLiteral("äéîöüÄÉÎÖÜ");
    for (QChar& each : text)
      if (const auto at = kPlain.indexOf(each); at >= 0) each = kMarked[at];
    return text;
  }
};

/// A translation that remembers what was asked of it in vain: a text that lupdate did not see, or that it
/// lists in another context than tr() asks for.
class CheckedTranslator : public QTranslator {
 public:
  explicit CheckedTranslator(const QList<Message>& messages) {
    for (const Message& message : messages) {
      known_ << message.source;
      for (const QString& said : message.texts) said_ << said.toLower();
    }
  }
  QString translate(const char* context, const char* source, const char* comment,
                    int n) const override {
    QString text = QTranslator::translate(context, source, comment, n);
    // A stage that comes translated already is asked for once more.
    if (said_.contains(QString::fromUtf8(source).toLower())) return text;
    const bool isOurs = QByteArrayView(context).startsWith("parapet::") ||
                        QByteArrayView(context) == "QObject" ||
                        QByteArrayView(context) == "Outcome";
    if (text.isNull() && (isOurs || (known_.contains(QString::fromUtf8(source)) &&
                                     !QByteArrayView(context).startsWith("Q"))))
      missed_ << QString("%1 | %2").arg(QLatin1String(context), QString::fromUtf8(source));
    return text;
  }
  [[nodiscard]] QStringList missed() const { return missed_.values(); }

 private:
  QSet<QString> known_, said_;
  mutable QSet<QString> missed_;
};

/// Texts that a person reads on widgets; cells of tables are data.
QStringList textsOn(const QWidget& window) {
  QStringList texts;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->visibleRegion().isEmpty()) continue;
    if (!qobject_cast<const QComboBox*>(widget)) texts << textOf(*widget);
    if (const auto* line = qobject_cast<const QLineEdit*>(widget)) texts << line->placeholderText();
    if (const auto* group = qobject_cast<const QGroupBox*>(widget)) texts << group->title();
    if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
      for (int tab = 0; tab < tabs->count(); ++tab) texts << tabs->tabText(tab);
    if (const auto* header = qobject_cast<const QHeaderView*>(widget);
        header && header->model() && header->orientation() == Qt::Horizontal)
      for (int section = 0; section < header->count(); ++section)
        if (!header->isSectionHidden(section))
          texts << header->model()->headerData(section, Qt::Horizontal).toString();
    texts << widget->accessibleName();
  }
  return texts;
}

/// Texts that need no translation: titles of recipes, names of experiments, metrics, devices and formats,
/// paths, attributes of users, and sentences of the engine, which are English in every language.
bool isData(const QString& text) {
  static const QRegularExpression kLetters(QStringLiteral("\\p{L}{2,}"));
  static const QRegularExpression kData(QStringLiteral(
      "^(/|cpu:|sample-|\\d+ · |The model is |JSON$|English$|Deutsch$)|\\w@\\d|val_loss"));
  if (!kLetters.match(text).hasMatch() || kData.match(text).hasMatch()) return true;
  return std::ranges::any_of(experiment::recipes(), [&](const experiment::Recipe& recipe) {
    return text == QString::fromStdString(recipe.title);
  });
}

}  // namespace

class TranslationsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  /// Opens the window, trains the sample, looks at every page at 1280 × 720 and returns what is wrong.
  /// `check` sees the window at every stop.
  QStringList walk(const QString& name, const std::function<void(QWidget&)>& check) {
    QStringList faults;
    auto made = Parts::make((folder_.path() + "/workspace-" + name).toStdString(),
                            (folder_.path() + "/config-" + name).toStdString());
    if (!made) return {QString::fromStdString(made.error().text())};
    Parts& parts = **made;
    MainWindow& window = parts.window();
    window.restore();
    window.beginWith("sample");
    window.resize(1280, 720);
    window.show();
    auto* experiment = qobject_cast<ExperimentPage*>(window.page("experiment"));
    auto* data = qobject_cast<DataPage*>(experiment->step("data"));
    const bool trained = parts.trainSampleIfEmpty() &&
                         QTest::qWaitFor([&] { return !parts.bench().runs.active(); }, kLongMs);
    data->importPanel().start();
    const bool imported =
        QTest::qWaitFor([&] { return data->importPanel().dataset() != nullptr; }, kLongMs);
    if (!trained || !imported) faults << "the sample was not trained";
    for (const QString page : kPages) {
      window.showPage(page);
      const int steps = page == "experiment/data" ? kDataSteps : 1;
      for (int step = 0; step < steps; ++step) {
        const QString place = steps > 1 ? QString("%1-%2").arg(page).arg(step + 1) : page;
        if (steps > 1) data->showStep(step);
        if (!comesToRest(window, kLongMs)) faults << place + " never comes to rest";
        for (const QString& fault :
             faultsOf(window) + sidewaysOf(window, pictures_) + elidedOf(window))
          faults << place + ": " + fault;
        if (window.size() != QSize(1280, 720)) faults << place + ": the window grew";
        check(window);
        if (const QString out = qEnvironmentVariable("PARAPET_PICTURES"); !out.isEmpty())
          window.grab().save(
              QString("%1/%2 %3.png").arg(out, name, QString(place).replace('/', '-')));
      }
    }
    return faults;
  }

  static void eachTranslation() {
    QTest::addColumn<QString>("file");
    const QDir folder(PARAPET_TRANSLATIONS);
    for (const QFileInfo& file : folder.entryInfoList({"parapet_*.ts"}))
      QTest::addRow("%s", qPrintable(file.baseName())) << file.filePath();
  }

  QStringList pictures_;
  QString qm_ = QStringLiteral(":/translations/parapet_de.qm");

 private slots:
  void initTestCase() {
    QApplication::setFont(QFont("DejaVu Sans", 12));
    applyTheme(Theme::kLight);
  }

  void languagesFitTheDesktop() {
    QCOMPARE(languages().front(), QString("en"));
    QCOMPARE(fittingLanguage({"xx-YY", "zz"}), QString("en"));
    QCOMPARE(fittingLanguage({"en-GB", "de-DE"}), QString("en"));
    if (!languages().contains("de")) QSKIP("built without lrelease");
    QCOMPARE(fittingLanguage({"xx", "de-AT", "en"}), QString("de"));
    QCOMPARE(languageName("de"), QString("Deutsch"));
    QCOMPARE(Translation("de").language(), QString("de"));
    QCOMPARE(Translation("en").language(), QString("en"));
  }

  void aTranslationHoldsAsLongAsItsObject() {
    if (!languages().contains("de")) QSKIP("built without lrelease");
    {
      const Translation german("de");
      QCOMPARE(MainWindow::tr("&Help"), QString("&Hilfe"));
      QCOMPARE(insideSentence("Lernrate"), QString("Lernrate"));
    }
    QCOMPARE(MainWindow::tr("&Help"), QString("&Help"));
    QCOMPARE(insideSentence("Learning rate"), QString("learning rate"));
  }

  void theLanguageIsASetting() {
    const std::filesystem::path folder = folder_.filePath("settings").toStdString();
    QCOMPARE(AppSettings::languageIn(folder), QString("system"));
    AppSettings(folder).setLanguage("de");
    QCOMPARE(AppSettings::languageIn(folder), QString("de"));
    QCOMPARE(AppSettings(folder).language(), QString("de"));
    QFile file(folder_.filePath("settings/settings.json"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{") == 1);
    file.close();
    QCOMPARE(AppSettings::languageIn(folder), QString("system"));
    QVERIFY(file.exists());
  }

  void theCommandLineNamesTheLanguages() {
    QProcess program;
    program.start(PARAPET_PROGRAM, {"--language", "xx"});
    QVERIFY(program.waitForFinished(kLongMs));
    QCOMPARE(program.exitCode(), 2);
    const QString said = QString::fromUtf8(program.readAllStandardError());
    for (const QString& word : QStringList{"xx", "system"} + languages())
      QVERIFY2(said.contains(word), qPrintable(said));
  }

  void translationsFitTheirSources_data() { eachTranslation(); }
  void translationsFitTheirSources() {
    QFETCH(QString, file);
    const QList<Message> messages = readTranslation(file);
    QVERIFY(messages.size() > 2000);
    QStringList faults;
    for (const Message& message : messages) {
      const QString what = message.context + " | " + message.source;
      if (!message.isFinished) faults << what + " is unfinished";
      if (message.texts.isEmpty()) faults << what + ": no form";
      for (const QString& text : message.texts) {
        if (text.isEmpty()) faults << what + " is empty";
        if (placeholdersOf(text) != placeholdersOf(message.source)) faults << what + ": " + text;
        if (acceleratorsOf(text) != acceleratorsOf(message.source))
          faults << what + ": accelerator of " + text;
        if (text.count(";;") != message.source.count(";;")) faults << what + ": filters of " + text;
        if (text.isEmpty()) continue;
        if (text.front().isSpace() != message.source.front().isSpace() ||
            text.back().isSpace() != message.source.back().isSpace())
          faults << what + ": space of " + text;
      }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }

  /// A text that was added, changed or removed without its translation. The target
  /// parapet_translations takes it over.
  void translationsAreUpToDate_data() { eachTranslation(); }
  void translationsAreUpToDate() {
    QFETCH(QString, file);
    if (!QFile::exists(PARAPET_LUPDATE)) QSKIP("lupdate is not installed (qt6-l10n-tools)");
    const QString fresh = folder_.filePath(QFileInfo(file).fileName());
    QProcess lupdate;
    lupdate.setWorkingDirectory(PARAPET_SOURCES);
    lupdate.start(PARAPET_LUPDATE, {"-silent", "-no-obsolete", "-locations", "none", "-I", ".",
                                    "ui", "app/parapet", "-ts", fresh});
    QVERIFY(lupdate.waitForFinished(kLongMs));
    // A fresh file has as many empty forms as its language has.
    const QStringList wanted = keysOf(readTranslation(fresh));
    QVERIFY(wanted.size() > 2000);
    const QStringList present = keysOf(readTranslation(file));
    QStringList faults;
    for (const QString& key : wanted)
      if (!present.contains(key)) faults << "not translated: " + key;
    for (const QString& key : present)
      if (!wanted.contains(key)) faults << "not in the sources: " + key;
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }

  void everyWordOfTheSchemaHasATranslation() {
    QSet<QString> known;
    for (const Message& message : readTranslation(kGerman))
      if (message.context == QLatin1String("Document")) known << message.source;
    static const QRegularExpression kWord(QStringLiteral("^[a-z][a-z0-9_]*$"));
    QSet<QString> wanted{"lower"};
    const auto want = [&](const std::string& word) {
      const QString text = QString::fromStdString(word);
      if (kWord.match(text).hasMatch() && text != "log_q" && text != "glu")
        wanted << wordName(text);
    };
    const std::function<void(const nlohmann::ordered_json&)> collect = [&](const auto& node) {
      if (node.is_object() && node.contains("properties") && node["properties"].is_object())
        for (const auto& [key, value] : node["properties"].items()) want(key);
      if (node.is_object() && node.contains("enum") && node["enum"].is_array())
        for (const auto& word : node["enum"])
          if (word.is_string()) want(word.template get<std::string>());
      if (node.is_structured())
        for (const auto& part : node) collect(part);
    };
    collect(experiment::schema());
    QVERIFY(wanted.size() > 300);
    QStringList missing, stale;
    for (const QString& word : wanted - known) missing << word;
    for (const QString& word : known - wanted) stale << word;
    QVERIFY2(
        missing.isEmpty() && stale.isEmpty(),
        qPrintable(QString("missing: %1; stale: %2").arg(missing.join(", "), stale.join(", "))));
  }

  /// Stages and metrics that the engine names, and the window translates from lists of its own.
  void everyNameOfTheEngineHasATranslation() {
    QSet<QString> stages, metrics;
    for (const Message& message : readTranslation(kGerman)) {
      if (message.context == QLatin1String("QObject")) stages << message.source.toLower();
      if (message.context == QLatin1String("RankingMetric")) metrics << message.source;
    }
    static const QRegularExpression kReport(QStringLiteral("report(?:edAs)?\\(\"([^\"]+)\""));
    QStringList missing;
    int found = 0;
    QDirIterator files(QString(PARAPET_SOURCES) + "/engine", {"*.cpp"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QString text = QString::fromUtf8(file.readAll());
      for (auto at = kReport.globalMatch(text); at.hasNext(); ++found) {
        const QString stage = at.next().captured(1);
        // Texts with words of their own are among the texts of QObject.
        if (!QStringList{"reading", "catalogue", "vectors", "k-core"}.contains(stage) &&
            !stages.contains(stage.toLower()))
          missing << stage;
      }
    }
    QVERIFY(found > 30);
    for (const experiment::RankingMetricTraits& metric : experiment::kRankingMetrics)
      if (!metrics.contains(metric.name)) missing << metric.name;
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
  }

  void pagesHaveRoomForLongerWordsAndAskForAllOfThem() {
    PseudoTranslator longer;
    QCoreApplication::installTranslator(&longer);
    pictures_ = {PseudoTranslator().translate("", "Picture of the plan", "", -1)};
    QSet<QString> unmarked;
    const QStringList faults = walk("pseudo", [&](QWidget& window) {
      for (const QString& text : textsOn(window))
        if (!text.contains(kMark) && !isData(text)) unmarked << text;
      for (const QAction* action : window.findChildren<QAction*>())
        if (!action->text().contains(kMark) && !isData(action->text())) unmarked << action->text();
    });
    QCoreApplication::removeTranslator(&longer);
    for (const QString& fault : faults) qInfo().noquote() << fault;
    for (const QString& text : unmarked) qInfo().noquote() << "not translated: " + text;
    QVERIFY2(faults.isEmpty() && unmarked.isEmpty(),
             qPrintable(QString("%1 faults, %2 texts").arg(faults.size()).arg(unmarked.size())));
  }

  void germanPagesAreNotCutAndFindTheirTexts() {
    if (!languages().contains("de")) QSKIP("built without lrelease");
    CheckedTranslator german(readTranslation(kGerman));
    QVERIFY(german.load(qm_));
    QCoreApplication::installTranslator(&german);
    pictures_ = {"Bild des Plans"};
    const QStringList faults = walk("german", [](QWidget&) {});
    QCoreApplication::removeTranslator(&german);
    for (const QString& fault : faults) qInfo().noquote() << fault;
    for (const QString& text : german.missed()) qInfo().noquote() << "not found: " + text;
    QVERIFY2(
        faults.isEmpty() && german.missed().isEmpty(),
        qPrintable(QString("%1 faults, %2 texts").arg(faults.size()).arg(german.missed().size())));
  }
};

QTEST_MAIN(TranslationsTest)
#include "translations_test.moc"
