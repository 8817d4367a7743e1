// SPDX-License-Identifier: Apache-2.0
#include "tests/layering/source_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::layering {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFolders{"app",       "engine", "installer", "plugins",
                              "resources", "tests",  "ui",        ".ci"};

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Files that can carry a licence comment. Scripts have no extension; JSON has no comments.
bool isSource(const fs::path& path) {
  static const std::vector<std::string> kExtensions{"",     ".h",     ".cpp", ".cu", ".c",
                                                    ".def", ".cmake", ".txt", ".md", ".sh",
                                                    ".awk", ".yml",   ".toml"};
  const std::string name = path.filename().string();
  if (name.starts_with(".clang-")) return true;
  return contains(kExtensions, path.extension().string()) && !name.starts_with("LICENSE") &&
         !name.starts_with(".git");
}

void read(const fs::path& root, const fs::path& path, std::vector<SourceFile>& files) {
  if (!isSource(path)) return;
  // Another program may remove a file while the tree is read; it is then no longer of the project.
  if (auto text = readFile(path); text.ok())
    files.push_back({fs::relative(path, root).generic_string(), std::move(*text)});
}

bool isApp(std::string_view path) {
  return path.starts_with("ui/") || path.starts_with("app/");
}

bool isCode(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".cpp") || path.ends_with(".cu");
}

// The folder whose libraries are its folders.
constexpr std::string_view kData = "data";

// "data_ingest" is the library of data/ingest; the others are called as their folders.
std::string moduleOfLibrary(std::string library) {
  if (library.starts_with("data_")) library[kData.size()] = '/';
  return library;
}

// The modules whose libraries stand after `keyword` in a parapet_library call.
std::set<std::string> modulesAfter(std::string_view keyword, const std::string& cmake) {
  static const std::regex kWord("[A-Za-z_:]+|\\)");
  constexpr std::string_view kLibrary = "parapet::engine_";
  std::set<std::string> modules;
  bool listening = false;
  for (std::sregex_iterator it(cmake.begin(), cmake.end(), kWord), end; it != end; ++it) {
    const std::string word = it->str();
    if (word == keyword)
      listening = true;
    else if (word == ")" || word == "SOURCES" || word == "DEPS" || word == "PRIVATE_DEPS")
      listening = false;
    else if (listening && word.starts_with(kLibrary))
      modules.insert(moduleOfLibrary(word.substr(kLibrary.size())));
  }
  return modules;
}

}  // namespace

std::vector<SourceFile> readSourceTree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file()) read(root, entry.path(), files);
  for (const char* folder : kFolders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) read(root, entry.path(), files);
  }
  return files;
}

std::vector<std::string> includesOf(std::string_view text) {
  std::vector<std::string> includes;
  for (std::string_view line : splitFields(text, '\n')) {
    line = trim(line);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    const std::size_t begin = line.find_first_of("\"<");
    const std::size_t end = line.find_first_of("\">", begin + 1);
    if (begin == std::string_view::npos || end == std::string_view::npos) continue;
    includes.emplace_back(line.substr(begin + 1, end - begin - 1));
  }
  return includes;
}

std::string engineModule(std::string_view path) {
  const auto parts = splitFields(path, '/');
  if (parts.size() < 3 || parts[0] != "engine") return {};
  if (parts[1] != kData) return std::string(parts[1]);
  if (parts.size() > 3) return fmt::format("{}/{}", kData, parts[2]);
  // A header that plugins see belongs to none of the libraries.
  return parts[2].ends_with("_abi.h") ? std::string() : std::string(kData);
}

std::string uiFolder(std::string_view path) {
  const auto parts = splitFields(path, '/');
  return parts.size() > 2 && parts[0] == "ui" ? std::string(parts[1]) : std::string{};
}

std::vector<std::string> architectureOf(std::string_view cmake) {
  const std::size_t opening = cmake.find("foreach(");
  if (opening == std::string_view::npos) return {};
  // The first word is the variable of the loop.
  const std::size_t begin = cmake.find(' ', opening);
  if (begin == std::string_view::npos) return {};
  const std::string_view list = cmake.substr(begin);
  std::vector<std::string> modules;
  for (const std::string_view line : splitFields(list.substr(0, list.find(')')), '\n'))
    for (const std::string_view module : splitFields(line, ' '))
      if (!module.empty()) modules.emplace_back(module);
  return modules;
}

std::map<std::string, std::set<std::string>> linkedModules(const std::vector<SourceFile>& files) {
  std::map<std::string, std::set<std::string>> publicly, linked;
  for (const SourceFile& file : files) {
    const std::string module = engineModule(file.path);
    if (module.empty() || file.path != "engine/" + module + "/CMakeLists.txt") continue;
    publicly[module] = modulesAfter("DEPS", file.text);
    linked[module] = publicly[module];
    linked[module].merge(modulesAfter("PRIVATE_DEPS", file.text));
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [module, seen] : linked)
      for (const std::string& next : std::set(seen))
        for (const std::string& further : publicly[next]) grown |= seen.insert(further).second;
  }
  return linked;
}

