// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parapet::data {

/// A vocabulary file: special pieces are 0 to 4, "the" is 5, "fox" 7, "jump" 8, "##s" 9, "x" 37.
inline constexpr std::string_view kSmallPieces =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nquick\nfox\njump\n##s\n##ed\nover\nlazy\ndog\n"
    "un\n##believ\n##able\n##ly\ncafe\nnaive\nstrasse\nstra\303\237e\n\346\235\261\n"
    "\344\272\254\n!\n\077\n.\n,\n'\n-\n(\n)\n=\n;\n<\n>\n#\nx\n##k\n##n\n##er\nFox\n"
    "Caf\303\251\ndon\nt\nwe\ning\n##ing\n\320\276\n"
    "\320\277\321\200\320\270\320\262\320\265\321\202\n##\321\202\n\320\277\321\200\320\270\n"
    "3\n14\n##4\n\302\260\n\317\211\n##\317\203\n\316\277\n\316\264\317\205\n##\317\202\n";

}  // namespace parapet::data
