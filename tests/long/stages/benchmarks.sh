# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# Whether the benchmarks run, and whether what they check holds. What they measure in a hurry on a
# busy machine is not worth keeping.

stage_benchmarks() {
  needs python3 jq || return 0
  if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    skip "Python 3.11 with venv is not installed"
    return
  fi
  local results=$folder/results
  local -a options=(--quick --out "$results")
  [[ $build == yes ]] || options+=(--programs "$root/build/release/bin")
  start "$folder/output" "$root/tests/bench/run" "${options[@]}"
  while kill -0 "$started" 2>/dev/null; do
    progress "$(jq '.studies | length' "$results/results.json" 2>/dev/null || echo 0)" 5
    sleep 1
  done
  finish "$started"
  ((status == 0)) || { flunk "the benchmarks fail" "$(tail -5 "$folder/output.err")"; return; }
  judge_checks "$results/results.json"
}

judge_checks() {
  local what holds
  ran="$(jq '.studies | length' "$1") studies, $(jq '[.studies[].checks[]] | length' "$1") checks"
  pass "$(jq '.studies | length' "$1")"
  while IFS=$'\t' read -r holds what; do
    check "$what" test "$holds" = true
  done < <(jq -r '.studies[].checks[] | [.holds, .what] | @tsv' "$1")
  while IFS= read -r what; do skip "$what"; done < <(jq -r '.skipped[] | "\(.bench), \(.who)"' "$1")
}
