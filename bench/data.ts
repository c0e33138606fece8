import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { PRIMARY_KEY, payloadOf, syntheticDocuments } from './synthetic.js';

/** A data set with one JSON object per line, and the uses of its fields. */
export interface DataSet {
  name: string;
  /** The lines, unchanged. */
  raw: Uint8Array<ArrayBuffer>;
  documents: Record<string, unknown>[];
  primaryKey: string;
  /** Fields with text, the shortest first: titles before bodies. */
  textFields: string[];
  /** Fields with few different values. */
  facetFields: string[];
  numberFields: string[];
}

/** Number of documents examined for the kinds of fields. */
const SAMPLE = 2000;
const MAX_FACET_VALUES = 300;

export function readDataSet(file: string, primaryKey = 'id'): DataSet {
  const bytes = fs.readFileSync(file);
  const raw = new Uint8Array(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  const lines = new TextDecoder().decode(raw).split('\n');
  const documents = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  return { name: file.replace(/^.*\//, '').replace(/\..*$/, ''), raw, documents, primaryKey, ...classify(documents, primaryKey) };
}

/** Synthetic documents, for benchmarks without a data set. */
export function syntheticDataSet(): DataSet {
  const raw = new Uint8Array(payloadOf(syntheticDocuments()));
  const documents = new TextDecoder()
    .decode(raw)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { name: 'synthetic', raw, documents, primaryKey: PRIMARY_KEY, ...classify(documents, PRIMARY_KEY) };
}

function classify(documents: readonly Record<string, unknown>[], primaryKey: string) {
  const step = Math.max(1, Math.floor(documents.length / SAMPLE));
  const sample = documents.filter((_, k) => k % step === 0);
  const values = new Map<string, unknown[]>();
  for (const document of sample) {
    for (const [field, value] of Object.entries(document)) {
      if (field === primaryKey || field.startsWith('_')) continue;
      values.set(field, [...(values.get(field) ?? []), ...(Array.isArray(value) ? value : [value])]);
    }
  }
  const textFields: { field: string; length: number }[] = [];
  const facetFields: string[] = [];
  const numberFields: string[] = [];
  for (const [field, found] of values) {
    const texts = found.filter((value) => typeof value === 'string');
    if (found.length < sample.length / 4) continue;
    if (found.every((value) => typeof value === 'number' || value === null)) numberFields.push(field);
    else if (texts.length > found.length / 2) {
      const different = new Set(texts).size;
      if (different <= MAX_FACET_VALUES && different < texts.length / 4) facetFields.push(field);
      else textFields.push({ field, length: texts.join('').length / texts.length });
    }
  }
  textFields.sort((a, b) => a.length - b.length);
  return { textFields: textFields.map(({ field }) => field), facetFields, numberFields };
}

/** The words of a text, as people type them. */
export function wordsOf(value: unknown): string[] {
  return String(value ?? '').match(/[\p{L}\p{N}]+/gu) ?? [];
}