std::vector<std::string> upwardIncludes(const std::vector<SourceFile>& files,
                                        const std::vector<std::string>& architecture) {
  std::vector<std::string> wrong;
  const auto step = [&](const std::string& module) {
    return std::find(architecture.begin(), architecture.end(), module) - architecture.begin();
  };
  for (const SourceFile& file : files) {
    const std::string module = engineModule(file.path);
    if (module.empty()) continue;
    if (!contains(architecture, module)) {
      wrong.push_back(fmt::format("{}: module {} is not in the architecture", file.path, module));
      continue;
    }
    for (const std::string& include : includesOf(file.text)) {
      const std::string other = engineModule(include);
      if (!other.empty() && step(other) > step(module))
        wrong.push_back(fmt::format("{}: includes {} from above", file.path, include));
    }
  }
  return wrong;
}

std::vector<std::string> dataCrossIncludes(const std::vector<SourceFile>& files) {
  const auto isUpper = [](const std::string& module) {
    return module.starts_with("data/") && module != "data/dataset";
  };
  // Importing texts is reading files and encoding their lines.
  const auto stands = [](const std::string& module, const std::string& other) {
    return module == other || (module == "data/ingest" && other == "data/text");
  };
  std::vector<std::string> wrong;
  for (const SourceFile& file : files) {
    const std::string module = engineModule(file.path);
    if (!isUpper(module)) continue;
    for (const std::string& include : includesOf(file.text))
      if (const std::string other = engineModule(include); isUpper(other) && !stands(module, other))
        wrong.push_back(
            fmt::format("{}: includes {}; {} stands on data/dataset alone, and "
                        "data/ingest on data/text",
                        file.path, include, module));
  }
  return wrong;
}

std::vector<std::string> unlinkedIncludes(const std::vector<SourceFile>& files) {
  std::vector<std::string> wrong;
  const auto linked = linkedModules(files);
  for (const SourceFile& file : files) {
    const auto module = linked.find(engineModule(file.path));
    if (module == linked.end() || !isCode(file.path)) continue;
    for (const std::string& include : includesOf(file.text)) {
      const std::string other = engineModule(include);
      if (!other.empty() && other != module->first && !module->second.contains(other))
        wrong.push_back(fmt::format("{}: includes {} without linking parapet::engine_{}", file.path,
                                    include, other));
    }
  }
  return wrong;
}

std::vector<std::string> appsBesideTheWorkspace(const std::vector<SourceFile>& files,
                                                const std::vector<HeaderException>& exceptions) {
  static const std::vector<std::string> kDoors{"workspace", "experiment", "base"};
  std::vector<std::string> wrong;
  std::set<std::string> used;
  for (const SourceFile& file : files) {
    if (!isApp(file.path) || !isCode(file.path)) continue;
    for (const std::string& include : includesOf(file.text)) {
      const std::string folder = engineModule(include);
      if (folder.empty() || contains(kDoors, folder)) continue;
      const auto named =
          std::find_if(exceptions.begin(), exceptions.end(),
                       [&](const HeaderException& each) { return each.header == include; });
      if (named != exceptions.end())
        used.insert(include);
      else
        wrong.push_back(
            fmt::format("{}: includes {}; accepted: engine/workspace, engine/experiment, "
                        "engine/base and the exceptions that this test names",
                        file.path, include));
    }
  }
  for (const HeaderException& each : exceptions)
    if (!used.contains(each.header))
      wrong.push_back(fmt::format("{}: no app includes this exception", each.header));
  return wrong;
}

std::vector<std::string> upwardUiIncludes(const std::vector<SourceFile>& files,
                                          const std::vector<std::string>& order) {
  std::vector<std::string> wrong;
  const auto step = [&](const std::string& folder) {
    return std::find(order.begin(), order.end(), folder) - order.begin();
  };
  for (const SourceFile& file : files) {
    const std::string folder = uiFolder(file.path);
    if (folder.empty()) continue;
    if (!contains(order, folder)) {
      wrong.push_back(fmt::format("{}: folder {} has no place in the order", file.path, folder));
      continue;
    }
    for (const std::string& include : includesOf(file.text)) {
      const std::string other = uiFolder(include);
      if ((!other.empty() && step(other) > step(folder)) || include.starts_with("app/"))
        wrong.push_back(fmt::format("{}: includes {} from above", file.path, include));
    }
  }
  return wrong;
}

std::vector<std::string> widgetsInTheBridge(const std::vector<SourceFile>& files) {
  static const std::regex kQt("Q[A-Z][A-Za-z]*");
  static const std::vector<std::string> kCore{
      "QDateTime", "QElapsedTimer", "QMetaObject", "QMetaType", "QObject",
      "QPointer",  "QString",       "QTimer",      "QVector",   "QtGlobal"};
  std::vector<std::string> wrong;
  for (const SourceFile& file : files) {
    if (uiFolder(file.path) != "bridge") continue;
    for (const std::string& include : includesOf(file.text))
      if (std::regex_match(include, kQt) && !contains(kCore, include))
        wrong.push_back(
            fmt::format("{}: includes {}; accepted: {}", file.path, include, join(kCore)));
    if (file.path.ends_with("CMakeLists.txt") &&
        file.text.find("Qt6::Widgets") != std::string::npos)
      wrong.push_back(fmt::format("{}: links Qt6::Widgets", file.path));
  }
  return wrong;
}

