# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2120,SC2119
# The report: what ran where, in numbers. Sourced by tests/long/run.

processor() { sed -n '/^model name/ { s/.*: //p; q }' /proc/cpuinfo; }

# list TITLE LINE…: nothing without lines.
list() {
  (($# > 1)) || return 0
  printf '\n## %s\n\n' "$1"
  shift
  printf -- '- %s\n' "$@"
}

write_report() {
  mkdir -p "$(dirname "$1")"
  {
    printf '<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Last run of the long tests\n\n'
    printf 'Written by `%s`; [README.md](README.md) tells what the stages are.\n\n' "$command_line"
    printf '| date | machine | commit | seed |\n|---|---|---|---|\n'
    printf '| %s | %d cores, %s | %s | %d |\n\n' "$(date -u '+%Y-%m-%d %H:%M UTC')" "$(nproc)" \
      "$(processor)" "$commit" "$seed"
    printf '| stage | what ran | passed | failed | skipped | seconds |\n|---|---|--:|--:|--:|--:|\n'
    printf '%s\n' "${rows[@]}"
    printf '\n%d passed, %d failed, %d skipped\n' "$all_passed" "$all_failed" "$all_skipped"
    list Failed "${failures[@]}"
    list Skipped "${reasons[@]}"
  } >"$1"
}
