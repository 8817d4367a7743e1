# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# A program is killed while it starts and loads its plugins, by a kill from outside. No later start may
# take a plugin for faulty, or train on another backend: other bits.

stage_start_kills() {
  needs jq || return 0
  local kills kill span began backend
  kills=$(share 100)
  export XDG_STATE_HOME=$folder/state
  began=${EPOCHREALTIME/./}
  backend=$(backend_in_use)
  span=$(((${EPOCHREALTIME/./} - began) / 1000 + 1))
  for ((kill = 1; kill <= kills; ++kill)); do
    # Every tenth has its trials to hold, too.
    ((kill % 10 != 1)) || rm -rf "$folder/state"
    start "$folder/devices" "$cli" --workspace "$folder/workspace" devices
    random_ms "$span"
    sleep_ms "$random"
    kill -KILL -- "-$started" 2>/dev/null || true
    finish "$started"
    progress "$kill" "$kills"
    # One in three is looked at: a look that ends well takes the mark of a kill along.
    ((kill % 3 == 0)) || continue
    look_at_plugins "$kill" "$backend"
  done
  unset XDG_STATE_HOME
  ran="$kills kills at the start of a program"
}

backend_in_use() {
  "$cli" --workspace "$folder/workspace" --json devices 2>/dev/null |
    jq -r '.[] | select(.name == "cpu:0") | .instruction_set'
}

# look_at_plugins KILL BACKEND
look_at_plugins() {
  local disabled now
  disabled=$("$cli" --workspace "$folder/workspace" --json devices 2>/dev/null |
    jq -r '.[] | select(.outcome == "disabled") | .name')
  now=$(backend_in_use)
  if [[ -n $disabled || $now != "$2" ]]; then
    flunk "after kill $1 a plugin is disabled: $disabled; cpu:0 is $now, was $2"
    rm -rf "$folder/state"
  else
    pass
  fi
}
