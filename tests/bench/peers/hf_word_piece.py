# SPDX-License-Identifier: Apache-2.0
"""WordPiece of Hugging Face `tokenizers` over the lines of a text, one thread.

encode  a call for every line
batch   one call for all lines, without places"""

import argparse
import os
import pathlib

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers  # noqa: E402

from common import Budget, measure, report  # noqa: E402


def tokenizer_of(vocabulary, cased):
    """BERT's, without special pieces."""
    lines = pathlib.Path(vocabulary).read_text(encoding="utf-8").split("\n")
    pieces = {piece.rstrip("\r"): index for index, piece in enumerate(lines) if piece}
    tokenizer = Tokenizer(
        models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=not cased
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=["encode", "batch"])
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--ids")
    parser.add_argument("--cased", action="store_true")
    Budget.add_to(parser)
    arguments = parser.parse_args()

    tokenizer = tokenizer_of(arguments.vocabulary, arguments.cased)
    with open(arguments.corpus, encoding="utf-8", newline="\n") as file:
        text = file.read()
    lines = text.removesuffix("\n").split("\n")

    def encode():
        return [tokenizer.encode(line, add_special_tokens=False).ids for line in lines]

    def batch():
        found = tokenizer.encode_batch_fast(lines, add_special_tokens=False)
        return [one.ids for one in found]

    work = encode if arguments.variant == "encode" else batch
    seconds = measure(Budget(arguments), work)
    if arguments.ids:
        with open(arguments.ids, "w", encoding="ascii") as file:
            for ids in work():
                file.write("".join(f"{each} " for each in ids) + "\n")
    report(seconds, bytes=len(text.encode()), threads=1)


if __name__ == "__main__":
    main()
