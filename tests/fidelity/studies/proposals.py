# SPDX-License-Identifier: Apache-2.0
"""What `init` proposes, untouched, beside baselines and beside a random search over the same model: by its rules alone
(`--no-race`), and after a race of variants.

MovieLens is read as implicit data: user, item and timestamp of u.data, no ratings. recall@20 is of the test rows, from the
checkpoint that was best on validation rows. The search draws learning rate .001 to .1 and temperature .05 to 1, both by
logarithm, width 16, 32, 64 or 128, weight decay 0 or .0001 to 1 by logarithm; all else stays. Each of its runs has the
proposal's epochs and early stopping and is compared by its best validation nDCG@10; the test rows have no part in it."""

import collections
import csv
import json
import math
import random

from .section import Section, figure, mean, values_of

# Users, items, events, seed of `generate events`.
EVENTS = {"events": (2000, 1500, 100_000, 7), "6,000 users": (6000, 5000, 80_000, 3), "4,000 users": (4000, 3000, 40_000, 11),
          "3,000 users": (3000, 2000, 90_000, 5), "1,000 users": (1000, 800, 6_000, 9)}
RIVALS = ["ease", "item_knn", "most_popular", "most_popular_in_context"]
# Seeds of this section are its data sets.
SETS = ["movielens", "events", "frappe"]
SPARSE = ["6,000 users", "6,000 users without its context", "4,000 users", "3,000 users", "1,000 users"]
SEARCHED = ["movielens", "events"]
SETTINGS = 30


def ratings(program):
    """(user, item, time) of u.data, in its order."""
    lines = (program.data / "ml-100k" / "u.data").read_text(encoding="ascii").splitlines()
    return [(user, item, time) for user, item, _, time in (line.split("\t") for line in lines)]


def rows_of(program, name):
    """The file that `init` looks at."""
    if name == "frappe":
        return program.data / "frappe" / "frappe.csv"
    out = program.file(f"{name.replace(' ', '-')}.csv")
    generated = name.removesuffix(" without its context")
    if generated not in EVENTS:
        columns = 2 if name.endswith("without times") else 3
        rows = ratings(program) if name == "movielens" else thinned(program, name)
        out.write_text("".join(",".join(row[:columns]) + "\n" for row in [("user_id", "item_id", "timestamp"), *rows]),
                       encoding="ascii")
        return out
    users, items, events, seed = EVENTS[generated]
    program.answer("generate", "events", "--out", out, "--users", users, "--items", items, "--events", events,
                   "--seed", seed)
    return out


def proposed(program, name, race=False):
    document = program.file(f"{name.replace(' ', '-')}.json")
    program.call("init", rows_of(program, name), "--out", document, "--force", "--quiet",
                 *([] if race else ["--no-race"]))
    if name.endswith("without its context"):
        content = json.loads(document.read_text(encoding="utf-8"))
        contexts = {column["name"] for column in content["dataset"]["columns"] if column.get("role") == "context"}
        for part, key in (("features", "column"), ("tables", "vocabulary")):
            content[part] = [entry for entry in content[part] if entry[key] not in contexts]
        document.write_text(json.dumps(content), encoding="utf-8")
    return document


def best_validation(trained):
    values = [epoch.get("val_ndcg@10") for epoch in trained["epochs"]]
    return max([value for value in values if value is not None], default=0.0)


def proposal_seed(program, name, race=False):
    trained = program.train(proposed(program, name, race))
    found = program.evaluate(trained, "--checkpoint", "best", "--k", "10,20")
    row = {"model": found["metrics"]["recall@20"], "standard error": found["standard_errors"].get("recall@20"),
           "validation": best_validation(trained)}
    return row | {rival: found["baselines"].get(rival, {}).get("recall@20") for rival in RIVALS}


def proposal_figures(names):
    def figures(rows):
        found = []
        for name, row in zip(names, rows):
            found += [figure(f"{name}, model", row["model"]), figure(f"{name}, standard error", row["standard error"], 3)]
            found += [figure(f"{name}, {rival}", row[rival]) for rival in RIVALS if row[rival] is not None]
        return found
    return figures


# ---- A race of variants

def raced_seed(program, name):
    return proposal_seed(program, name, race=True)


def raced_figures(rows):
    return [each for name, row in zip(SETS, rows)
            for each in (figure(f"{name}, model", row["model"]), figure(f"{name}, standard error", row["standard error"], 3))]


# ---- An embedding of each user, where users have hardly any rows

RULE = "6,000 users"


def with_users(document):
    """The model with what is proposed where users have more rows; a history has training rows alone."""
    content = json.loads(document.read_text(encoding="utf-8"))
    content["tables"].append(content["tables"][0] | {"name": "user", "vocabulary": "user"})
    del content["features"][0]["history"]["rows"]
    content["features"].insert(0, {"name": "query/ids/user", "column": "user", "table": "user"})
    document.write_text(json.dumps(content), encoding="utf-8")
    return document


