#!/usr/bin/env python3
"""The queries that `first-asks.js --texts FILE` wrote, asked of tantivy in this process: processor time of the first 20 documents.

  python3 -m venv /tmp/tantivy && /tmp/tantivy/bin/pip install tantivy
  /tmp/tantivy/bin/python bench/beside-tantivy.py debian.ndjson.gz FILE

The fields are indexed with positions and stored. A search wants every word in one of the fields, ranks by BM25, does not count, and reads
the stored documents. Words of the class of typos match within one edit from 5 letters on and within two from 9 on, with the same first
letter or another.
"""
import gzip
import json
import re
import sys
import tempfile
import time

import tantivy

source, texts = sys.argv[1:3]
with open(texts, encoding="utf8") as file:
    asked = json.load(file)
fields = asked["fields"]
builder = tantivy.SchemaBuilder()
for field in fields:
    builder.add_text_field(field, stored=True)
schema = builder.build()
folder = tempfile.TemporaryDirectory()
index = tantivy.Index(schema, path=folder.name)
writer = index.writer(heap_size=1_000_000_000, num_threads=1)
opened = gzip.open(source, "rt", encoding="utf8") if source.endswith(".gz") else open(source, encoding="utf8")
start = time.process_time()
with opened as lines:
    for line in lines:
        if not line.strip():
            continue
        document = json.loads(line)
        own = {}
        for field in fields:
            value = document.get(field)
            values = value if isinstance(value, list) else [value]
            own[field] = [str(one) for one in values if one is not None]
        writer.add_document(tantivy.Document(**own))
writer.commit()
writer.wait_merging_threads()
index.reload()
searcher = index.searcher()
print(f"indexed in {time.process_time() - start:.1f} s of the processor, {searcher.num_segments} segments")

Query, Occur = tantivy.Query, tantivy.Occur
LIMIT = 20


def any_field(make):
    return Query.boolean_query([(Occur.Should, make(field)) for field in fields])


def word_query(word, edits):
    if edits == 0:
        return any_field(lambda field: Query.term_query(schema, field, word))
    return any_field(lambda field: Query.fuzzy_term_query(schema, field, word, distance=edits))


def edits_of(word):
    return 0 if len(word) < 5 else 1 if len(word) < 9 else 2


def query_of(name, text):
    words = re.findall(r"[^\W_]+", text.lower())
    if name == "phrase" and len(words) > 1:
        return any_field(lambda field: Query.phrase_query(schema, field, words))
    return Query.boolean_query([(Occur.Must, word_query(word, edits_of(word) if name == "typos" else 0)) for word in words])


def ask(name, text):
    found = searcher.search(query_of(name, text), LIMIT, count=False)
    return [searcher.doc(address) for _, address in found.hits]


for name, queries in asked["warm"].items():
    for text in queries:
        ask(name, text)
for name, queries in asked["classes"].items():
    times = []
    for text in queries:
        start = time.process_time()
        ask(name, text)
        times.append((time.process_time() - start) * 1000)
    times.sort()
    print(f"{name:11} p50 {times[len(times) // 2]:.2f} p99 {times[int(len(times) * 0.99)]:.2f} ms")
