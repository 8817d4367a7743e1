# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # device, against, part, quick, cli, work: those of run
# One JSON document, a step at a time. Sourced by tests/gpu/run, never run.

budget_seconds=460
max_answer_bytes=524288
max_report_bytes=1048576
passed=0 failed=0 skipped=0
# true: a step that does not pass is reported as one that differs, and fails nothing.
lenient=false
SECONDS=0

# json_text TEXT: as a string of JSON.
json_text() {
  local text
  text=$(printf '%s' "$1" | tr -d '\000-\010\013\014\016-\037')
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\t'/\\t}
  text=${text//$'\r'/\\r}
  printf '"%s"' "$text"
}

# What the machine says about itself; nothing of it is needed.
chip() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total --format=csv,noheader 2>&1 | head -n 8
}
processor() { awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo; }

report_begin() {
  {
    printf '{"part":%s,"device":%s,"against":%s,"quick":%s,' \
      "$part" "$(json_text "$device")" "$(json_text "$against")" "$quick"
    printf '"date":%s,' "$(json_text "$(date -u +%Y-%m-%dT%H:%M:%SZ)")"
    printf '"version":%s,' "$(json_text "$("$cli" --version 2>/dev/null || true)")"
    printf '"kernel":%s,"processor":%s,"cores":%s,"chip":%s,"steps":[' "$(json_text "$(uname -r)")" \
      "$(json_text "$(processor)")" "$(nproc)" "$(json_text "$(chip)")"
  } >"$work/report"
  between=''
}

# add JSON: a step of the report, as long as it has room.
add() {
  local bytes
  bytes=$(stat -c %s "$work/report")
  if ((bytes + ${#1} + 1024 > max_report_bytes)); then return 0; fi
  printf '%s\n%s' "$between" "$1" >>"$work/report"
  between=,
}

report_end() {
  printf '],\n"passed":%s,"failed":%s,"skipped":%s,"seconds":%s}\n' \
    "$passed" "$failed" "$skipped" "$SECONDS" >>"$work/report"
  cat "$work/report"
}

# skip NAME WHY
skip() {
  skipped=$((skipped + 1))
  add "{\"name\":$(json_text "$1"),\"outcome\":\"skipped\",\"reason\":$(json_text "$2")}"
}

# step NAME ARGUMENT…: one call of parapet-cli with --json; its answer is left in $work/answer. False
# if it failed, or if there was no time for it.
step() {
  local name=$1 code=0 begin=$SECONDS left=$((budget_seconds - SECONDS)) answer outcome=passed
  shift
  : >"$work/answer"
  if ((left < 5)); then
    skip "$name" "no time was left"
    return 1
  fi
  printf '%4d s  %s\n' "$SECONDS" "$name" >&2
  timeout "$left" "$cli" --workspace "$work/ws" --json --quiet "$@" >"$work/answer" 2>"$work/err" || code=$?
  answer=$(cat "$work/answer")
  if ((code == 124 || code == 137)); then
    skip "$name" "stopped after $((SECONDS - begin)) s: no time was left"
    return 1
  fi
  if ((code == 0)); then
    passed=$((passed + 1))
  elif $lenient && ((code == 1)); then
    outcome=differs
  else
    failed=$((failed + 1)) outcome=failed
  fi
  if [[ $answer != [{[]* || ${#answer} -gt $max_answer_bytes ]]; then answer=null; fi
  add "{\"name\":$(json_text "$name"),\"outcome\":\"$outcome\",\"code\":$code,\"seconds\":$((SECONDS - begin)),\
\"arguments\":$(json_text "$*"),\"stderr\":$(json_text "$(tail -n 5 "$work/err")"),\"answer\":$answer}"
  ((code == 0))
}

# losses FILE: the loss of every epoch of an answer of `train`, a line each.
losses() { grep -o '"epochs":\[[^]]*\]' "$1" | grep -o '"loss":[^,}]*' | cut -d: -f2; }

# same_curve NAME FILE FILE TOLERANCE: the losses of two trainings, epoch by epoch.
same_curve() {
  local verdict
  losses "$2" >"$work/one"
  losses "$3" >"$work/other"
  # Whatever is no number differs from everything.
  verdict=$(paste -d' ' "$work/one" "$work/other" | awk -v tolerance="$4" '
    function finite(x) { return x ~ /^-?[0-9.]+([eE][-+]?[0-9]+)?$/ }
    { ++n
      if (!finite($1) || !finite($2)) { bad = 1; next }
      d = $1 - $2; if (d < 0) d = -d
      s = $2 < 0 ? -$2 : $2; if (s < 1e-12) s = 1e-12
      if (d / s > most) most = d / s }
    END { print (n > 0 && !bad && most <= tolerance) ? "passed" : "failed", bad || n == 0 ? "null" : most + 0 }')
  if [[ $verdict == passed* ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  add "{\"name\":$(json_text "$1"),\"outcome\":\"${verdict% *}\",\"max_relative_difference\":${verdict#* },\
\"tolerance\":$4,\"losses\":[$(paste -sd, "$work/one")],\"against\":[$(paste -sd, "$work/other")]}"
}
