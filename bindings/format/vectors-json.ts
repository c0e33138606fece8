import { memberBounds, memberNamed } from '../engine/member-bounds.js';
import type { IndexReader } from '../engine/segments.js';
import { readText } from '../engine/utf8.js';
import { type DocumentVectors, vectorsOfDocument } from '../engine/vectors.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import { floatText } from './float-text.js';

type Embedders = IndexSettings['embedders'];

/**
 * `_vectors` of a document as answers show it: the vectors of each embedder, and unchanged the entries under names that are no
 * embedder's.
 */
export function vectorsJson(json: Uint8Array, vectors: readonly DocumentVectors[], embedders: Embedders): string {
  const members: string[] = [];
  const value = memberNamed(json, '_vectors');
  if (value) {
    for (const { name, from, to } of memberBounds(json, value.from)) {
      if (!Object.hasOwn(embedders, name)) members.push(`${JSON.stringify(name)}:${readText(json, from, to)}`);
    }
  }
  for (const [name, { id }] of Object.entries(embedders)) {
    const found = vectors.find(({ embedder }) => embedder === id);
    const embeddings = found ? embeddingsJson(found) : '[]';
    members.push(`${JSON.stringify(name)}:{"embeddings":${embeddings},"regenerate":${found?.regenerate === true}}`);
  }
  return `{${members.join()}}`;
}

/** Whether segments store vectors; otherwise `_vectors` is an ordinary member of documents. */
export function hasEmbedders({ settings }: IndexView): boolean {
  return Object.keys(settings.embedders).length > 0;
}

/** The member `_vectors` of the document in a slot, for an index with embedders. */
export function vectorsMember(reader: IndexReader, slot: number, json: Uint8Array): string {
  return `"_vectors":${vectorsJson(json, vectorsOfDocument(reader, slot), reader.view.settings.embedders)}`;
}

function embeddingsJson({ values, dimensions }: DocumentVectors): string {
  const rows: string[] = [];
  for (let at = 0; at < values.length; at += dimensions) {
    const row: string[] = [];
    for (let index = at; index < at + dimensions; index++) row.push(floatText(values[index] as number));
    rows.push(`[${row.join()}]`);
  }
  return `[${rows.join()}]`;
}
