/** Reading which words directly follow frequent words, and in which documents. A drawing is in segment/layout.ts. */
import { FollowedWord, Follower, FollowersHeader } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { documentsInto } from './document-lists';

/** The list of the words that follow a term; 0: the term is not frequent, or the segment has no such section. */
export function findFollowed(view: SegmentView, term: u32): FollowedWord {
  if (view.followers === 0) return changetype<FollowedWord>(0);
  const header = changetype<FollowersHeader>(view.followers);
  const words = view.followers + header.wordsOffset;
  let low: u32 = 0;
  let high = header.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const word = changetype<FollowedWord>(words + <usize>middle * offsetof<FollowedWord>());
    if (word.term === term) return word;
    if (word.term < term) low = middle + 1;
    else high = middle;
  }
  return changetype<FollowedWord>(0);
}

function followerAt(view: SegmentView, word: FollowedWord, index: u32): Follower {
  return changetype<Follower>(view.followers + word.followersOffset + <usize>index * offsetof<Follower>());
}

/** Index of the first follower of a word that is not less than `term`. */
function firstFollower(view: SegmentView, word: FollowedWord, term: u32): u32 {
  let low: u32 = 0;
  let high = word.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (followerAt(view, word, middle).term < term) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Upper bound of the number of documents where a term directly follows a word: the bytes of their list. */
export function mostFollowed(view: SegmentView, word: FollowedWord, term: u32): u32 {
  const index = firstFollower(view, word, term);
  const follower = followerAt(view, word, index);
  return follower.term === term ? followerAt(view, word, index + 1).offset - follower.offset : 0;
}

/**
 * Counts the documents where a term of [from, to) directly follows a word, once for each such term, up to a limit, and adds them
 * to a bitmap over slots (0: none). `base`: first slot of the segment; `within`: bitmap over slots of the documents to consider,
 * 0: all.
 */
export function followersInto(
  view: SegmentView,
  word: FollowedWord,
  from: u32,
  to: u32,
  base: u32,
  within: usize,
  out: usize,
  limit: u32,
): u32 {
  const documents = view.followers + word.documentsOffset;
  let found: u32 = 0;
  for (let index = firstFollower(view, word, from); index < word.count; index++) {
    const follower = followerAt(view, word, index);
    if (follower.term >= to) break;
    const end = followerAt(view, word, index + 1).offset;
    found += documentsInto(documents + follower.offset, documents + end, base, within, out, limit - found);
    if (found === limit) break;
  }
  return found;
}