std::vector<std::string> forbiddenIncludes(const std::vector<SourceFile>& files) {
  static const std::regex kQt("(Q[A-Z][A-Za-z]*(/.*)?|Qt[A-Z].*|qcustomplot\\.h|q[a-z]+\\.h)");
  std::vector<std::string> wrong;
  for (const SourceFile& file : files) {
    if (!isCode(file.path)) continue;
    if (!file.path.starts_with("engine/") && !file.path.starts_with("plugins/")) continue;
    for (const std::string& include : includesOf(file.text))
      if (std::regex_match(include, kQt) || include.starts_with("ui/") ||
          include.starts_with("app/"))
        wrong.push_back(fmt::format("{}: includes {}", file.path, include));
  }
  return wrong;
}

namespace {

/// The ABI, the list of ops, and the templates of which both sides make kernels.
bool isForPlugins(const std::string& path) {
  return path.ends_with("_abi.h") || path == "engine/tensor/ops.def" ||
         path.starts_with("engine/tensor/kernels/");
}

}  // namespace

std::vector<std::string> pluginsBeyondTheAbi(const std::vector<SourceFile>& files) {
  std::vector<std::string> wrong;
  for (const SourceFile& file : files) {
    const bool isPlugin = file.path.starts_with("plugins/");
    // Tests of plugins compile the sources of the plugin for the host.
    const bool isSameCode = file.path.starts_with("tests/plugins/cpu/") ||
                            file.path.starts_with("tests/plugins/grid/") ||
                            file.path.starts_with("tests/plugins/cuda/");
    for (const std::string& include : includesOf(file.text)) {
      if (isPlugin && include.starts_with("engine/") && !isForPlugins(include))
        wrong.push_back(
            fmt::format("{}: includes {}, which is not for plugins", file.path, include));
      if (!isPlugin && !isSameCode && include.starts_with("plugins/"))
        wrong.push_back(fmt::format("{}: includes {}; plugins are loaded", file.path, include));
    }
  }
  return wrong;
}

std::vector<std::string> headersBesideTheBuildTag(const std::vector<SourceFile>& files) {
  std::string hashed;
  for (const SourceFile& file : files)
    if (file.path == "installer/cmake/ParapetTargets.cmake") hashed = file.text;
  std::vector<std::string> wrong;
  for (const SourceFile& file : files)
    if (file.path.starts_with("engine/") && isForPlugins(file.path) &&
        hashed.find(file.path) == std::string::npos)
      wrong.push_back(fmt::format("{}: is not among PARAPET_ABI_HEADERS", file.path));
  return wrong;
}

namespace {

std::vector<std::string> productFilesWith(const std::vector<SourceFile>& files,
                                          const std::regex& expression) {
  std::vector<std::string> found;
  for (const SourceFile& file : files)
    if (isCode(file.path) && !file.path.starts_with("tests/") &&
        std::regex_search(file.text, expression))
      found.push_back(file.path);
  return found;
}

}  // namespace

std::vector<std::string> filesNaming(const std::vector<SourceFile>& files,
                                     const std::string& kind) {
  return productFilesWith(
      files, std::regex("\\b" + kind + "::k[A-Z]|using enum ([a-z]+::)*" + kind + ";"));
}

std::vector<std::string> filesWithTheWord(const std::vector<SourceFile>& files,
                                          const std::string& word) {
  return productFilesWith(files, std::regex("\\b" + word + "\\b"));
}

std::vector<std::string> wrongLicences(const std::vector<SourceFile>& files) {
  // Written in two parts, so that this line is not taken for the licence of this file.
  const std::string mark = std::string("SPDX-License-") + "Identifier: ";
  static const std::regex kWindow("(ui|app/parapet)/.*");
  static const std::regex kTestOfWindow("tests/(plots|bridge|models|dialogs|pages|ui|bench)/.*");
  std::vector<std::string> wrong;
  for (const SourceFile& file : files) {
    std::string_view head = std::string_view(file.text).substr(0, 400);
    const std::size_t at = head.find(mark);
    head = at == std::string_view::npos ? std::string_view() : head.substr(at + mark.size());
    const bool isGpl = head.starts_with("GPL-3.0-or-later");
    const bool isApache = head.starts_with("Apache-2.0");
    const bool mustBeGpl = std::regex_match(file.path, kWindow);
    const bool mayBeGpl = mustBeGpl || std::regex_match(file.path, kTestOfWindow);
    if ((isGpl && mayBeGpl) || (isApache && !mustBeGpl)) continue;
    wrong.push_back(fmt::format("{}: its licence line is {}; {} is expected", file.path,
                                isGpl || isApache ? "another" : "missing",
                                mustBeGpl ? "GPL-3.0-or-later" : "Apache-2.0"));
  }
  return wrong;
}

}  // namespace parapet::layering
