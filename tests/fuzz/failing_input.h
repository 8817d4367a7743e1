// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parapet::fuzz {

/// Whatever ends the program from now on, a signal, a sanitizer or an exception, first writes the
/// input at hand to `<folder>/<target>-<pid>.failing` and says so on standard error. An input that
/// takes more than `mostSeconds` of processor time ends the program, too.
void watchInputs(const std::string& folder, const std::string& target, int mostSeconds);
/// The input at hand; valid until the next call. Starts its time.
void watch(std::string_view input);
/// No input is at hand.
void watchNone();

/// Whether AddressSanitizer is there, which reserves more address space than any limit, and has
/// limits of its own.
bool hasAddressSanitizer();

}  // namespace parapet::fuzz
