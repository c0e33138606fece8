/**
 * Lays sorted distinct words out as the trie that engine-as/assembly/text/word-list.ts walks through:
 *
 *   | u32 firstChild[nodes + 1] | u16 labels[nodes] | u16 words[nodes] |
 *
 * The nodes are in level order (breadth first) over UTF-16 units: the children of node n are firstChild[n] … firstChild[n + 1] - 1, sorted
 * by label. words[n] is 0 if no word ends there, otherwise the result of `numberOf` (1 … 65535).
 */
export function packTrie(words, numberOf) {
  // a node is the range of words that share its prefix
  const labels = [0];
  const ends = [0];
  const firstChild = [];
  let level = [{ from: 0, to: words.length, depth: 0 }];
  while (level.length > 0) {
    const next = [];
    for (const { from, to, depth } of level) {
      firstChild.push(labels.length);
      for (let at = from; at < to; ) {
        if (words[at].length === depth) {
          at++;
          continue;
        }
        const label = words[at].charCodeAt(depth);
        let end = at;
        while (end < to && words[end].charCodeAt(depth) === label) end++;
        labels.push(label);
        ends.push(words[at].length === depth + 1 ? numberOf(words[at]) : 0);
        next.push({ from: at, to: end, depth: depth + 1 });
        at = end;
      }
    }
    level = next;
  }
  firstChild.push(labels.length);
  return { nodes: labels.length, parts: [Uint32Array.from(firstChild), Uint16Array.from(labels), Uint16Array.from(ends)] };
}

/** Words in the order that {@link packTrie} needs: by UTF-16 units. */
export const sorted = (words) => [...words].sort((a, b) => (a < b ? -1 : 1));
