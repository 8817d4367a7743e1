// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "tests/layering/source_tree.h"

using namespace parapet::layering;

namespace {

using Files = std::vector<SourceFile>;
using Lines = std::vector<std::string>;

// The architecture of CONTRIBUTING.md, lowest first.
const Lines kArchitecture{
    "base",       "experiment",    "tensor",    "data/dataset", "data/text", "data/ingest",
    "data/split", "data/generate", "data",      "mesh",         "launch",    "selftest",
    "nn",         "checkpoint",    "retrieval", "train",        "store",     "workspace"};

// The order inside ui/, lowest first.
const Lines kUiOrder{"bridge", "models", "controllers", "plots",
                     "style",  "forms",  "dialogs",     "pages"};

// Headers of the engine that the apps include beside workspace, experiment and base.
const std::vector<HeaderException> kExceptions{
    {"engine/store/run_store.h", "records of runs, which Workspace::store() hands out"},
    {"engine/retrieval/recommender.h",
     "lists and explanations, which Workspace::recommender() hands out"},
    {"engine/mesh/sharding_plan.h", "plans, which Workspace::plan() hands out"},
    {"engine/nn/schedules.h", "learning rates over the steps, drawn before there is a run"},
    {"engine/selftest/device_report.h", "the self-test of a device, which needs no workspace"},
    {"engine/selftest/measure.h", "the units of that report"},
    {"engine/tensor/backend_probe.h", "what a trial asks a plugin, in a process of its own"},
};

std::string include(const std::string& path) {
  return "#include \"" + path + "\"\n";
}

}  // namespace

// NONE_OF(rule): passes when the rule finds nothing, and prints all that it finds.
#define NONE_OF(violations)                                               \
  do {                                                                    \
    const Lines found = (violations);                                     \
    QVERIFY2(found.empty(), ("\n" + parapet::join(found, "\n")).c_str()); \
  } while (false)

class LayeringTest : public QObject {
  Q_OBJECT

  Files tree_;

 private Q_SLOTS:
  void initTestCase() {
    tree_ = readSourceTree(PARAPET_SOURCE_DIR);
    QVERIFY(tree_.size() > 50);
  }

  void buildFollowsTheArchitecture() {
    for (const SourceFile& file : tree_)
      if (file.path == "engine/CMakeLists.txt") {
        QCOMPARE(architectureOf(file.text), kArchitecture);
        return;
      }
    QFAIL("engine/CMakeLists.txt was not read");
  }

  void modulesIncludeOnlyModulesBelow() { NONE_OF(upwardIncludes(tree_, kArchitecture)); }
  void modulesIncludeOnlyWhatTheyLink() { NONE_OF(unlinkedIncludes(tree_)); }
  void librariesOfDataStandOnDatasetAlone() { NONE_OF(dataCrossIncludes(tree_)); }
  void appsSeeTheEngineThroughTheWorkspace() {
    NONE_OF(appsBesideTheWorkspace(tree_, kExceptions));
  }
  void uiBuildsInItsOrder() {
    for (const SourceFile& file : tree_)
      if (file.path == "ui/CMakeLists.txt") {
        QCOMPARE(architectureOf(file.text), kUiOrder);
        return;
      }
    QFAIL("ui/CMakeLists.txt was not read");
  }
  void uiFoldersIncludeOnlyFoldersBelow() { NONE_OF(upwardUiIncludes(tree_, kUiOrder)); }
  void theBridgeHasNoWidgets() { NONE_OF(widgetsInTheBridge(tree_)); }
  void engineAndPluginsKnowNoQt() { NONE_OF(forbiddenIncludes(tree_)); }
  void pluginsSeeOnlyTheAbi() { NONE_OF(pluginsBeyondTheAbi(tree_)); }
  void theBuildTagIsOfAllThatPluginsSee() { NONE_OF(headersBesideTheBuildTag(tree_)); }
  void everyFileNamesItsLicence() { NONE_OF(wrongLicences(tree_)); }

