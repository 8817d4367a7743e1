// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::layering {

/// A text file of the project; `path` is relative to the project root.
struct SourceFile {
  std::string path;
  std::string text;
};

/// Sources, build files, scripts and pages of the project; no build outputs.
std::vector<SourceFile> readSourceTree(const std::filesystem::path& root);

/// Paths between quotes or angle brackets of the #include lines, in order.
std::vector<std::string> includesOf(std::string_view text);

/// The second part of "ui/<folder>/…", or "" for any other path.
std::string uiFolder(std::string_view path);

/// The second part of "engine/<module>/…", with the third for the libraries of data ("data/ingest"); ""
/// for any other path and for the header in engine/data that plugins see.
std::string engineModule(std::string_view path);

/// Folders in the order in which the first foreach of a CMakeLists.txt adds them, lowest first.
std::vector<std::string> architectureOf(std::string_view cmake);

/// For every module the modules that its library sees: what it names in DEPS and PRIVATE_DEPS, and what
/// those name in DEPS.
std::map<std::string, std::set<std::string>> linkedModules(const std::vector<SourceFile>& files);

// One rule each; the answer is a line per violation: "path: what is wrong".

/// An include of engine/<module>/ points down the layers or stays in the module.
std::vector<std::string> upwardIncludes(const std::vector<SourceFile>& files,
                                        const std::vector<std::string>& architecture);
/// An include of engine/<module>/ needs that module's library among the linked ones.
std::vector<std::string> unlinkedIncludes(const std::vector<SourceFile>& files);
/// engine/data/ingest, split and generate include data/dataset and themselves, never one another.
std::vector<std::string> dataCrossIncludes(const std::vector<SourceFile>& files);
/// A header of the engine that the apps may include beside workspace, experiment and base.
struct HeaderException {
  std::string header, reason;
};
/// ui/ and app/ see the engine through workspace, experiment and base, and through the headers that
/// are named; a named header that neither includes is a violation too.
std::vector<std::string> appsBesideTheWorkspace(const std::vector<SourceFile>& files,
                                                const std::vector<HeaderException>& exceptions);
/// An include of ui/<folder>/ points down the order or stays in the folder.
std::vector<std::string> upwardUiIncludes(const std::vector<SourceFile>& files,
                                          const std::vector<std::string>& order);
/// ui/bridge includes no widget, so that it builds and is checked without them.
std::vector<std::string> widgetsInTheBridge(const std::vector<SourceFile>& files);
/// Nothing in engine/ or plugins/ includes Qt, the window or the programs.
std::vector<std::string> forbiddenIncludes(const std::vector<SourceFile>& files);
/// plugins/ sees of the project the *_abi.h headers, engine/tensor/ops.def and the templates of
/// engine/tensor/kernels alone.
std::vector<std::string> pluginsBeyondTheAbi(const std::vector<SourceFile>& files);
/// Each of those is hashed into the build tag, by which a plugin of another build is refused.
std::vector<std::string> headersBesideTheBuildTag(const std::vector<SourceFile>& files);
/// Files of the product that name an enumerator of an enum, whose meanings stand in a table.
std::vector<std::string> filesNaming(const std::vector<SourceFile>& files, const std::string& kind);
/// Code files of the product that hold a word.
std::vector<std::string> filesWithTheWord(const std::vector<SourceFile>& files,
                                          const std::string& word);
/// ui/ and app/parapet/ are GPL-3.0-or-later and their tests may be; everything else is Apache-2.0.
std::vector<std::string> wrongLicences(const std::vector<SourceFile>& files);

}  // namespace parapet::layering
