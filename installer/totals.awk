# SPDX-License-Identifier: Apache-2.0
# Reads the output of `ctest --verbose` and counts the cases of all Qt Test programs in it.
#
# CTest starts each line of a test with the test's number ("12: "), so programs that run at the same
# time can be told apart. A Qt Test program ends with "Totals: 5 passed, 0 failed, 1 skipped, …". A
# test that fails without a failed case (a crash, a time-out, a sanitizer's report at the end) counts
# as one failed case; one that prints no totals counts as one case. Blacklisted cases are skipped.
# With a file `expected` of regular expressions, a skip whose reason matches none of them is a failure.
#
# Prints a line per test, the reason of every skip, the output of every failed test, and last
# "N passed, N failed, N skipped". Writes the three numbers to the file `totals` if that is given.
# Ends with status 1 if a case failed or no test was found.

function number_of(line) { sub(/:.*/, "", line); return line + 0 }
function text_of(line) { sub(/^[0-9]+: ?/, "", line); return line }

# "7 passed" out of a line of totals
function count(line, word,    parts) {
  if (!match(line, "[0-9]+ " word)) return 0
  split(substr(line, RSTART, RLENGTH), parts, " ")
  return parts[1] + 0
}

# Whether a skip for this reason is one of those that the file `expected` allows; without the file all are.
function isExpected(reason,    i) {
  if (expected == "") return 1
  for (i = 1; i <= patterns; ++i)
    if (reason ~ pattern[i]) return 1
  return 0
}

BEGIN {
  while (expected != "" && (getline line < expected) > 0)
    if (line !~ /^#/ && line != "") pattern[++patterns] = line
}

/^[0-9]+: / {
  id = number_of($0)
  text = text_of($0)
  output[id] = output[id] text "\n"
  if (text ~ /^Totals: [0-9]+ passed, /) {
    passed[id] += count(text, "passed")
    failed[id] += count(text, "failed")
    skipped[id] += count(text, "skipped") + count(text, "blacklisted")
    hasTotals[id] = 1
  } else if (text ~ /^SKIP +: /) {
    sub(/^SKIP +: /, "", text)
    if (isExpected(text)) {
      reasons[id] = reasons[id] "  skipped  " text "\n"
    } else {
      reasons[id] = reasons[id] "  skipped without an expected reason  " text "\n"
      ++unexpected[id]
    }
  }
  next
}

# "  3/96 Test  #7: base/text ........   Passed    0.02 sec"
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  line = $0
  sub(/^ *[0-9]+\/[0-9]+ Test +#/, "", line)
  id = number_of(line)
  line = text_of(line)
  name = line
  sub(/ .*/, "", name)
  outcome = substr(line, length(name) + 1)
  gsub(/^[ .*]+|[ ]+[0-9.]+ sec.*$/, "", outcome)
  ++tests
  if (outcome == "Passed") {
    if (!hasTotals[id]) passed[id] = 1
  } else if (outcome == "Skipped" || outcome ~ /Disabled/) {
    if (!hasTotals[id]) skipped[id] = 1
    reasons[id] = reasons[id] "  skipped  " name ": " outcome "\n"
  } else if (!failed[id]) {
    failed[id] = 1
  }
  skipped[id] -= unexpected[id]
  failed[id] += unexpected[id]
  printf "%-7s %-36s %d passed, %d failed, %d skipped%s\n", failed[id] ? "FAILED" : "ok", name,
         passed[id], failed[id], skipped[id],
         outcome == "Passed" || outcome == "Skipped" ? "" : " (" outcome ")"
  printf "%s", reasons[id]
  if (failed[id]) printf "%s", output[id]
  fflush()
  allPassed += passed[id]
  allFailed += failed[id]
  allSkipped += skipped[id]
  delete output[id]
  next
}

# What CTest itself has to say when it cannot start.
/^(CMake Error|ctest: |Cannot |No tests were found)/ { print }

END {
  if (!tests) {
    print "FAILED  no test ran"
    allFailed = 1
  }
  line = sprintf("%d passed, %d failed, %d skipped", allPassed, allFailed, allSkipped)
  if (totals != "") print allPassed + 0, allFailed + 0, allSkipped + 0 > totals
  printf "\n%s\n", line
  exit allFailed > 0
}
