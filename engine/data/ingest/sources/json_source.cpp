// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/json_line.h"
#include "engine/data/ingest/sources/json_rows.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "engine/data/ingest/sources/table_files.h"
#include "engine/data/ingest/sources/text_format.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/data/ingest/sources/text_source.h"

namespace parapet::data {
namespace {

constexpr std::size_t kFirstLines = 1000;
// More keys than this are ids, and rows of another shape.
constexpr std::size_t kMaxColumns = 1 << 14;

/// The bytes of a file. Those of a list of objects become lines, byte for byte: its brackets and line
/// breaks blanks, commas between its objects line ends.
class ObjectLines final : public ByteStream {
 public:
  ObjectLines(std::unique_ptr<ByteStream> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  Result<std::size_t> read(std::span<char> into) override {
    PARAPET_ASSIGN(const std::size_t count, bytes_->read(into));
    for (char& byte : into.first(count)) {
      if (form_ == Form::kUnknown) form_ = formOf(byte);
      if (form_ == Form::kList) change(byte);
    }
    if (count == 0 && !into.empty() && depth_ > 0)
      return Error{ErrorCode::kData,
                   fmt::format("{} ends inside of its list of objects; is it truncated?", name_),
                   "", name_};
    return count;
  }
  [[nodiscard]] std::int64_t done() const override { return bytes_->done(); }
  [[nodiscard]] std::int64_t total() const override { return bytes_->total(); }

 private:
  // Unknown while only blanks and a byte-order mark have been seen.
  enum class Form { kUnknown, kLines, kList };
  static Form formOf(char first) {
    constexpr std::string_view kBefore = " \t\r\n\xEF\xBB\xBF";
    if (kBefore.find(first) != std::string_view::npos) return Form::kUnknown;
    return first == '[' ? Form::kList : Form::kLines;
  }
  void change(char& byte) {
    if (inString_) {
      if (isEscaped_)
        isEscaped_ = false;
      else if (byte == '\\')
        isEscaped_ = true;
      else
        inString_ = byte != '"';
      return;
    }
    switch (byte) {
      case '"':
        inString_ = true;
        return;
      case '[':
      case '{':
        if (depth_++ == 0) byte = ' ';
        return;
      case ']':
      case '}':
        if (depth_ > 0 && --depth_ == 0) byte = '\n';
        return;
      case ',':
        if (depth_ == 1) byte = '\n';
        return;
      case '\n':
      case '\r':
        if (depth_ > 0) byte = ' ';
        return;
      default:
        return;
    }
  }

  std::unique_ptr<ByteStream> bytes_;
  std::string name_;
  Form form_ = Form::kUnknown;
  std::int64_t depth_ = 0;  // of brackets and braces that are open
  bool inString_ = false, isEscaped_ = false;
};

/// Finds out which columns the objects have, and of which types.
class JsonColumns final : private JsonLineReader {
 public:
  /// Looks at lines that are as good as one place of the file, `most` of them; returns the others.
  std::string_view look(std::string_view lines, std::size_t most = ~std::size_t{0}) {
    for (std::size_t line = 0; line < most && !lines.empty(); ++line) {
      std::string_view text = trim(takeLine(lines));
      if (text.ends_with(',')) text.remove_suffix(1);  // of a list with an object on each line
      if (text.empty()) continue;
      values_.clear();
      nested_.clear();
      std::string reason = read(text);
      ++lines_;
      if (reason.empty())
        keep();
      else if (firstReason_.empty())
        firstReason_ = fmt::format("line {}: {} [{}]", lines_, reason, printable(text, 40));
    }
    for (Seen& seen : seen_) seen.endPlace();
    return lines;
  }

  [[nodiscard]] bool hasObjects() const { return objects_ > 0; }
  [[nodiscard]] bool hasTooMany() const { return seen_.size() > kMaxColumns; }
  /// The fault of the first line that is no object.
  [[nodiscard]] const std::string& firstReason() const { return firstReason_; }

