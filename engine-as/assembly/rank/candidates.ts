/** The documents that match a query. */
import { findWord } from '../derive/dictionary';
import { matchPhrase } from '../derive/phrases';
import { addDocumentsOf, copyOf, newBitmap, unionOf, unwritten } from '../derive/sources';
import { runsOfWords } from '../graph/fill-node';
import {
  Live,
  pathAt,
  pathCount,
  pathCreate,
  pathsCreate,
  pushNewPath,
  pushPath,
  setState,
  stateAt,
} from '../graph/interpretations';
import { Query, termAt, termCount, wordAt, wordCount } from '../graph/query';
import { groupOf, REQUIRED } from '../graph/removal';
import { documentsOf, nodeOf } from '../graph/state';
import { Search } from '../plan/search';
import { Buffer } from '../runtime/buffer';
import { bitmapAndNot, bitmapIntersect, bitmapOr } from '../sets/bitmap';

export function hasNegatives(query: Query): bool {
  return wordCount(query.negativeWords) + termCount(query.negativePhrases) > 0;
}

/** Removes the documents that contain an excluded word or phrase from a bitmap. */
export function excludeNegatives(search: Search, query: Query, documents: usize): void {
  const restricted = search.plan.restricted !== 0;
  for (let i: u32 = 0; i < wordCount(query.negativeWords); i++) {
    const word = wordAt(query.negativeWords, i);
    const containing = newBitmap(search);
    addDocumentsOf(search, findWord(search, word.text, word.length), containing, restricted, false);
    bitmapAndNot(documents, containing, search.bytes);
  }
  for (let i: u32 = 0; i < termCount(query.negativePhrases); i++) {
    const words = termAt(query.negativePhrases, i).words;
    const count = wordCount(words);
    const runs = runsOfWords(search, changetype<Buffer>(words).data, count);
    const matched = matchPhrase(search, runs, count, restricted, documents);
    if (matched !== 0) bitmapAndNot(documents, matched, search.bytes);
  }
}

/**
 * The documents of a bitmap that satisfy an interpretation without the nodes that may be dropped. A new bitmap, unless `universe` has all
 * documents: then it may be that of a node, which must not be written to.
 */
export function candidates(search: Search, live: Live, universe: usize): usize {
  const isAll = universe === search.live && !search.hasDeleted;
  let matching: usize = 0;
  let isShared = false;
  let narrowed: usize = 0;
  const reduced = reducedPaths(search, live);
  for (let i: u32 = 0; i < pathCount(reduced); i++) {
    const path = pathAt(reduced, i);
    let documents = universe;
    for (let k: u32 = 0; k < path.count && documents !== 0; k++) {
      const own = documentsOf(search, stateAt(path, k));
      if (own === 0 || (isAll && k === 0)) {
        documents = own;
        continue;
      }
      if (narrowed === 0) narrowed = unwritten(search);
      documents = bitmapIntersect(narrowed, documents, own, search.bytes) ? narrowed : 0;
    }
    if (documents === 0) continue;
    if (matching === 0) {
      matching = documents === universe ? copyOf(search, documents) : documents;
      isShared = documents !== narrowed && documents !== universe;
      if (documents === narrowed) narrowed = 0;
    } else if (isShared) {
      matching = unionOf(search, matching, documents);
      isShared = false;
    } else {
      bitmapOr(matching, documents, search.bytes);
    }
  }
  return matching !== 0 ? matching : newBitmap(search);
}

/** The interpretations without the nodes that may be dropped, each once. */
function reducedPaths(search: Search, live: Live): usize {
  const reduced = pathsCreate();
  const kept = pathCreate();
  for (let i: u32 = 0; i < pathCount(live.paths); i++) {
    const path = pathAt(live.paths, i);
    if (search.groups === 0) {
      pushPath(reduced, path);
      continue;
    }
    kept.count = 0;
    for (let k: u32 = 0; k < path.count; k++) {
      const state = stateAt(path, k);
      if (groupOf(search, nodeOf(search, state).id) === REQUIRED) setState(kept, kept.count++, state);
    }
    pushNewPath(reduced, kept);
  }
  return reduced;
}
