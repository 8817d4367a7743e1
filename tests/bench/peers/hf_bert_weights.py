# SPDX-License-Identifier: Apache-2.0
"""Whether `transformers` and Parapet mean the same by a file of BERT's weights.

  make FOLDER    bert-tiny with random weights, as transformers saves it
  check FOLDER --text TEXT --answer FILE
                 the probabilities that `parapet-cli predict --json` gave for the [MASK]s of a text,
                 against those of transformers with the weights in FOLDER

FOLDER is what `parapet-cli export --what model` writes, or what model.weights reads. The head of
bert-tiny in transformers has the activation of its blocks: a document that is compared has
"gelu_tanh" and epsilon 1e-12 in its masked_layers, too."""

import argparse
import json
import pathlib

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


def check(folder, text, answer):
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
    print(json.dumps({"text": text, "masked": len(filled), "worst_relative": worst}))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["make", "check"])
    parser.add_argument("folder")
    parser.add_argument("--vocabulary")
    parser.add_argument("--text")
    parser.add_argument("--answer")
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.folder, arguments.vocabulary)
    else:
        check(arguments.folder, arguments.text, arguments.answer)


if __name__ == "__main__":
    main()
