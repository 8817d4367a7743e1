// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/json_number.h"
#include "engine/base/text.h"
#include "engine/data/ingest/import/copy_rows.h"
#include "engine/experiment/query_context.h"
#include "engine/retrieval/candidates.h"
#include "engine/train/build_id.h"
#include "engine/train/task.h"
#include "engine/workspace/input_rows.h"

namespace parapet::workspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kManifest = "manifest.json";
constexpr const char* kRun = "run.db";
constexpr const char* kHash = "manifest_hash";
/// A manifest holds a document and a graph, no weights.
constexpr std::uint64_t kMaxManifestBytes = 64 << 20;

Error damaged(const fs::path& path, const std::string& found) {
  return {ErrorCode::kData, fmt::format("{}: {}", path.string(), found), {}, path.string()};
}

Result<std::string> hashOfFile(const fs::path& path) {
  PARAPET_ASSIGN(const MappedFile file, MappedFile::open(path));
  std::string hash = hashHex(file.bytes());
  PARAPET_TRY(file.intact());
  return hash;
}

/// Without its own hash, whose value is the hash of this text.
std::string hashed(Json manifest) {
  manifest.erase(kHash);
  return hashHex(manifest.dump());
}

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

Json metricsJson(std::span<const experiment::Metric> metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = numberOrNull<Json>(value);
  return json;
}

/// The name of the op that a node calls forward. Two layers copy columns: one sets its inputs side by
/// side, the other adds them.
std::string opOf(const nn::Graph& graph, const nn::Node& node) {
  const auto ops = node.ops();
  if (ops.empty()) return "";
  if (std::string_view(ops.front().name) != "copyColumns") return ops.front().name;
  std::int64_t width = 0;
  for (const nn::Value input : node.inputs()) width += graph.cols(input);
  return width == graph.cols(node.output()) ? "concat" : "add";
}

/// Nodes of the graph that an answer needs, in the order of execution.
Json graphJson(const nn::Model& model, const Json& document) {
  const auto& nodes = model.graph.nodes();
  std::vector<std::string> names(static_cast<std::size_t>(model.graph.values()));
  for (const auto& node : nodes) names[static_cast<std::size_t>(node->output())] = node->name();
  const auto nameOf = [&](nn::Value value) {
    return value < 0 ? Json() : Json(names[static_cast<std::size_t>(value)]);
  };
  Json list = Json::array();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const nn::Node& node = *nodes[i];
    if (node.loss()) continue;
    const std::string& pointer = model.originOf(i);
    const auto from = Json::json_pointer(pointer);
    Json inputs = Json::array(), parameters = Json::array();
    for (const nn::Value input : node.inputs()) inputs.push_back(nameOf(input));
    for (const nn::ParameterIndex index : node.parameters()) {
      const nn::ParameterSpec& spec = model.graph.parameters()[static_cast<std::size_t>(index)];
      parameters.push_back({{"tensor", spec.name + "/weight"}, {"shape", {spec.rows, spec.cols}}});
    }
    Json entry{{"name", node.name()},
               {"op", opOf(model.graph, node)},
               {"inputs", std::move(inputs)},
               {"width", model.graph.cols(node.output())},
               {"parameters", std::move(parameters)},
               {"pointer", pointer},
               {"settings", document.contains(from) ? document.at(from) : Json()}};
    if (const nn::Lookup* lookup = node.lookup()) {
      const std::string& table = entry["settings"].at("table").get_ref<const std::string&>();
      for (const Json& each : document.at("tables"))
        if (each.at("name") == table) entry["vocabulary"] = each.at("vocabulary");
      entry["column"] = model.columns[static_cast<std::size_t>(lookup->feature)];
    }
    list.push_back(std::move(entry));
  }
  return {{"nodes", std::move(list)},
          {"query", nameOf(model.query)},
          {"candidate", nameOf(model.candidate)},
          {"score", nameOf(model.score)},
          {"hidden", nameOf(model.hidden)}};
}