  struct Found {
    JsonKeys keys;  // with the numbers of the columns that are found
    std::vector<SourceColumn> columns;
    std::vector<bool> hasNumbers;
    std::vector<std::string> nested;  // names that hold objects or lists in lists, and no values
  };
  Found take() {
    Found found{.keys = {}, .columns = {}, .hasNumbers = {}, .nested = {}};
    std::vector<std::optional<std::size_t>> columnOf(seen_.size());
    for (std::size_t s = 0; s < seen_.size(); ++s) {
      const Seen& seen = seen_[s];
      const bool hasValues = seen.lists + seen.single > 0;
      if (!hasValues && seen.nested > 0) found.nested.push_back(seen.name);
      // A key of nulls alone is a column, unless it has objects elsewhere.
      if (!hasValues && (seen.nested > 0 || seen.nulls == 0 || seen.hasObjects)) continue;
      columnOf[s] = found.columns.size();
      found.columns.push_back({seen.name, seen.type, isList(seen)});
      found.hasNumbers.push_back(seen.hasNumbers);
    }
    for (const auto& [object, name, column] : added_)
      found.keys.add(object, name, columnOf[column].value_or(JsonKeys::kNoColumn));
    return found;
  }

 private:
  struct Seen {
    std::string name;
    std::size_t lists = 0, single = 0, nulls = 0, nested = 0;
    bool hasObjects = false;
    ValueType type = ValueType::kText;
    bool isTyped = false, hasNumbers = false;
    CellKinds kinds{};              // of the place
    OtherCells ofPlace{}, ofAll{};  // that are not of the type

    void add(std::string_view text) {
      kinds.add(text);
      ofPlace.add(text);
    }
    void endPlace() {
      hasNumbers = hasNumbers || kinds.truths > 0;
      ofAll.filled += ofPlace.filled;
      ofAll.fractions += ofPlace.fractions;
      ofAll.texts += ofPlace.texts;
      if (isTyped)
        type = ofAll.widened(ofPlace.widened(type));
      else if (kinds.filled > 0)
        type = kinds.type();
      isTyped = isTyped || kinds.filled > 0;
      kinds = {};
      ofPlace = {};
    }
  };
  struct Value {
    std::size_t column;
    bool isNull, isList, isListed;
    std::string text;
  };
  struct Added {
    Key object;
    std::string name;
    std::size_t column;
  };

  // Lists among values are damage up to the share at which types change, and so are values among lists.
  static bool isList(const Seen& seen) {
    return 5 * seen.lists >= seen.lists + seen.single && seen.lists > 0;
  }

  Key keyOf(Key object, const std::string& name, std::size_t& next) override {
    if (object == JsonKeys::kUnknown || name.empty() || seen_.size() > kMaxColumns)
      return JsonKeys::kUnknown;
    if (const Key known = keys_.find(object, name, next); known != JsonKeys::kUnknown) return known;
    std::string column = printable(name, name.size());
    if (object != JsonKeys::kRoot) {
      Seen& around = seen_[keys_.columnOf(object)];
      around.hasObjects = true;
      column = fmt::format("{}.{}", around.name, column);
    }
    const auto [place, isNew] = columnOf_.emplace(column, seen_.size());
    if (isNew) seen_.push_back({.name = std::move(column)});
    added_.push_back({object, name, place->second});
    return keys_.add(object, name, place->second);
  }
  std::string take(Key key, const JsonCell& cell, bool isListed) override {
    std::string room;
    const bool isNull = cell.kind == JsonCell::Kind::kNull;
    values_.push_back({keys_.columnOf(key), isNull, false, isListed,
                       isNull ? std::string() : std::string(cell.asText(room))});
    return {};
  }
  std::string takeList(Key key) override {
    values_.push_back({keys_.columnOf(key), false, true, false, {}});
    return {};
  }
  std::string takeNested(Key key) override {
    nested_.push_back(keys_.columnOf(key));
    return {};
  }
  void startAgain() override {
    values_.clear();
    nested_.clear();
  }

