/** The occurrences of query words in the documents of a bucket, read on first use. */

import { memoAdd, memoFind, UNKNOWN } from '../cache/memo';
import { MEMO_EXPECTED, MEMO_OCCURRENCES } from '../cache/result-kinds';
import { Context, contextCreate, contextOfMembers } from '../costs/context';
import { occurrencesOf, readOccurrences, WantedOccurrences } from '../costs/occurrences';
import { sourceCount, sourcesAt, sourcesOf } from '../derive/sources';
import { hasDerivations } from '../graph/node';
import { nodeOf } from '../graph/state';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { Buffer, bufferPush32 } from '../runtime/buffer';
import { Bucket } from './bucket';
import { hasPhrases, ROLE_BACKWARD, ROLE_WORDS, roleSources } from './roles';

/** A new context is created when a bucket is smaller, by this factor, than the one whose occurrences were read. */
export const MUCH_SMALLER: u32 = 8;

export function newContext(search: Search, bitmap: usize, count: u32): Context {
  const numbering = search.numbering;
  if (changetype<usize>(numbering) === 0) return changetype<Context>(contextCreate(bitmap, search.bytes, count));
  return contextOfMembers(bitmap, search.bytes, count, numbering.slots, numbering.within);
}

/** Reuses the occurrences read for a larger bucket, unless the bucket is much smaller ({@link MUCH_SMALLER}). */
export function contextOfBucket(search: Search, bucket: Bucket): Context {
  const context = bucket.context;
  if (changetype<usize>(context) !== 0 && bucket.count * MUCH_SMALLER >= context.count) return context;
  return newContext(search, bucket.bitmap, bucket.count);
}

/** The role in which the words of a state are read: without phrases most roles read the same words. */
function sharedRole(search: Search, state: u32, role: u32): u32 {
  const node = nodeOf(search, state);
  const isOwn = role === ROLE_BACKWARD && hasDerivations(node) && node.derivations.prefixIndexed;
  return !isOwn && !hasPhrases(search, state, role) ? ROLE_WORDS : role;
}

/** Occurrences of the words of a state in a role; 0: none. */
export function occurrencesIn(search: Search, context: Context, state: u32, role: u32): usize {
  const shared = sharedRole(search, state, role);
  const known = memoFind(search.memo, MEMO_OCCURRENCES, changetype<usize>(context), state, shared);
  if (known !== UNKNOWN) return known;
  const occurrences = read(context, roleSources(search, state, shared));
  return memoAdd(search.memo, MEMO_OCCURRENCES, changetype<usize>(context), state, shared, occurrences);
}

/** The same, UNKNOWN if they have not been read. */
export function knownOccurrences(search: Search, context: Context, state: u32, role: u32): usize {
  return memoFind(search.memo, MEMO_OCCURRENCES, changetype<usize>(context), state, sharedRole(search, state, role));
}

/** The words of a state in a role that are read together with others. */
@unmanaged
class StateOccurrences extends WantedOccurrences {
  state: u32;
  role: u32;
}

function together(list: usize, index: u32): StateOccurrences {
  return changetype<StateOccurrences>(<usize>load<u32>(changetype<Buffer>(list).data + ((<usize>index) << 2)));
}

/**
 * Adds the words of a state in a role to a list for {@link readTogether} (Buffer of u32), unless they have been read. `isStreamed`: they may
 * also be compared with others as they are read.
 */
export function pushTogether(search: Search, context: Context, state: u32, role: u32, isStreamed: bool, list: usize): void {
  const shared = sharedRole(search, state, role);
  if (memoFind(search.memo, MEMO_OCCURRENCES, changetype<usize>(context), state, shared) !== UNKNOWN) return;
  const count = <u32>(changetype<Buffer>(list).length >> 2);
  for (let i: u32 = 0; i < count; i++) {
    const known = together(list, i);
    if (known.state !== state || known.role !== shared) continue;
    known.isStreamed = known.isStreamed && isStreamed;
    return;
  }
  const sources = roleSources(search, state, shared);
  if (sourceCount(sources) === 0) return;
  const wanted = changetype<StateOccurrences>(alloc(offsetof<StateOccurrences>()));
  wanted.sources = sourcesAt(sources);
  wanted.sourceCount = sourceCount(sources);
  wanted.state = state;
  wanted.role = shared;
  wanted.isStreamed = isStreamed;
  bufferPush32(list, <u32>changetype<usize>(wanted));
}

/** Reads the occurrences of the words of a list, each document once: {@link occurrencesIn} finds them afterwards. */
export function readTogether(search: Search, context: Context, list: usize): void {
  const count = <u32>(changetype<Buffer>(list).length >> 2);
  readOccurrences(changetype<usize>(context), changetype<Buffer>(list).data, count);
  for (let i: u32 = 0; i < count; i++) {
    const read = together(list, i);
    if (changetype<usize>(read.occurrences) === 0) continue;
    const owner = changetype<usize>(context);
    memoAdd(search.memo, MEMO_OCCURRENCES, owner, read.state, read.role, changetype<usize>(read.occurrences));
  }
}

/** Occurrences of one word, identified by its node and its place in the phrase; 0: none. */
export function occurrencesOfWord(search: Search, context: Context, runs: usize, node: u32, place: u32): usize {
  const known = memoFind(search.memo, MEMO_EXPECTED, changetype<usize>(context), node, place);
  if (known !== UNKNOWN) return known;
  const occurrences = read(context, sourcesOf(search, runs));
  return memoAdd(search.memo, MEMO_EXPECTED, changetype<usize>(context), node, place, occurrences);
}

function read(context: Context, sources: usize): usize {
  const count = sourceCount(sources);
  return count === 0 ? 0 : occurrencesOf(changetype<usize>(context), sourcesAt(sources), count);
}
