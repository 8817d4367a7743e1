# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2120,SC2119
# What the stages share: counted cases, progress, programs that never outlive us, random moments.
# Sourced by tests/long/run, after installer/lib.sh.

cli=$root/build/release/bin/parapet-cli

# -- Cases ------------------------------------------------------------------------------------

all_passed=0 all_failed=0 all_skipped=0
rows=() failures=() reasons=()

pass() { passed=$((passed + ${1:-1})); }

# flunk WHAT [DETAIL]: WHAT goes to the report and names no path of this machine; DETAIL is shown.
flunk() {
  failed=$((failed + 1))
  failures+=("$stage: $1")
  printf '\nFAILED %s: %s\n%s' "$stage" "$1" "${2:+$2$'\n'}" >&2
}

skip() {
  skipped=$((skipped + 1))
  reasons+=("$stage: $1")
  printf '  skipped: %s\n' "$1" >&2
}

# check WHAT COMMAND…: a case that passes if the command succeeds.
check() {
  local what=$1
  shift
  if "$@"; then pass; else flunk "$what"; fi
}

# needs PROGRAM…: false, with the stage skipped, if one of them is not installed.
needs() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null && continue
    skip "$program is not installed"
    return 1
  done
}

# run_stage NAME: calls stage_NAME with a folder of its own; it tells in $ran what it did.
run_stage() {
  local name=$1 began=$SECONDS
  stage=$name folder=$scratch/$name passed=0 failed=0 skipped=0 ran='–'
  mkdir "$folder"
  say "$stage"
  stage_began=$SECONDS last_shown=$SECONDS
  "stage_${name//-/_}" || flunk "the stage broke off"
  [[ ! -t 2 ]] || printf '\r\e[K' >&2
  rows+=("| $stage | $ran | $passed | $failed | $skipped | $((SECONDS - began)) |")
  printf '%s: %s\n%d passed, %d failed, %d skipped in %d s\n' "$stage" "$ran" "$passed" "$failed" \
    "$skipped" $((SECONDS - began))
  all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed))
  all_skipped=$((all_skipped + skipped))
  rm -rf "$folder"
}

# -- How much, how far ------------------------------------------------------------------------

# share COUNT: all of it, or a tenth where it is to be quick.
share() { if [[ $quick == yes ]]; then echo $((($1 + 9) / 10)); else echo "$1"; fi; }

# progress DONE TOTAL: redrawn on a terminal, else a line every ten seconds.
progress() {
  local spent=$((SECONDS - stage_began)) left=''
  (($1 == 0)) || left=$(printf ', %d s left' $((spent * ($2 - $1) / $1)))
  if [[ -t 2 ]]; then
    printf '\r\e[K  %d of %d%s' "$1" "$2" "$left" >&2
  elif ((SECONDS - last_shown >= 10)); then
    last_shown=$SECONDS
    printf '  %d of %d%s\n' "$1" "$2" "$left" >&2
  fi
}

# random_ms BELOW: evenly distributed from 0.
random_ms() { random=$(((RANDOM * 32768 + RANDOM) % $1)); }

sleep_ms() { sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"; }

# -- Programs that never outlive us -----------------------------------------------------------

declare -A running=()

# start OUTPUT COMMAND…: starts a program in a process group of its own, which is killed with all
# that it started when we end, however that comes about. Its number is in $started; its standard
# output goes to OUTPUT, its standard error to OUTPUT.err.
start() {
  local output=$1
  shift
  set -m
  "$@" >"$output" 2>"$output.err" </dev/null &
  started=$!
  set +m
  running[$started]=yes
}

# finish PROCESS: waits; the exit status is in $status, 137 for one that was killed.
finish() {
  status=0
  wait "$1" 2>/dev/null || status=$?
  unset "running[$1]"
}

kill_all() {
  local process
  for process in "${!running[@]}"; do kill -KILL -- "-$process" 2>/dev/null || true; done
}

# Not in a subshell that a signal has ended; and Bash need not name every program that we kill.
clean_up() {
  [[ $BASHPID == "$$" ]] || return 0
  exec 2>/dev/null
  kill_all
  rm -rf "$scratch"
}

# Everything that is written lies in one folder, which goes when we end.
open_scratch() {
  scratch=$(mktemp -d)
  export TMPDIR=$scratch
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}
