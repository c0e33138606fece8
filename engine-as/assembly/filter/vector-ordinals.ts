/** The ordinals of an embedder's vectors: positions in their documents, or numbers of fragments. */

import { OrdinalDocuments, OrdinalLists } from '../plan/ordinal-lists';
import { Segments } from '../plan/segments';
import { REQUEST_ORDINALS, RemoteRequest, requestFor, sendRequest } from '../remote/request';
import { alloc, allocZeroed } from '../runtime/arena';
import { bufferPushBytes } from '../runtime/buffer';
import { VectorsHeader, vectorOrdinal, vectorsOf } from '../vector/layout';
import { ANY_ORDINAL } from '../vector/scan';
import { selectDocuments } from './evaluate';
import { FILTER_ORDINAL, FilterNode, FilterPlan } from './plan';

/** Ordinals are stored as bytes. */
const ORDINALS: u32 = 256;

/** What the segments say together; also the answer to REQUEST_ORDINALS. */
@unmanaged
class OrdinalsInUse {
  /** some document has several vectors */
  isSeveral: u32;
  // u8[ORDINALS]: 1 where some vector has the ordinal; deleted documents count too
}

function createOrdinals(): OrdinalsInUse {
  return changetype<OrdinalsInUse>(allocZeroed(offsetof<OrdinalsInUse>() + ORDINALS));
}

function isUsed(ordinals: OrdinalsInUse, ordinal: u32): bool {
  return load<u8>(changetype<usize>(ordinals) + offsetof<OrdinalsInUse>() + ordinal) !== 0;
}

function use(ordinals: OrdinalsInUse, ordinal: u32): void {
  store<u8>(changetype<usize>(ordinals) + offsetof<OrdinalsInUse>() + ordinal, 1);
}

/** Adds the ordinals of one segment in this memory. */
function addOrdinals(view: usize, embedder: u32, ordinals: OrdinalsInUse): void {
  const header = vectorsOf(view, embedder);
  if (header === 0) return;
  const vectors = changetype<VectorsHeader>(header);
  if (vectors.vectorCount > vectors.embeddedCount) ordinals.isSeveral = 1;
  if (vectors.ordinalsOffset === 0) use(ordinals, 0);
  else for (let vector: u32 = 0; vector < vectors.vectorCount; vector++) use(ordinals, vectorOrdinal(header, vector));
}

/** Answers REQUEST_ORDINALS: OrdinalsInUse, appended to a Buffer. */
export function answerOrdinals(request: RemoteRequest, out: usize): void {
  const ordinals = createOrdinals();
  addOrdinals(request.view, request.from, ordinals);
  bufferPushBytes(out, changetype<usize>(ordinals), offsetof<OrdinalsInUse>() + ORDINALS);
}

function ordinalsInUse(segments: Segments, embedder: u32): OrdinalsInUse {
  const ordinals = createOrdinals();
  for (let number: u32 = 0; number < segments.count; number++) {
    const segment = segments.at(number);
    if (segment.isHere) {
      addOrdinals(changetype<usize>(segment.view), embedder, ordinals);
      continue;
    }
    const request = requestFor(segment, REQUEST_ORDINALS, 0);
    request.from = embedder;
    const theirs = changetype<OrdinalsInUse>(sendRequest(number, request));
    if (theirs.isSeveral) ordinals.isSeveral = 1;
    for (let ordinal: u32 = 0; ordinal < ORDINALS; ordinal++) if (isUsed(theirs, ordinal)) use(ordinals, ordinal);
  }
  return ordinals;
}

/**
 * The documents with vectors of each ordinal; a single list of ANY_ORDINAL without a bitmap where no document has several vectors.
 * @param bytes of a bitmap over slots
 */
export function ordinalLists(segments: Segments, bytes: u32, embedder: u32): OrdinalLists {
  const lists = changetype<OrdinalLists>(alloc(offsetof<OrdinalLists>()));
  const ordinals = ordinalsInUse(segments, embedder);
  lists.count = 0;
  lists.list = alloc((ordinals.isSeveral ? <usize>ORDINALS : 1) * offsetof<OrdinalDocuments>());
  if (!ordinals.isSeveral) {
    add(lists, ANY_ORDINAL, 0);
    return lists;
  }
  for (let ordinal: u32 = 0; ordinal < ORDINALS; ordinal++) {
    if (isUsed(ordinals, ordinal)) add(lists, ordinal, selectDocuments(segments, bytes, filterOf(embedder, ordinal)));
  }
  return lists;
}

function add(lists: OrdinalLists, ordinal: u32, documents: usize): void {
  const entry = lists.at(lists.count++);
  entry.ordinal = ordinal;
  entry.documents = documents;
}

/** The filter for documents with a vector of an ordinal. */
function filterOf(embedder: u32, ordinal: u32): FilterPlan {
  const plan = changetype<FilterPlan>(allocZeroed(offsetof<FilterPlan>() + offsetof<FilterNode>()));
  plan.deadline = Infinity;
  plan.bytes = <u32>(offsetof<FilterPlan>() + offsetof<FilterNode>());
  plan.nodes = <u32>offsetof<FilterPlan>();
  plan.operands = plan.bytes;
  const node = changetype<FilterNode>(plan.address(plan.nodes));
  node.kind = FILTER_ORDINAL;
  node.field = embedder;
  node.first = ordinal;
  return plan;
}
