import type { IndexReader } from '../engine/segments.js';
import { addDocumentsInState, addDocumentsWithOrdinal } from '../engine/vector-sets.js';
import type { EmbedderSettings } from '../index-types.js';
import { own } from '../own.js';
import type { VectorPath } from './filter-ast.js';

/** Adds the documents selected by a `_vectors…` condition to a bitmap over the slots of the reader, including deleted ones. */
export function selectVectors(reader: IndexReader, { embedder: name, detail }: VectorPath, bitmap: number): void {
  const { embedders } = reader.view.settings;
  if (name === null) {
    for (const { id } of Object.values(embedders)) addDocumentsInState(reader, id ?? 0, 'embedded', bitmap);
    return;
  }
  const embedder = own(embedders, name) as EmbedderSettings;
  const id = embedder.id ?? 0;
  if (typeof detail === 'object') {
    const number = own(fragmentsOf(embedder), detail.fragment);
    if (number !== undefined) addDocumentsWithOrdinal(reader, id, number, bitmap);
    leaveOut(reader, id, 'userProvided', bitmap);
    return;
  }
  switch (detail) {
    case 'any':
      addDocumentsInState(reader, id, 'embedded', bitmap);
      break;
    case 'userProvided':
      addDocumentsInState(reader, id, 'userProvided', bitmap);
      break;
    case 'regenerate':
      addDocumentsInState(reader, id, 'embedded', bitmap);
      keep(reader, id, 'regenerate', bitmap);
      break;
    case 'documentTemplate':
      if (Object.keys(fragmentsOf(embedder)).length > 0) break;
      addDocumentsInState(reader, id, 'embedded', bitmap);
      leaveOut(reader, id, 'userProvided', bitmap);
  }
}

/** Numbers of the fragments with which an embedder embeds documents. */
export function fragmentsOf({ fragmentIds, indexingEmbedder }: EmbedderSettings): Record<string, number> {
  return fragmentIds ?? indexingEmbedder?.fragmentIds ?? {};
}

function keep(reader: IndexReader, id: number, state: 'regenerate', bitmap: number): void {
  const inState = reader.newBitmap();
  addDocumentsInState(reader, id, state, inState);
  reader.instance.exports.bitmapAnd(bitmap, inState, reader.bitmapBytes);
}

function leaveOut(reader: IndexReader, id: number, state: 'userProvided', bitmap: number): void {
  const inState = reader.newBitmap();
  addDocumentsInState(reader, id, state, inState);
  reader.instance.exports.bitmapAndNot(bitmap, inState, reader.bitmapBytes);
}
