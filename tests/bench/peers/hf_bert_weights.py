# SPDX-License-Identifier: Apache-2.0
"""Whether `transformers` and Parapet mean the same by a file of BERT's weights.

  make FOLDER    bert-tiny with random weights, as transformers saves it
  check FOLDER --text TEXT --answer FILE
                 the probabilities that `parapet-cli predict --json` gave for the [MASK]s of a text,
                 against those of transformers with the weights in FOLDER
  round FOLDER --vocabulary FILE --cli PROGRAM
                 all of it: weights of transformers are read and asked, then trained, asked again and
                 written, for transformers to read

FOLDER is what `parapet-cli export --what model` writes, or what model.weights reads. The head of
bert-tiny in transformers has the activation of its blocks: a document that is compared has
"gelu_tanh" and epsilon 1e-12 in its masked_layers, too."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import torch
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertForMaskedLM


def make(folder, vocabulary):
    torch.manual_seed(3)
    pieces = len(pathlib.Path(vocabulary).read_text(encoding="utf-8").rstrip("\n").split("\n"))
    config = BertConfig(
        vocab_size=pieces,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=512,
        hidden_act="gelu_pytorch_tanh",
        max_position_embeddings=512,
    )
    model = BertForMaskedLM(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            spread = 0.3 if "LayerNorm" in name or name.endswith("bias") else 0.08
            weight.add_(torch.randn_like(weight) * spread)
    model.save_pretrained(folder)


def check(folder, text, answer, weights="its"):
    model = BertForMaskedLM.from_pretrained(folder).eval()
    tokenizer = BertWordPieceTokenizer(str(pathlib.Path(folder) / "vocab.txt"), lowercase=True)
    row = tokenizer.get_vocab()
    filled = json.loads(pathlib.Path(answer).read_text(encoding="utf-8"))
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.no_grad():
        logits = model(input_ids=ids).logits[0].double()
    worst = 0.0
    for masked in filled:
        there = torch.softmax(logits[masked["position"]], 0)
        for rank, guess in enumerate(masked["pieces"]):
            ours, theirs = guess["probability"], there[row[guess["piece"]]].item()
            worst = max(worst, abs(ours - theirs) / theirs)
            if rank == 0 and row[guess["piece"]] != int(there.argmax()):
                raise SystemExit(f"position {masked['position']}: other best piece")
    found = {"text": text, "weights": weights, "masked": len(filled), "worst_relative": worst}
    print(json.dumps(found), flush=True)
    return worst


TEXTS = [
    "the [MASK] of the city was [MASK] in 1920 .",
    "[MASK] [MASK] and the second album were released .",
]
LIMIT = 1e-5  # of a probability, relative


def document_of(cli, folder, place, rate):
    """bert-tiny-mlm with a head as transformers has it, from the weights in `folder`."""
    text = subprocess.run([cli, "recipe", "bert-tiny-mlm"], check=True, capture_output=True).stdout
    document = json.loads(text)
    corpus = place / "corpus"
    corpus.mkdir(exist_ok=True)
    line = "the first of the two albums was released in the city , and the second was not ."
    (corpus / "train.txt").write_text((line + "\n") * 64, encoding="utf-8")
    (corpus / "valid.txt").write_text(line + "\n", encoding="utf-8")
    document["dataset"] |= {"path": str(corpus), "batch": {"size": 16}}
    document["dataset"]["text"] |= {"vocabulary": str(folder / "vocab.txt"), "min_bytes": 0}
    for layer in document["model"]["masked_layers"]:
        layer |= {"activation": "gelu_tanh"} if layer["kind"] == "dense" else {"epsilon": 1e-12}
    document["model"]["weights"] = str(folder)
    document["optimizer"]["learning_rate"] = rate
    document["training"]["epochs"] = 1
    file = place / "document.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def whole_round(place, vocabulary, cli):
    made = place / "made"
    made.mkdir()
    make(made, vocabulary)
    shutil.copy(vocabulary, made / "vocab.txt")
    worst = 0.0
    # A rate that moves no weight shows what was read; the other, what is written.
    for weights, rate in (("imported", 1e-30), ("trained", 1e-3)):
        program = [cli, "--workspace", place / "workspace", "--json", "--quiet"]
        document = document_of(cli, made, place, rate)
        ran = subprocess.run([*program, "train", document], check=True, capture_output=True)
        run = json.loads(ran.stdout)["run_id"]
        folder = made
        if weights == "trained":
            folder = place / "written"
            command = [*program, "export", run, "--what", "model", "--format", "safetensors"]
            subprocess.run([*command, "--out", folder], check=True, capture_output=True)
        for text in TEXTS:
            answer = place / "answer.json"
            asked = subprocess.run([*program, "predict", run, "--text", text], check=True,
                                   capture_output=True)
            answer.write_bytes(asked.stdout)
            worst = max(worst, check(folder, text, answer, weights))
    if worst > LIMIT:
        sys.exit(f"{worst} is more than {LIMIT}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["make", "check", "round"])
    parser.add_argument("folder")
    parser.add_argument("--vocabulary")
    parser.add_argument("--text")
    parser.add_argument("--answer")
    parser.add_argument("--cli", default="build/release/bin/parapet-cli")
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.folder, arguments.vocabulary)
    elif arguments.what == "round":
        whole_round(pathlib.Path(arguments.folder), arguments.vocabulary, arguments.cli)
    else:
        check(arguments.folder, arguments.text, arguments.answer)


if __name__ == "__main__":
    main()
