/** The trie of a list of words (engine-as/tools/trie.mjs), read into a map: word -> number, and where in the file it ends. */
export function readTrie(bytes: Uint8Array): { words: Map<string, number>; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nodes = view.getUint32(8, true);
  const scores = view.getUint32(12, true);
  const firstChild = 16 + scores * 8;
  const labels = firstChild + (nodes + 1) * 4;
  const ends = labels + nodes * 2;
  const words = new Map<string, number>();
  const texts: string[] = [''];
  for (let node = 0; node < nodes; node++) {
    const text = texts[node] ?? '';
    for (
      let child = view.getUint32(firstChild + node * 4, true);
      child < view.getUint32(firstChild + node * 4 + 4, true);
      child++
    ) {
      texts[child] = text + String.fromCharCode(view.getUint16(labels + child * 2, true));
    }
    const end = view.getUint16(ends + node * 2, true);
    if (end > 0) words.set(text, end);
  }
  return { words, end: ends + nodes * 2 };
}

/** A list of words as engine-as/tools/build-word-list.mjs packs it, read into a map: word -> score (0 where there are no frequencies). */
export function readWordList(bytes: Uint8Array): Map<string, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const scores = view.getUint32(12, true);
  const scoreOf = (number: number) => (scores === 0 ? 0 : view.getFloat64(16 + (number - 1) * 8, true));
  return new Map([...readTrie(bytes).words].map(([word, number]) => [word, scoreOf(number)]));
}

/** The longest word at each position. Without one: a single character, or, in compounds, everything up to the next word. */
export function greedy(words: Map<string, number>, text: string, compounds: boolean): string[] {
  const longest = (rest: string) => {
    let found = '';
    for (let length = 1; length <= Math.min(rest.length, 60); length++) {
      if (words.has(rest.slice(0, length))) found = rest.slice(0, length);
    }
    return found;
  };
  const parts: string[] = [];
  let open = false;
  for (let at = 0; at < text.length; ) {
    const word = longest(text.slice(at));
    const taken = word === '' ? String.fromCodePoint(text.codePointAt(at) ?? 0) : word;
    if (compounds && word === '' && open) parts[parts.length - 1] += taken;
    else parts.push(taken);
    open = word === '';
    at += taken.length;
  }
  return parts;
}

/** Chinese text without ASCII: the most probable words; those of more than two characters are divided further. */
export function chinese(words: Map<string, number>, text: string): string[] {
  const characters = [...text];
  const best = new Array<number>(characters.length + 1).fill(0);
  const next = new Array<number>(characters.length).fill(0);
  for (let from = characters.length - 1; from >= 0; from--) {
    let score = Number.NEGATIVE_INFINITY;
    for (let to = from + 1; to <= Math.min(characters.length, from + 20); to++) {
      const word = words.get(characters.slice(from, to).join(''));
      if (word === undefined || word + (best[to] ?? 0) < score) continue;
      score = word + (best[to] ?? 0);
      next[from] = to;
    }
    if (next[from] === 0) {
      next[from] = from + 1;
      // there is no other way on from here: any score does
      score = best[from + 1] ?? 0;
    }
    best[from] = score;
  }
  const parts: string[] = [];
  for (let from = 0; from < characters.length; from = next[from] ?? characters.length) {
    const word = characters.slice(from, next[from]);
    for (let at = 0; at < word.length; ) {
      const length =
        word.length <= 2
          ? word.length
          : ([2, 3].find((n) => words.has(word.slice(at, at + n).join('')) && at + n <= word.length) ?? 1);
      parts.push(word.slice(at, at + length).join(''));
      at += length;
    }
  }
  return parts;
}
