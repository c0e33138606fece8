#!/usr/bin/env python3
"""Makes vectors of the documents of an NDJSON file (gzip or not) with wordllama's static model (PyPI, MIT, 256 dimensions).

  python3 -m venv /tmp/embed && /tmp/embed/bin/pip install wordllama numpy
  /tmp/embed/bin/python bench/vectors/embed.py movies.ndjson.gz /tmp/movies title,overview

Writes vectors.f32 and queries.f32 (little-endian f32, row by row) and the number of dimensions to the folder. Queries are two or three
words of a random document.
"""
import gzip
import json
import pathlib
import random
import sys

import numpy
import wordllama

source, folder, fields = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3].split(",")
opened = gzip.open(source, "rt", encoding="utf8") if source.endswith(".gz") else open(source, encoding="utf8")
with opened as lines:
    documents = [json.loads(line) for line in lines]
texts = [" ".join(str(document.get(field) or "") for field in fields)[:2000] or "-" for document in documents]
drawn = random.Random(11)
queries = []
while len(queries) < 500:
    words = drawn.choice(texts).split()
    if len(words) >= 3:
        first = drawn.randrange(len(words) - 2)
        queries.append(" ".join(words[first : first + drawn.choice((2, 3))]))
# its tokenizer is in the package too, where only a cache is looked for
model = wordllama.WordLlama.load(cache_dir=pathlib.Path(wordllama.__file__).parent)
folder.mkdir(parents=True, exist_ok=True)
for name, own in (("vectors", texts), ("queries", queries)):
    vectors = numpy.asarray(model.embed(own, norm=True), dtype="<f4")
    vectors.tofile(folder / f"{name}.f32")
(folder / "dimensions").write_text(str(vectors.shape[1]))