  // The values of a line that is an object.
  void keep() {
    ++objects_;
    for (const std::size_t column : nested_) ++seen_[column].nested;
    for (const Value& value : values_) {
      Seen& seen = seen_[value.column];
      const bool isNested = std::ranges::find(nested_, value.column) != nested_.end();
      if (isNested) continue;
      if (value.isList)
        ++seen.lists;
      else if (value.isNull)
        seen.nulls += !value.isListed;
      else
        seen.single += !value.isListed;
      if (!value.isNull) seen.add(value.text);
    }
  }

  JsonKeys keys_;
  std::vector<Seen> seen_;
  std::map<std::string, std::size_t> columnOf_;
  std::vector<Added> added_;  // in the order of their keys
  std::vector<Value> values_;
  std::vector<std::size_t> nested_;
  std::int64_t lines_ = 0, objects_ = 0;
  std::string firstReason_;
};

Result<TextSource::Part> openObjects(const TableFiles& tables, std::size_t index) {
  PARAPET_ASSIGN(auto bytes, tables.open(index));
  const std::string path = tables.pathOf(index);
  auto input = readTextFrom(std::make_unique<ObjectLines>(std::move(bytes), path), path);
  input->setQuote(std::nullopt);  // line breaks in texts are escaped
  return TextSource::Part{
      .input = std::move(input), .first = {}, .file = tables.nameAmongOthers(index)};
}

class JsonSource final : public TablesSource<TextSource> {
 public:
  JsonSource(std::unique_ptr<TableFiles> tables, JsonColumns::Found found, Part first,
             const std::vector<experiment::Column>& declared)
      : TablesSource(std::move(tables), found.columns, std::move(first)),
        keys_(std::move(found.keys)),
        hasNumbers_(std::move(found.hasNumbers)),
        nested_(std::move(found.nested)) {
    for (const experiment::Column& column : declared)
      if (column.nullValues) nullValues_.emplace(column.originName(), *column.nullValues);
    warnOfLeftOut();
    if (!nested_.empty())
      warn(fmt::format("no columns are made of {}: lists of objects or of lists", listed(nested_)));
  }

  [[nodiscard]] std::string absenceOf(std::string_view column) const override {
    if (std::ranges::find(nested_, column) == nested_.end()) return {};
    return "it has lists of objects or of lists, which are no column";
  }
  Status select(std::span<const ColumnRequest> requests) override {
    std::vector<JsonUse> uses;
    for (const ColumnRequest& request : requests) {
      PARAPET_ASSIGN(const std::size_t c, columnFor(request));
      const SourceColumn& column = columns()[c];
      const ValueType type = request.type.value_or(column.type);
      if (column.isList && !request.separator.empty())
        return wrongRequest(fmt::format(
            "column \"{}\" of {} has lists, which no separator cuts; separator null is accepted",
            request.name, fileName()));
      if (type != ValueType::kText && request.separator.empty() && !hasNumbers_[c])
        return noNumbers(request, type);
      const auto words = nullValues_.find(request.name);
      uses.push_back(
          {.use = {.cell = c,
                   .type = type,
                   .separator = request.separator,
                   .weightSeparator =
                       request.separator.empty() ? std::string() : request.weightSeparator,
                   .subject = fmt::format("column \"{}\" has", column.name),
                   .pointer = request.pointer},
           .isList = column.isList,
           .nullValues = words == nullValues_.end() ? std::vector<std::string>() : words->second});
    }
    parser_.emplace(keys_, std::move(uses));
    return {};
  }
  Status parse(const Piece& piece, RowBlock& block) const override {
    if (!parser_) throw InvalidArgument("parse() before select()");
    parser_->parse(piece, block);
    return {};
  }

 private:
  Result<Part> openPart(std::size_t table) override { return openObjects(tables(), table); }

