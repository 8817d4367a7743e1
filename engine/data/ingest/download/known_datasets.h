// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/data/ingest/download/checksum.h"
#include "engine/experiment/document_dataset.h"

namespace parapet::data {

/// How a data set comes.
enum class Packing {
  kPlain,  ///< the file itself is the data
  kZip,    ///< an archive that its source reads as it is
};

/// A public data set that Parapet knows where to find. None is shipped; the licence has to be shown
/// and accepted before a download starts.
struct KnownDataset {
  std::string name;  ///< "ml-100k"
  std::string title;
  std::string url;
  std::string fileName;                  ///< to store it under
  std::optional<Checksum> checksum{};    ///< nullopt: none is published that stays right
  std::optional<std::uint64_t> bytes{};  ///< nullopt: not known
  std::string licence{};                 ///< what it asks of the user, in a few sentences
  std::string licenceUrl{};              ///< where its own words stand
  /// What reads it; nullopt: a file that a data set needs beside it.
  std::optional<experiment::SourceKind> source{};
  Packing packing = Packing::kPlain;
  std::string trainCommand{};  ///< what follows `parapet-cli train `, up to --data; "" if no recipe

  /// "md5:…", or that there is none.
  [[nodiscard]] std::string checksumText() const;
};

/// In the order in which they are shown.
std::span<const KnownDataset> knownDatasets();
/// Null if there is none of that name.
const KnownDataset* findKnownDataset(std::string_view name);

}  // namespace parapet::data