/// The inputs of a query besides its user.
Json queryJson(const OpenedRun& opened) {
  Json contexts = Json::array(), histories = Json::array();
  for (const std::string& column : experiment::contextColumns(opened.experiment))
    contexts.push_back({{"name", column},
                        {"vocabulary", opened.dataset->isDense(column)
                                           ? Json()
                                           : Json(opened.dataset->idColumn(column)->vocabulary)}});
  for (const experiment::Feature& feature : opened.experiment.features)
    if (feature.history)
      histories.push_back({{"feature", feature.name}, {"length", feature.history->length}});
  return {{"contexts", std::move(contexts)}, {"histories", std::move(histories)}};
}

/// The files of a model while they are written.
class Writer {
 public:
  Writer(OpenedRun& opened, const ExportOptions& options, const WorkContext& context)
      : opened_(opened), options_(options), out_(options.out), context_(context) {}

  Status write(store::RunStore& store) {
    PARAPET_TRY(createFolders(out_ / "vocabularies"));
    PARAPET_TRY(
        store.copyRun(opened_.record.id, out_ / kRun, store::RunStore::StepLosses::kLeaveOut));
    PARAPET_TRY(writeData());
    PARAPET_TRY(writeWeights());
    for (const data::Vocabulary& vocabulary : opened_.dataset->vocabularies())
      PARAPET_TRY(writeVocabulary(vocabulary));
    if (experiment::hasTowers(opened_.experiment.model.kind)) PARAPET_TRY(writeItems());
    return writeManifest();
  }
  /// The manifest first.
  [[nodiscard]] const std::vector<fs::path>& files() const { return files_; }