def repeats(file):
    """In percent: users whose last row but one has the item of the row before it."""
    items = collections.defaultdict(list)
    with open(file, encoding="ascii") as rows:
        for row in sorted(csv.DictReader(rows), key=lambda row: int(row["timestamp"])):
            items[row["uid"]].append(row["item_id"])
    return 100.0 * sum(each[-2:-1] == each[-3:-2] for each in items.values()) / len(items)


def rule_seed(program, _):
    document = with_users(proposed(program, RULE))
    trained = program.train(document)
    of_part = {part: program.evaluate(trained, "--checkpoint", "best", "--k", "10,20", split=part)
               for part in ("validation", "test")}
    return {"repeats": repeats(program.file("6,000-users.csv")),
            **{part: found["metrics"]["recall@20"] for part, found in of_part.items()},
            "most popular": of_part["test"]["baselines"]["most_popular"]["recall@20"]}


def rule_figures(rows):
    row = rows[0]
    return [figure("repeats", row["repeats"], 0),
            *(figure(name, row[name], 3) for name in ("validation", "test", "most popular"))]


# ---- Few rows of each user of MovieLens-100K

THINNED = ["first 15", "10", "10 without times"]
DRAWS = [f"4 to 8 by seed {seed}" for seed in range(1, 6)]


def thinned(program, name):
    """The first 15 rows of each user, or 10 or 4 to 8 of them at random."""
    draw, by_user = random.Random(int(name[-1]) if name in DRAWS else 1), collections.defaultdict(list)
    for row in ratings(program):
        by_user[row[0]].append(row)
    if name == "first 15":
        return [row for rows in by_user.values() for row in sorted(rows, key=lambda row: int(row[2]))[:15]]
    return [row for rows in by_user.values() for row in draw.sample(rows, draw.randint(4, 8) if name in DRAWS else 10)]


def thinned_figures(rows):
    draws = rows[len(THINNED):] or rows
    average = {key: value and mean(values_of(draws, key)) for key, value in draws[0].items()}
    return proposal_figures([*THINNED, "4 to 8"])([*rows[:len(THINNED)], average])


# ---- The search

def drawn(draw, document):
    def by_logarithm(low, high):
        return math.exp(draw.uniform(math.log(low), math.log(high)))
    width = draw.choice([16, 32, 64, 128])
    decay = draw.choice([0.0, by_logarithm(1e-4, 1.0)])
    settings = {"/optimizer/learning_rate": by_logarithm(1e-3, 1e-1), "/loss/temperature": by_logarithm(0.05, 1.0),
                "/optimizer/weight_decay": decay}
    return settings | {f"/tables/{table}/embedding_dim": width for table in range(len(document["tables"]))}


def search_seed(program, name):
    document = proposed(program, name)
    found = {"proposal": best_validation(program.train(document)), "best": 0.0}
    draw = random.Random(1)
    for _ in range(SETTINGS):
        settings = drawn(draw, json.loads(document.read_text(encoding="utf-8")))
        value = best_validation(program.train(document, settings=settings))
        if value > found["best"]:
            found |= {"best": value, "settings": settings}
    return found


def search_figures(rows):
    found = []
    for name, row in zip(SEARCHED, rows):
        settings = row["settings"]
        found += [figure(f"{name}, proposal", row["proposal"]), figure(f"{name}, best", row["best"]),
                  figure(f"{name}, share", 100.0 * row["proposal"] / row["best"], 1),
                  figure(f"{name}, rate", settings["/optimizer/learning_rate"]),
                  figure(f"{name}, temperature", settings["/loss/temperature"], 3),
                  figure(f"{name}, width", settings["/tables/0/embedding_dim"], 0),
                  figure(f"{name}, decay", settings["/optimizer/weight_decay"], 0)]
    return found


SECTIONS = [
    Section("proposals", "what init proposes for three files", proposal_seed, proposal_figures(SETS), seeds=SETS,
            data=["ml-100k", "frappe"], constants="500"),
    Section("proposals-raced", "the same after a race of variants", raced_seed, raced_figures, seeds=SETS,
            data=["ml-100k", "frappe"]),
    Section("proposals-sparse", "what init proposes where users have hardly any rows", proposal_seed,
            proposal_figures(SPARSE), seeds=SPARSE,
            constants="500 3 5 6 11 4 9 12 1,000 2,000 3,000 4,000 5,000 6,000 40,000 80,000 90,000 800"),
    Section("proposals-rule", "an embedding of each user, where users have hardly any rows", rule_seed, rule_figures,
            constants="20"),
    Section("proposals-thinned", "what init proposes for few rows of MovieLens", proposal_seed, thinned_figures,
            seeds=[*THINNED, *DRAWS], data=["ml-100k"], constants="15 10 4 8"),
    Section("proposal-search", "a random search over the model that init proposes, an hour", search_seed, search_figures,
            seeds=SEARCHED, data=["ml-100k"], constants="30 10"),
]
