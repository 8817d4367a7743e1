// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/record/codec.h"

namespace parapet::record {

/// Former keys of an object, with their current names.
using Renames = std::map<std::string, std::string>;

/// The fields of a struct that is known by its address alone, so that reader, writer and schema are
/// compiled once and not for each struct.
class RecordFields {
 public:
  [[nodiscard]] nlohmann::ordered_json schema() const;

 protected:
  struct Field {
    std::string key;
    std::string meaning;
    std::size_t offset = 0;  ///< of the member in the struct, in bytes
    Codec<void> codec;
    bool required = false;
    std::vector<std::string> kinds{};  ///< empty: all

    [[nodiscard]] bool belongsTo(const std::string& kind) const;
    [[nodiscard]] nlohmann::ordered_json write(const void* record) const;
    void read(const nlohmann::json& json, void* record, const Location& location) const;
  };

  /// `standard`: a struct with its defaults, which lives as long.
  explicit RecordFields(const void* standard) : standard_(standard) {}
  void readFields(const nlohmann::json& json, void* record, const Location& location) const;
  [[nodiscard]] nlohmann::ordered_json writeFields(const void* record) const;

  std::vector<Field> fields_;
  std::string selector_;
  Renames renames_;
  std::function<void(void*)> defaults_;

 private:
  enum class Kind {
    kKnown,
    kUnknown,  ///< the selector could not be read: a key of any kind is accepted
  };
  [[nodiscard]] const Field* find(const std::string& key) const;
  /// The field of that key that this kind has, else the first of the key.
  [[nodiscard]] const Field* find(const std::string& key, const std::string& kind) const;
  /// The selector's value as it stands in a document; "" if there is no selector.
  [[nodiscard]] std::string kindOf(const void* record) const;
  [[nodiscard]] std::vector<std::string> keysOf(const std::string& kind) const;
  Kind readSelector(const nlohmann::json& json, void* record, const Location& location) const;
  void readKey(const std::string& key, const nlohmann::json& json, void* record, Kind kind,
               const Location& location) const;
  void describeKinds(nlohmann::ordered_json& schema) const;

  const void* standard_;
};

/// The description of one struct of a document: its members in the order in which they are written.
///
///   Record<Optimizer>()
///       .selector("kind", &Optimizer::kind, choice<OptimizerKind>({…}), "Which optimizer.")
///       .field("beta1", &Optimizer::beta1, number({…}), "Decay of m.").of({"adam"})
///
/// A selector ("kind", "source") decides which of the later fields a value has: a field of another
/// kind is a problem when it is given, and is not written.
template <class S>
class Record : public RecordFields {
 public:
  Record() : RecordFields(&standard()) {}

  template <class M>
  Record& field(std::string key, M S::*member, Codec<M> codec, std::string meaning) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&standard());
    const auto* const at = reinterpret_cast<const std::byte*>(std::addressof(standard().*member));
    fields_.push_back({std::move(key), std::move(meaning), static_cast<std::size_t>(at - begin),
                       ofAddress(std::move(codec))});
    return *this;
  }
  /// A field whose value decides which other fields there are.
  template <class M>
  Record& selector(std::string key, M S::*member, Codec<M> codec, std::string meaning) {
    selector_ = key;
    return field(std::move(key), member, std::move(codec), std::move(meaning));
  }
  /// The last field must be given.
  Record& required() {
    fields_.back().required = true;
    return *this;
  }
  /// The last field belongs to these values of the selector only. Fields of different kinds may
  /// share a key.
  Record& of(std::vector<std::string> kinds) {
    fields_.back().kinds = std::move(kinds);
    return *this;
  }
  /// Keys that documents used to have: they are refused with their current names.
  Record& renamed(Renames renames) {
    renames_ = std::move(renames);
    return *this;
  }
  /// Called when the selector has been read, to set defaults that depend on it.
  Record& defaults(std::function<void(S&)> set) {
    defaults_ = [set = std::move(set)](void* record) { set(*static_cast<S*>(record)); };
    return *this;
  }

  void read(const nlohmann::json& json, S& value, const Location& location) const {
    readFields(json, &value, location);
  }
  [[nodiscard]] nlohmann::ordered_json write(const S& value) const { return writeFields(&value); }

 private:
  static const S& standard() {
    static const S made{};
    return made;
  }
};

/// Names a struct, so that its `describe` is found in its own namespace.
template <class S>
struct Type {};

/// The record of a struct S: what `const Record<S>& describe(Type<S>)`, declared beside S, gives.
template <class S>
const Record<S>& recordOf() {
  return describe(Type<S>{});
}

/// An object that `recordOf<S>()` describes.
template <class S>
Codec<S> object() {
  return {.read = [](const nlohmann::json& json, S& value,
                     const Location& location) { recordOf<S>().read(json, value, location); },
          .write = [](const S& value) { return recordOf<S>().write(value); },
          .schema = [] { return recordOf<S>().schema(); }};
}

}  // namespace parapet::record