 private:
  [[nodiscard]] Status unlessCancelled(std::string_view stage, std::int64_t done,
                                       std::int64_t total) const {
    if (context_.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
    context_.report(stage, done, total);
    return {};
  }

  /// As the import made them: the vocabularies of the document are fitted to the training rows anew.
  Status writeData() {
    PARAPET_ASSIGN(const auto imported, data::Dataset::open(opened_.dataset->folder()));
    data::CopiedRows rows;
    if (imported->hasInteractions()) rows = {opened_.split.train, opened_.split.train};
    for (const experiment::Feature& feature : opened_.experiment.features)
      if (feature.history && feature.history->rows == experiment::HistoryRows::kAll)
        rows.kept = data::RowSet::all(imported->rows());
    PARAPET_TRY(createFolders(out_ / "datasets"));
    PARAPET_ASSIGN(dataset_, data::copyRows(*imported, rows, out_ / "datasets", context_));
    return {};
  }

  Status writeWeights() {
    std::vector<checkpoint::TensorView> tensors = opened_.session->tensors();
    std::erase_if(tensors, [](const checkpoint::TensorView& tensor) {
      return !tensor.name.ends_with("/weight") && !tensor.name.starts_with("vocab/");
    });
    checkpoint::Manifest manifest = opened_.manifest;
    manifest.dataset = dataset_;
    manifest.trainerState = {{kFilledNumbers, nlohmann::json::object()}};
    for (const experiment::Column& column : opened_.experiment.dataset.columns)
      if (opened_.dataset->isDense(column.name))
        manifest.trainerState[kFilledNumbers][column.name] =
            filledNumber(opened_, column.name, column.missing);
    PARAPET_ASSIGN(weights_,
                   checkpoint::write(out_ / "checkpoints" / opened_.record.id, manifest, tensors));
    return {};
  }

  /// The id, title and attributes of an entry of a vocabulary.
  static Json describe(const data::Vocabulary& vocabulary, std::int64_t entry) {
    Json line{{"row", vocabulary.rowOf(entry)}, {"id", vocabulary.rawId(entry)}};
    line["title"] = vocabulary.title(entry);
    for (std::size_t i = 0; i < vocabulary.attributeNames().size(); ++i)
      line[vocabulary.attributeNames()[i]] = vocabulary.attribute(i, entry);
    return line;
  }

  /// A line of JSON of each of `count` entries; an entry below 0 has none.
  template <class EntryOf>
  Status writeLines(const fs::path& file, const data::Vocabulary& vocabulary, std::int64_t count,
                    const EntryOf& entryOf) {
    constexpr std::int64_t kLinesAtOnce = 4096;
    return writeAtomically(file, [&](FileWriter& writer) -> Status {
      std::string lines;
      for (std::int64_t i = 0; i < count; ++i) {
        if (const std::int64_t entry = entryOf(i); entry >= 0)
          lines +=
              describe(vocabulary, entry).dump(-1, ' ', false, Json::error_handler_t::replace) +
              "\n";
        if ((i + 1) % kLinesAtOnce != 0) continue;
        PARAPET_TRY(unlessCancelled("writing vocabularies", i + 1, count));
        PARAPET_TRY(writer.write(lines));
        lines.clear();
      }
      return writer.write(lines);
    });
  }

  Status writeVocabulary(const data::Vocabulary& vocabulary) {
    const fs::path file = fs::path("vocabularies") / (vocabulary.name() + ".jsonl");
    PARAPET_TRY(createFolders((out_ / file).parent_path()));
    vocabularies_.push_back({{"name", vocabulary.name()},
                             {"rows", vocabulary.size()},
                             {"unknown_rows", std::max<std::int64_t>(1, vocabulary.oovBuckets())},
                             {"file", file.string()}});
    return writeLines(out_ / file, vocabulary, vocabulary.entries(), [&](std::int64_t entry) {
      return vocabulary.rawId(entry).empty() ? -1 : entry;
    });
  }

  /// Writes the items that a list may name, in the order of the data.
  Status writeItems() {
    PARAPET_ASSIGN(const retrieval::ModelSnapshot model, opened_.session->snapshot(context_.stop));
    const std::string& column = opened_.session->model().candidateColumn;
    const data::ItemIndex& index = opened_.dataset->itemIndex(column);
    const data::Vocabulary& items = opened_.dataset->vocabularyOf(column);
    const auto interactions = train::Task::of(opened_.experiment.model.kind)
                                  .interactions(*opened_.session, opened_.split, context_.stop);
    const auto candidates = retrieval::candidateMask(*interactions, model.cold);
    const auto width = static_cast<std::size_t>(model.dim);
    std::vector<std::int64_t> entries;
    std::vector<float> vectors;
    for (std::int32_t entry = 1; entry < items.entries(); ++entry) {
      const std::int32_t item = index.ofEntry(entry);
      if (item <= 0 || candidates[static_cast<std::size_t>(item)] == 0) continue;
      entries.push_back(entry);
      const auto from = std::span(model.candidates)
                            .subspan(static_cast<std::size_t>(index.vectorOf(item)) * width, width);
      vectors.insert(vectors.end(), from.begin(), from.end());
    }
    items_ = {{"count", entries.size()},
              {"width", width},
              {"vectors", "items.npy"},
              {"ids", "items.jsonl"}};
    PARAPET_TRY(checkpoint::writeNpy(out_ / "items.npy", {"items",
                                                          checkpoint::ElementType::kF32,
                                                          {std::ssize(entries), model.dim},
                                                          std::as_bytes(std::span(vectors))}));
    return writeLines(out_ / "items.jsonl", items, std::ssize(entries),
                      [&](std::int64_t i) { return entries[static_cast<std::size_t>(i)]; });
  }

  Status writeManifest() {
    const experiment::Experiment& experiment = opened_.experiment;
    const store::RunRecord& record = opened_.record;
    const Json document = experiment::toJson(experiment);
    const std::optional<double> temperature = opened_.session->temperature();
    std::vector<experiment::Metric> metrics(opened_.manifest.metrics.begin(),
                                            opened_.manifest.metrics.end());
    Json manifest{{"format", kModelFormat},
                  {"version", kModelVersion},
                  {"program", train::version()},
                  {"written", formatUtc(wallClockMs())},
                  {"licence", options_.licence.empty() ? Json() : Json(options_.licence)},
                  {"name", record.name},
                  {"kind", document.at("model").at("kind")},
                  {"run",
                   {{"id", record.id},
                    {"created", formatUtc(record.createdMs)},
                    {"fingerprint", record.fingerprint},
                    {"seed", record.seed},
                    {"build", opened_.manifest.build}}},
                  {"step", opened_.manifest.step},
                  {"epoch", opened_.manifest.epoch},
                  {"metrics", metricsJson(metrics)},
                  {"test", parsed(record.testJson)},
                  {"training", parsed(record.startedJson)},
                  {"data",
                   {{"source", record.data},
                    {"hash", opened_.dataset->hash()},
                    {"training_rows", opened_.split.train.size()}}},
                  {"score",
                   {{"kind", document.at("model").value("score", Json())},
                    {"temperature", temperature ? Json(*temperature) : Json()}}},
                  {"query", queryJson(opened_)},
                  {"graph", graphJson(opened_.session->model(), document)},
                  {"weights", (weights_ / "tensors.safetensors").lexically_relative(out_).string()},
                  {"vocabularies", vocabularies_},
                  {"items", items_},
                  {"document", document}};
    Json files = Json::array();
    for (const auto& entry : fs::recursive_directory_iterator(out_))
      if (entry.is_regular_file()) files_.push_back(entry.path());
    std::ranges::sort(files_);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      PARAPET_TRY(unlessCancelled("hashing", static_cast<std::int64_t>(i), std::ssize(files_)));
      PARAPET_ASSIGN(const std::string hash, hashOfFile(files_[i]));
      files.push_back({{"path", files_[i].lexically_relative(out_).string()},
                       {"bytes", fs::file_size(files_[i])},
                       {"xxh3_128", hash}});
    }
    files_.insert(files_.begin(), out_ / kManifest);
    manifest["files"] = std::move(files);
    manifest[kHash] = hashed(manifest);
    return writeFileAtomically(out_ / kManifest, manifest.dump(1) + "\n");
  }

