# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # device, against, quick, bundle, cli, work, here: those of run
# The four parts. Sourced by tests/gpu/run, never run.

# A curve drifts apart by rounding, more with every step; `verify` in part 3 is the narrow test.
curve_tolerance=5e-3

part_1() {
  local -a how=(selftest --device "$device" --large)
  if $quick; then how+=(--quick); fi
  step devices devices || true
  step selftest "${how[@]}" || true
  if ! $quick; then step profile devices --measure || true; fi
}

# Generated data for recipes that need some: what the bundle can make or brings along.
make_ratings() {
  [[ -d $work/ratings ]] || "$cli" generate movies --layout 100k --users 943 --items 1682 --events 100000 \
    --out "$work/ratings" >/dev/null
}
make_texts() {
  [[ -f $work/texts/vocab.txt ]] && return 0
  mkdir -p "$work/texts"
  # The licences are the texts that every bundle has.
  find "$bundle/licences" -maxdepth 1 -name '*.txt' -print0 2>/dev/null | sort -z |
    xargs -0 -r cat | awk -v lines="$(if $quick; then echo 400; else echo 6000; fi)" 'NR <= lines' >"$work/texts/corpus.txt"
  [[ -s $work/texts/corpus.txt ]] || return 1
  "$cli" vocabulary "$work/texts/corpus.txt" --size 1000 --out "$work/texts/vocab.txt" >/dev/null 2>&1
}
make_apps() {
  [[ -d $work/apps ]] && return 0
  mkdir -p "$work/apps"
  # A generator of its own, because rand() of one awk is not that of another.
  awk -v log_file="$work/apps/frappe.csv" -v catalogue="$work/apps/meta.csv" '
    function draw(n) { state = (state * 16807) % 2147483647; return state % n }
    BEGIN {
      state = 7
      times = split("morning noon afternoon evening night", daytime)
      split("monday tuesday wednesday thursday friday saturday sunday", weekday)
      split("sunny cloudy rainy unknown", weather)
      split("Spain Canada India", country)
      print "user\titem\tcnt\tdaytime\tweekday\tisweekend\thomework\tcost\tweather\tcountry\tcity" >log_file
      for (i = 0; i < 8000; ++i) {
        day = 1 + draw(7)
        time = 1 + draw(times)
        # What is used depends on the time of day.
        print draw(200) "\t" (time * 37 + draw(60)) % 300 "\t1\t" daytime[time] "\t" weekday[day] "\t" \
          (day > 5 ? "weekend" : "workday") "\tunknown\tfree\t" weather[1 + draw(4)] "\t" country[1 + draw(3)] \
          "\t" draw(20) >log_file
      }
      print "item\tname\tcategory" >catalogue
      for (i = 0; i < 300; ++i) print i "\tApp " i "\tcategory " i % 12 >catalogue
    }'
}

# options_of RECIPE: into `options`, what makes it small and gives it data. False, with `why`, if the bundle has none.
options_of() {
  local users=1000 events=60000
  if $quick; then users=200 events=6000; fi
  options=(--epochs "$(if $quick; then echo 1; else echo 3; fi)")
  case $1 in
    sample | dlrm | dcn-v2) ;;
    yambda-context | sasrec)
      options+=(--set "/dataset/generator/users=$users" --set "/dataset/generator/events=$events")
      ;;
    movielens-retrieval-learned | movielens-multitask)
      if $quick; then why="left out by --quick" && return 1; fi
      make_ratings
      options+=(--data "$work/ratings")
      ;;
    movielens-*)
      make_ratings
      options+=(--data "$work/ratings")
      ;;
    frappe-context)
      make_apps
      options+=(--data "$work/apps/frappe.csv")
      ;;
    bert-tiny-mlm)
      if ! make_texts; then why="the bundle has no licences to read" && return 1; fi
      options+=(--data "$work/texts/corpus.txt" --set "/dataset/text/vocabulary=$work/texts/vocab.txt"
        --set /dataset/text/min_bytes=20 --set /dataset/text/max_length=64 --set /features/0/max_length=64)
      ;;
    *)
      why="its data cannot be generated"
      return 1
      ;;
  esac
}

# recipe_names: those of the program, not of this script, so that a new one is not forgotten.
recipe_names() { "$cli" recipes --json | grep -o '"name":"[^"]*"' | cut -d'"' -f4; }

part_2() {
  local recipe why
  local -a options
  for recipe in $(recipe_names); do
    if ! options_of "$recipe"; then
      skip "train $recipe" "$why"
      continue
    fi
    step "train $recipe on $against" train "$recipe" --devices "$against" "${options[@]}" || continue
    cp "$work/answer" "$work/reference"
    step "train $recipe on $device" train "$recipe" --devices "$device" "${options[@]}" || continue
    same_curve "curve of $recipe" "$work/answer" "$work/reference" "$curve_tolerance"
  done
}

# two_of DEVICE: two ranks of its kind; nothing if there is no second device. The CPU has as many as one asks for.
two_of() {
  local kind=${1%%:*}
  if [[ $kind == cpu ]]; then
    echo 'cpu*2'
  elif [[ $listed == *"\"name\":\"$kind:1\",\""* ]]; then
    echo "$kind:0,$kind:1"
  fi
}