  // The meaning of a kind stands in loss_kind.h, model_kind.h and layer_kind.cpp; elsewhere code asks for
  // a trait.
  void fewFilesNameAKind() {
    for (const auto& [kind, most] :
         {std::pair{"LossKind", 8U}, std::pair{"ModelKind", 8U}, std::pair{"LayerKind", 9U}}) {
      const Lines files = filesNaming(tree_, kind);
      QVERIFY2(!files.empty() && files.size() <= most,
               (std::string(kind) + "\n" + parapet::join(files, "\n")).c_str());
    }
  }

  // The code that runs a step is shown to others by four headers.
  void theStepIsShownByFourHeaders() {
    const Lines shown{"program.h", "space.h", "step_batch.h", "step_runner.h"};
    const Lines hidden{"lookup_rows.h",  "parameter_updates.h", "row_sums.h",    "sharded_stack.h",
                       "staged_batch.h", "step_slice.h",        "table_update.h"};
    Lines beyond;
    for (const SourceFile& file : tree_)
      for (const std::string& included : includesOf(file.text))
        for (const std::string& header : hidden)
          if (included == "engine/nn/" + header && !file.path.starts_with("engine/nn/") &&
              !file.path.starts_with("tests/nn/"))
            beyond.push_back(file.path + " includes " + included);
    NONE_OF(beyond);
    for (const std::string& header : shown)
      QVERIFY(std::ranges::find(tree_, "engine/nn/" + header, &SourceFile::path) != tree_.end());
  }

  // The table of CONTRIBUTING names every file that an example of a kind is named in.
  void contributingNamesTheFilesOfAnExample_data() {
    QTest::addColumn<std::string>("row");
    QTest::addColumn<std::string>("example");
    QTest::addColumn<std::size_t>("files");
    const auto row = [](const char* name, const char* example, std::size_t files) {
      QTest::newRow(name) << std::string(name) << std::string(example) << files;
    };
    row("layer", "kL2Normalize", 3);  // without a setting and a node of its own
    row("loss", "kListMle", 2);
    row("optimizer", "kFtrl", 6);  // without its op
    row("metric of lists", "kMap", 3);
  }
  void contributingNamesTheFilesOfAnExample() {
    QFETCH(const std::string, row);
    QFETCH(const std::string, example);
    const auto contributing = std::ranges::find(tree_, "CONTRIBUTING.md", &SourceFile::path);
    QVERIFY(contributing != tree_.end());
    const std::size_t begin = contributing->text.find("\n| " + row + " |") + 1;
    QVERIFY(begin > 0);
    const std::string text =
        contributing->text.substr(begin, contributing->text.find('\n', begin) - begin);
    const Lines files = filesWithTheWord(tree_, example);
    QTEST(files.size(), "files");
    for (const std::string& path : files) {
      const std::filesystem::path file(path);
      const bool isNamed = std::ranges::any_of(
          Lines{path, file.parent_path().string(), file.filename().string(),
                (file.parent_path() / file.stem()).string() + ".*"},
          [&](const std::string& name) { return text.find("`" + name + "`") != text.npos; });
      QVERIFY2(isNamed, path.c_str());
    }
  }

  // Each rule finds what it is for.

  void findsAFileThatNamesAKind() {
    QCOMPARE(filesNaming({{"engine/a.cpp", "kind == experiment::LossKind::kMse"},
                          {"ui/b.h", "using enum experiment::LossKind;"},
                          {"tests/c.cpp", "LossKind::kMse"},
                          {"app/d.cpp", "OtherLossKind::kMse; LossKind kind; LossKind::of()"}},
                         "LossKind"),
             (Lines{"engine/a.cpp", "ui/b.h"}));
  }

  void findsAWord() {
    QCOMPARE(filesWithTheWord({{"engine/a.cpp", "return kMap;"},
                               {"engine/b.cpp", "return kMapped;"},
                               {"tests/c.cpp", "kMap"},
                               {"docs/d.md", "kMap"}},
                              "kMap"),
             (Lines{"engine/a.cpp"}));
  }