  OpenedRun& opened_;
  const ExportOptions& options_;
  const fs::path& out_;
  const WorkContext& context_;
  std::string dataset_;  ///< hash of the copy
  fs::path weights_;
  std::vector<fs::path> files_;
  Json vocabularies_ = Json::array(), items_;
};

/// The manifest of a folder that says that it is a model, whole and of a known version.
Result<Json> readManifest(const fs::path& folder) {
  const fs::path path = folder / kManifest;
  std::error_code error;
  if (fs::file_size(path, error) > kMaxManifestBytes && !error)
    return damaged(path, fmt::format("is larger than {}", formatBytes(kMaxManifestBytes)));
  PARAPET_ASSIGN(const std::string text, readFile(path));
  const Json manifest = parsed(text);
  if (!manifest.is_object() || manifest.value("format", Json()) != kModelFormat)
    return damaged(path, fmt::format("is no manifest of a model; accepted is one whose \"format\" "
                                     "is \"{}\"",
                                     kModelFormat));
  const Json version = manifest.value("version", Json());
  if (!version.is_number_integer() || version.get<std::int64_t>() < 1)
    return damaged(path,
                   fmt::format("has version {}; accepted is {}", version.dump(), kModelVersion));
  if (version.get<std::int64_t>() > kModelVersion)
    return damaged(
        path, fmt::format("has version {}, written by a newer program ({}); accepted "
                          "is {}",
                          version.dump(), manifest.value("program", Json()).dump(), kModelVersion));
  if (manifest.value(kHash, Json()) != hashed(manifest))
    return damaged(path, "was changed after it was written: it does not match its own hash");
  return manifest;
}

Status checkFile(const fs::path& folder, const Json& file, FileCheck check) {
  const fs::path path = folder / file.at("path").get<std::string>();
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error) return damaged(path, "is missing, and the manifest names it");
  if (bytes != file.at("bytes").get<std::uint64_t>())
    return damaged(
        path, fmt::format("has {} bytes; the manifest says {}", bytes, file.at("bytes").dump()));
  // The run database has no other check, and is small.
  if (check == FileCheck::kSizes && path.filename() != kRun) return {};
  PARAPET_ASSIGN(const std::string hash, hashOfFile(path));
  if (hash != file.at("xxh3_128").get<std::string>())
    return damaged(path, "has other bytes than were written: its hash is not that of the manifest");
  return {};
}

}  // namespace

