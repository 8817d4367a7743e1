// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/ingest/import/preview.h"

namespace parapet::data {

/// The probable role of a column of a source, with the reason; a person can correct it.
struct RoleProposal {
  std::string column;  ///< of the source
  std::string use;     ///< as withUse() takes it; never ""
  std::string reason;  ///< "its name", "100 different ids in 2,000 cells"
  /// Unit of a time whose cells are not seconds since 1970.
  std::optional<experiment::TimeUnit> unit{};
};

/// The uses that the names of the columns tell, and where no name tells user, item, time or label,
/// the uses that the cells tell.
///
/// Names      those of the field's data sets, then the ordinary words for who and what ("visitor",
///            "book"); a time is whole numbers or dates as parseTimeText reads them, whatever its name.
/// Time       seconds, milli-, micro- or nanoseconds between 1980 and 2100, or dates, most of them
///            different. The reason says where cells do not tell days from months, or are in seconds
///            and in a finer unit.
/// Label      a scale of ratings (1 to 5, 0.5 to 5, 1 to 6, 1 to 10, …), or two numbers 0 and 1,
///            provided that two columns of ids are left without it. Texts among the numbers are
///            damage: up to a fifth of the cells, which the reason counts.
/// User, item the two columns of ids or texts with most distinct cells that also occur again; the
///            first one is the user, except that texts of several words are items.
///
/// The cells tell nothing in fewer than 20 rows. The proposals of user, item and time come first,
/// the others in the order of the source.
std::vector<RoleProposal> proposeRoles(const SourcePreview& preview);

/// Ends of the scale that the cells of a column of ratings have, "1 to 5"; nullopt if they are no
/// ratings, which are whole stars or halves with at least four different values.
std::optional<std::array<double, 2>> ratingScale(const SourcePreview& preview,
                                                 std::string_view column);

}  // namespace parapet::data