  void findsIncludesHoweverTheyAreWritten() {
    QCOMPARE(includesOf("#include <a>\n  #  include \"b/c.h\" // why\nint include;\n"),
             (Lines{"a", "b/c.h"}));
  }

  void findsAnUpwardInclude() {
    QCOMPARE(
        upwardIncludes({{"engine/data/a.h", include("engine/nn/graph.h")}}, kArchitecture).size(),
        std::size_t{1});
    NONE_OF(upwardIncludes({{"engine/nn/a.h", include("engine/data/a.h")},
                            {"engine/nn/nodes/b.h", include("engine/nn/a.h")}},
                           kArchitecture));
  }

  void findsAModuleOutsideTheArchitecture() {
    QCOMPARE(upwardIncludes({{"engine/misc/a.h", ""}}, kArchitecture).size(), std::size_t{1});
  }

  void tellsTheLibrariesOfDataApart() {
    QCOMPARE(engineModule("engine/data/ingest/sources/a.h"), std::string("data/ingest"));
    QCOMPARE(engineModule("engine/data/a.h"), std::string("data"));
    QCOMPARE(engineModule("engine/data/source_abi.h"), std::string());
    QCOMPARE(engineModule("engine/nn/nodes/a.h"), std::string("nn"));
    QCOMPARE(upwardIncludes({{"engine/data/dataset/a.h", include("engine/data/ingest/import/a.h")}},
                            kArchitecture)
                 .size(),
             std::size_t{1});
  }

  void findsALibraryOfDataOnAnother() {
    for (const auto& [file, included] : {std::pair{"ingest/a.h", "split/a.h"},
                                         {"split/a.cpp", "ingest/sources/a.h"},
                                         {"generate/a.h", "ingest/a.h"},
                                         {"text/a.h", "ingest/a.h"},
                                         {"split/a.h", "text/a.h"}})
      QCOMPARE(dataCrossIncludes({{std::string("engine/data/") + file,
                                   include(std::string("engine/data/") + included)}})
                   .size(),
               std::size_t{1});
    NONE_OF(
        dataCrossIncludes({{"engine/data/split/a.h", include("engine/data/dataset/a.h")},
                           {"engine/data/split/b.h", include("engine/data/split/a.h")},
                           {"engine/data/ingest/b.h", include("engine/data/text/a.h")},
                           {"engine/data/dataset/parquet/a.h", include("engine/data/source_abi.h")},
                           {"engine/workspace/a.h", include("engine/data/ingest/a.h")}}));
  }

  void findsAnIncludeThatIsNotLinked() {
    const Files files{
        {"engine/tensor/CMakeLists.txt",
         "parapet_library(t SOURCES a.cpp DEPS parapet::engine_base)"},
        {"engine/mesh/CMakeLists.txt",
         "parapet_library(m SOURCES a.cpp\n  DEPS parapet::engine_tensor Threads::Threads\n"
         "  PRIVATE_DEPS parapet::engine_experiment)"},
        {"engine/mesh/ok.cpp", include("engine/base/a.h") + include("engine/experiment/a.h")},
        {"engine/mesh/bad.cpp", include("engine/data/dataset/dataset.h")},
        {"engine/tensor/bad.cpp", include("engine/experiment/document.h")},
        {"engine/nn/CMakeLists.txt",
         "parapet_library(n SOURCES a.cpp DEPS parapet::engine_data_dataset)"},
        {"engine/nn/ok.cpp", include("engine/data/dataset/dataset.h")},
        {"engine/nn/bad.cpp", include("engine/data/ingest/import/import.h")}};
    QCOMPARE(unlinkedIncludes(files).size(), std::size_t{3});
  }

  void findsAnAppThatPassesTheWorkspaceBy() {
    const std::vector<HeaderException> exceptions{{"engine/store/run_store.h", "records"}};
    const SourceFile good{"ui/models/a.h", include("engine/store/run_store.h") +
                                               include("engine/workspace/workspace.h")};
    NONE_OF(appsBesideTheWorkspace({good}, exceptions));
    for (const char* path : {"ui/pages/data/b.cpp", "app/cli/commands/c.h"})
      QCOMPARE(appsBesideTheWorkspace({good, {path, include("engine/data/dataset/dataset.h")}},
                                      exceptions)
                   .size(),
               std::size_t{1});
    // An exception that is not needed any more.
    QCOMPARE(appsBesideTheWorkspace({}, exceptions).size(), std::size_t{1});
  }