bool isModelFolder(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / kManifest, error)) return false;
  if (fs::exists(folder / "parapet.db", error))
    return false;  // a workspace, whatever else it holds
  return fs::exists(folder / kRun, error) || fs::exists(folder / "checkpoints", error);
}

std::optional<fs::path> addedFile(const fs::path& folder) try {
  const auto manifest = readManifest(folder);
  if (!manifest) return kManifest;
  std::set<fs::path> known{kManifest};
  for (const Json& file : manifest->at("files")) known.insert(file.at("path").get<std::string>());
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const fs::path path = entry->path().lexically_relative(folder);
        !entry->is_directory() && !known.contains(path))
      return path;
  return std::nullopt;
} catch (const Json::exception&) {
  return kManifest;
}

Status checkModelFolder(const fs::path& folder, FileCheck check, const WorkContext& context) try {
  PARAPET_ASSIGN(const Json manifest, readManifest(folder));
  const Json& files = manifest.at("files");
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the check was cancelled"};
    context.report("checking the model", static_cast<std::int64_t>(i), std::ssize(files));
    PARAPET_TRY(checkFile(folder, files[i], check));
  }
  return {};
} catch (const Json::exception& malformed) {
  return damaged(folder / kManifest, fmt::format("is malformed: {}", malformed.what()));
}

Status openModelFolder(Shared& shared) {
  PARAPET_TRY(checkModelFolder(shared.folder, FileCheck::kSizes));
  // The database may be of an older version, and the folder must stay as it is.
  shared.temporary = std::make_unique<TemporaryFolder>();
  const fs::path database = shared.temporary->path() / "parapet.db";
  std::error_code error;
  if (!shared.temporary->path().empty()) fs::copy_file(shared.folder / kRun, database, error);
  if (shared.temporary->path().empty() || error)
    return Error{ErrorCode::kIo,
                 "there is no room for a temporary folder; TMPDIR names another one"};
  fs::permissions(database, fs::perms::owner_write, fs::perm_options::add, error);
  PARAPET_ASSIGN(shared.store, store::RunStore::open(
                                   database, storeOptions(shared.folder, shared.onWarning,
                                                          store::RunStore::Access::kReadWrite)));
  shared.isModel = true;
  shared.readOnlyBecause =
      Error{ErrorCode::kInvalidDocument,
            fmt::format("{} is a model that was exported; accepted is a workspace",
                        shared.folder.string())};
  PARAPET_ASSIGN(const auto runs, shared.store->runs({store::RunFilter::Trashed::kInclude}));
  if (runs.size() != 1)
    return damaged(shared.folder / kRun,
                   fmt::format("holds {} runs; accepted is one", runs.size()));
  std::vector<store::CheckpointRecord> checkpoints;
  for (const checkpoint::Listed& listed : checkpoint::list(shared.checkpointFolder(runs[0].id))) {
    PARAPET_ASSIGN(const auto recorded, shared.store->checkpoints(runs[0].id));
    const auto row = std::ranges::find(recorded, listed.step, &store::CheckpointRecord::step);
    store::CheckpointRecord here;
    if (row != recorded.end()) here = *row;
    here.step = listed.step;
    here.path = fs::absolute(listed.folder, error).string();
    here.bytes = fs::file_size(listed.folder / "tensors.safetensors", error);
    checkpoints.push_back(std::move(here));
  }
  if (checkpoints.empty())
    return damaged(shared.folder / "checkpoints", "holds no weights of the run");
  return shared.store->replaceCheckpoints(runs[0].id, checkpoints);
}

Result<Exported> writeModelFolder(Shared& shared, const std::string& run,
                                  const ExportOptions& options, const WorkContext& context) try {
  PARAPET_ASSIGN(OpenedRun opened, openRun(shared, run, options.checkpoint, 0, context));
  PARAPET_TRY(createFolders(options.out));
  Writer writer(opened, options, context);
  PARAPET_TRY(writer.write(*shared.store));
  return Exported{writer.files(), opened.manifest.step, opened.warnings};
} catch (const data::PassStopped&) {
  return Error{ErrorCode::kCancelled, "the export was cancelled"};
}

}  // namespace parapet::workspace