part_3() {
  local two steps=20
  two=$(two_of "$device")
  if $quick; then steps=4; fi
  step "verify, same bits" verify sample --devices "$device" --steps "$steps" || true
  # Adam divides by the root of what it has seen: it magnifies the rounding of other kernels, SGD does not.
  step "verify against $against" verify sample --set '/optimizer={"kind":"sgd","learning_rate":0.05}' \
    --devices "$device" --against "$against" --steps "$steps" || true
  lenient=true
  step "verify against $against, optimizer of the document" verify sample --devices "$device" --against "$against" \
    --steps "$steps" || true
  lenient=false
  same_without_graphs
  if [[ $device != cpu* ]]; then verify_ranks_of_one "$steps"; fi
  if [[ -n $two ]]; then
    verify_ranks "$two" "$steps"
  else
    skip "verify two ranks" "there is no second device of the kind of $device"
  fi
  move_checkpoint "${two:-$device}" || true
}

# same_without_graphs: steps that are replayed as CUDA graphs train the same bits as op by op.
same_without_graphs() {
  local -a small=(train sample --devices "$device" --epochs 2)
  if $quick; then small+=(--set /dataset/generator/users=200 --set /dataset/generator/events=6000); fi
  step "train, with graphs" "${small[@]}" || return 0
  cp "$work/answer" "$work/reference"
  PARAPET_CUDA_GRAPHS=0 step "train, op by op" "${small[@]}" || return 0
  same_curve "graphs change no loss" "$work/answer" "$work/reference" 0
}

# verify_ranks_of_one STEPS: two ranks of the device, each with memory of its own.
verify_ranks_of_one() {
  local communicator placement
  for communicator in local nccl; do
    if [[ $communicator == nccl && -z $(find -L "$bundle" -name 'parapet_nccl.so' -print -quit) ]]; then
      skip "verify two ranks of $device by nccl" "the bundle has no plugin for NCCL"
      continue
    fi
    for placement in replicated row column table; do
      PARAPET_COMMUNICATOR=$communicator step "verify two ranks of $device by $communicator, $placement" \
        verify sample --devices "$device/0,$device/1" --set /mesh/spaces=separate \
        --set "/tables/0/placement=$placement" --against "$device" --steps "$1" || true
    done
  done
}

# verify_ranks DEVICES STEPS
verify_ranks() {
  step "verify two ranks" verify sample --devices "$1" --against "$device" --steps "$2" || true
  for placement in row column table; do
    step "verify tables by $placement" verify sample --devices "$1" --against "$against" --steps "$2" \
      --set "/tables/0/placement=$placement" || true
  done
  step "verify dlrm on two ranks" verify dlrm --devices "$1" --against "$against" --steps "$2" || true
}

# move_checkpoint DEVICES: from the device to these, to the one it is held against, and back.
move_checkpoint() {
  local run there epochs=1
  step "train on $device" train sample --devices "$device" --epochs 1 || return 1
  for there in "$1" "$against" "$device"; do
    epochs=$((epochs + 1))
    # Before the next call leaves another answer.
    run=$(grep -o '"run_id":"[^"]*"' "$work/answer" | head -n 1 | cut -d'"' -f4)
    step "verify-checkpoint of $run" verify-checkpoint "$run" || true
    step "checkpoint moved to $there" train --fork "$run" --devices "$there" --epochs "$epochs" || return 1
  done
  step "evaluate what came back" evaluate latest || return 1
  step "recommend from it" recommend latest --user 1,2,3 -k 10
}

part_4() {
  local recipe where why
  local -a options larger
  for recipe in dlrm sample movielens-ranking sasrec bert-tiny-mlm; do
    options_of "$recipe" || { skip "speed of $recipe" "$why" && continue; }
    larger=()
    # One step of a thousand examples keeps no GPU busy.
    if ! $quick && [[ $recipe == dlrm || $recipe == movielens-ranking ]]; then larger=(--set /dataset/batch/size=8192); fi
    for where in "$device" "$against"; do
      step "speed of $recipe on $where" train "$recipe" --devices "$where" "${options[@]}" "${larger[@]}" || true
    done
  done
  options_of sample
  PARAPET_CUDA_GRAPHS=0 step "speed of sample on $device, op by op" train sample --devices "$device" "${options[@]}" || true
  peers
}

# The same shapes in PyTorch, where a Python has it.
peers() {
  local answer code=0 left=$((budget_seconds - SECONDS))
  if ! command -v python3 >/dev/null; then skip peers "no python3" && return 0; fi
  if ((left < 30)); then skip peers "no time was left" && return 0; fi
  answer=$(timeout "$left" python3 "$here/peers.py" --device "${device/cpu:*/cpu}" $($quick && echo --quick) 2>"$work/err") || code=$?
  if ((code == 77)); then skip peers "$answer" && return 0; fi
  if ((code == 0)); then passed=$((passed + 1)); else failed=$((failed + 1)) answer=null; fi
  add "{\"name\":\"peers\",\"outcome\":\"$( ((code == 0)) && echo passed || echo failed)\",\"code\":$code,\
\"stderr\":$(json_text "$(tail -n 5 "$work/err")"),\"answer\":$answer}"
}