  const JsonKeys keys_;
  std::vector<bool> hasNumbers_;
  std::vector<std::string> nested_;
  std::map<std::string, std::vector<std::string>, std::less<>> nullValues_;
  std::optional<JsonParser> parser_;
};

// Why a file has no objects on its lines.
Error noObjects(const std::string& path, std::string_view start, const JsonColumns& columns) {
  const auto error = [&path](std::string message) {
    return Error{ErrorCode::kData, std::move(message), "", path};
  };
  if (trim(start).empty())
    return error(fmt::format("{} is empty; a JSON object on each line is expected", path));
  std::string_view rest = start;
  std::string_view first;
  while (first.empty()) first = trim(takeLine(rest));
  const std::string_view second = rest.empty() ? rest : trim(takeLine(rest));
  if (first.starts_with('{') && !second.empty() && !second.starts_with('{'))
    return error(
        fmt::format("{} is a JSON object over several lines; an object on each line, or a "
                    "list of objects, is accepted (`jq -c` writes such lines)",
                    path));
  return error(
      fmt::format("{} has no JSON object on its first lines; an object on each line, or a "
                  "list of objects, is accepted. Its {}",
                  path, columns.firstReason()));
}

// The columns of all tables, by the first piece of the first one, whose first lines say most, places of
// a file and the starts of other files.
Status lookAt(const TableFiles& tables, std::string_view first, JsonColumns& columns) {
  columns.look(columns.look(first, kFirstLines));
  if (!tables.collection) {
    PARAPET_ASSIGN(const auto places, linesAtPlaces(tables.path));
    for (const std::string& lines : places) columns.look(lines);
  }
  for (std::size_t index = 1; index < tables.count(); ++index) {
    constexpr std::size_t kLookedAt = 1 << 14;  // of each, as there may be thousands
    PARAPET_ASSIGN(const TextSource::Part part, openObjects(tables, index));
    Source::Piece start;
    PARAPET_ASSIGN(const bool found, part.input->next(start));
    if (!found) continue;
    const std::string_view lines = start.text.substr(0, kLookedAt);
    columns.look(lines.size() == start.text.size() ? lines
                                                   : lines.substr(0, lines.rfind('\n') + 1));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Source>> openJsonSource(const experiment::Dataset& spec) {
  PARAPET_ASSIGN(auto tables, TableFiles::find(spec, TableKind::kJson));
  const std::string path = tables->pathOf(0);
  PARAPET_ASSIGN(TextSource::Part first, openObjects(*tables, 0));
  Source::Piece piece;
  PARAPET_ASSIGN(const bool isFilled, first.input->next(piece));
  if (isFilled) PARAPET_TRY(checkLineEnds(piece.text, path));
  JsonColumns columns;
  PARAPET_TRY(lookAt(*tables, piece.text, columns));
  if (!columns.hasObjects()) return noObjects(path, piece.text, columns);
  if (columns.hasTooMany())
    return Error{ErrorCode::kData,
                 fmt::format("{}: the objects have more than {} keys; are they ids? Objects with "
                             "keys that are names of columns are accepted",
                             path, formatCount(static_cast<std::int64_t>(kMaxColumns))),
                 "", path};
  JsonColumns::Found made = columns.take();
  if (made.columns.empty())
    return Error{ErrorCode::kData,
                 made.nested.empty()
                     ? fmt::format("{}: the objects have no values; at least one is needed", path)
                     : fmt::format("{}: the objects have no values but lists of objects in {}; the "
                                   "objects of such a list on lines of their own are accepted "
                                   "(`jq -c '.{}[]'` writes them)",
                                   path, listed(made.nested), made.nested.front()),
                 "", path};
  if (isFilled) first.first = std::move(piece);
  return std::unique_ptr<Source>(
      new JsonSource(std::move(tables), std::move(made), std::move(first), spec.columns));
}

}  // namespace parapet::data