  void findsAnUpwardIncludeInTheWindow() {
    NONE_OF(upwardUiIncludes({{"ui/pages/data/a.cpp", include("ui/models/a.h")}}, kUiOrder));
    QCOMPARE(upwardUiIncludes({{"ui/models/a.cpp", include("ui/pages/data/a.h")}}, kUiOrder).size(),
             std::size_t{1});
    QCOMPARE(upwardUiIncludes({{"ui/pages/a/a.cpp", include("app/cli/a.h")}}, kUiOrder).size(),
             std::size_t{1});
    QCOMPARE(upwardUiIncludes({{"ui/misc/a.h", ""}}, kUiOrder).size(), std::size_t{1});
  }

  void findsAWidgetInTheBridge() {
    NONE_OF(widgetsInTheBridge({{"ui/bridge/a.h", include("QString")}}));
    QCOMPARE(widgetsInTheBridge({{"ui/bridge/a.h", include("QLabel")}}).size(), std::size_t{1});
    QCOMPARE(widgetsInTheBridge({{"ui/bridge/CMakeLists.txt", "DEPS Qt6::Widgets"}}).size(),
             std::size_t{1});
  }

  void findsQtInTheEngine() {
    for (const char* path : {"QString", "QtCore/QObject", "QtTest", "qcustomplot.h", "ui/a.h"})
      QCOMPARE(forbiddenIncludes({{"engine/base/a.cpp", include(path)}}).size(), std::size_t{1});
    NONE_OF(forbiddenIncludes(
        {{"ui/a.cpp", include("QString")}, {"engine/base/a.cpp", include("engine/base/queue.h")}}));
  }

  void findsAPluginThatReachesInside() {
    QCOMPARE(pluginsBeyondTheAbi({{"plugins/cpu/a.cpp", include("engine/tensor/device.h")}}).size(),
             std::size_t{1});
    QCOMPARE(pluginsBeyondTheAbi({{"engine/tensor/a.cpp", include("plugins/cpu/a.h")}}).size(),
             std::size_t{1});
    for (const char* path :
         {"engine/tensor/plugin_abi.h", "engine/tensor/ops.def", "engine/tensor/kernels/a.h"})
      NONE_OF(pluginsBeyondTheAbi({{"plugins/cpu/a.cpp", include(path)}}));
  }

  void findsAHeaderThatIsNotHashed() {
    const SourceFile cmake{"installer/cmake/ParapetTargets.cmake",
                           "set(PARAPET_ABI_HEADERS engine/tensor/ops.def)"};
    NONE_OF(headersBesideTheBuildTag(
        {cmake, {"engine/tensor/ops.def", ""}, {"engine/tensor/device.h", ""}}));
    for (const char* path : {"engine/mesh/a_abi.h", "engine/tensor/kernels/a.h"})
      QCOMPARE(headersBesideTheBuildTag({cmake, {path, ""}}).size(), std::size_t{1});
  }

  void findsAMissingOrForeignLicence() {
    const std::string mark = std::string("// SPDX-License-") + "Identifier: ";
    QCOMPARE(wrongLicences({{"engine/a.cpp", "int a;"}}).size(), std::size_t{1});
    QCOMPARE(wrongLicences({{"ui/a.cpp", mark + "Apache-2.0"}}).size(), std::size_t{1});
    QCOMPARE(wrongLicences({{"app/cli/a.cpp", mark + "GPL-3.0-or-later"}}).size(), std::size_t{1});
    NONE_OF(wrongLicences(
        {{"app/parapet/a.cpp", mark + "GPL-3.0-or-later"}, {"engine/a.cpp", mark + "Apache-2.0"}}));
  }
};

QTEST_GUILESS_MAIN(LayeringTest)
#include "layering_test.moc"
