import t from 'tap';
import { cropWindow, HARD, SOFT, type TextMatch, type TextTokens, WORD } from '../format/crop.js';
import type { MatchTerms } from '../format/match-terms.js';
import { formattedText, hit, termsOf, viewOf } from './hit-case.js';
import { seededRandom } from './random.js';

const T =
  'Quiet mornings suit long rides. The red bicycle waits by the old stone bridge, polished and ready. Nobody else is awake yet.';
const BOATS =
  'Early boats leave the harbour quietly. A grey heron watches from the rusty crane beside the fish market, patient and still. Later the gulls arrive.';
const FRUIT = 'apple pear apple plum apple fig. apple grape pear plum fig quince melon pear apple';
const KITES = 'blue kite red kite green kite and a red balloon over the bay';
const MARKUP = '<p> The <b> quick </b> fox </p> <p> jumps over the <i> lazy </i> dog near the old river bank </p>';
const PHRASES =
  'The groundbreaking invention had the power to split the world between those who feared it and those who wanted it.';

function cropped(text: string, terms: Partial<MatchTerms>, length: number, highlight: boolean): string {
  const attributesToHighlight = highlight ? ['t'] : [];
  return formattedText(text, terms, { attributesToCrop: ['t'], cropLength: length, attributesToHighlight });
}

t.test('windows with highlights', async (t) => {
  const cases: [text: string, q: string, length: number, expected: string][] = [
    [T, 'bicycle bridge', 1, '…[bicycle]…'],
    [T, 'bicycle bridge', 2, '…red [bicycle]…'],
    [T, 'bicycle bridge', 4, '…The red [bicycle] waits…'],
    [T, 'bicycle bridge', 6, '…The red [bicycle] waits by the…'],
    [T, 'bicycle bridge', 8, '…red [bicycle] waits by the old stone [bridge]…'],
    [T, 'bicycle bridge', 10, '…rides. The red [bicycle] waits by the old stone [bridge]…'],
    [T, 'bicycle bridge', 12, '…long rides. The red [bicycle] waits by the old stone [bridge], polished…'],
    [T, 'zebra', 6, 'Quiet mornings suit long rides. The…'],
    [T, 'nob', 5, '…[Nob]ody else is awake yet…'],
    [T, 'quiet', 3, '[Quiet] mornings suit…'],
    ['One two. Three four five, six seven eight nine.', 'four', 3, '…Three [four] five…'],
    ['One two. Three four five, six seven eight nine.', 'five', 3, '…Three four [five]…'],
    ['One two. Three four five, six seven eight nine.', 'six', 4, '…[six] seven eight nine…'],
    ['One two. Three four five, six seven eight nine.', 'six', 5, '…five, [six] seven eight nine.'],
    ['One two. Three four five, six seven eight nine.', 'three', 5, '…two. [Three] four five, six…'],
    [KITES, 'red balloon', 2, '…[red] [balloon]…'],
    [KITES, 'red balloon', 4, '…a [red] [balloon] over…'],
    ['by the fish market', '"fish market"', 1, '…[fish]…'],
    [PHRASES, '"power to split the world between"', 6, '…[power to split the world between]…'],
    [PHRASES, '"power to split the world between"', 4, '…[power to split the]…'],
    [
      PHRASES,
      '"groundbreaking invention" "split the world between"',
      10,
      '…[groundbreaking invention] had the power to [split the world between]…',
    ],
    ['Wait! What? Stop; go on. Then rest, or walk. End', 'stop', 3, '… What? [Stop]; go…'],
    ['Wait! What? Stop; go on. Then rest, or walk. End', 'what', 3, 'Wait! [What]? Stop…'],
    [MARKUP, 'quick', 3, '…<b> [quick] <…'],
    [MARKUP, 'quick', 5, '…The <b> [quick] </b>…'],
    [MARKUP, 'lazy', 4, '…the <i> [lazy] <…'],
    [BOATS, 'crane', 10, '…heron watches from the rusty [crane] beside the fish market…'],
    [BOATS, 'boats', 10, 'Early [boats] leave the harbour quietly. A grey heron watches…'],
    [BOATS, 'gulls', 10, '…the fish market, patient and still. Later the [gulls] arrive.'],
    [BOATS, 'heron market', 1, '…[heron]…'],
    [BOATS, 'heron market', 6, '…A grey [heron] watches from the…'],
    [BOATS, 'boats heron gulls', 8, '…[boats] leave the harbour quietly. A grey [heron]…'],
    [FRUIT, 'apple fig', 2, '…[apple] [fig]…'],
    [FRUIT, 'apple fig', 3, '…[apple] [fig]. [apple]…'],
    [FRUIT, 'pear apple', 2, '…[pear] [apple]…'],
    [FRUIT, 'pear apple', 3, '…melon [pear] [apple]'],
    [FRUIT, 'apple pear', 2, '[apple] [pear]…'],
    [FRUIT, 'apple pear', 3, '…melon [pear] [apple]'],
    [FRUIT, 'plum fig quince', 4, '…pear [plum] [fig] [quince]…'],
    ['fox 🦊 fox 🦊🦊 and 狐 with émigré naïve needle 🦊 end of story here', 'needle', 3, '…naïve [needle] 🦊…'],
    ['fox 🦊 fox 🦊🦊 and 狐 with émigré naïve needle 🦊 end of story here', 'emigre', 4, '…狐 with [émigré] naïve…'],
    ['first line\nsecond line\nthird lamp line\nfourth line', 'lamp', 5, '…line\nthird [lamp] line\nfourth…'],
    ['(needle) "quoted" [bracket] and more', 'needle', 2, '([needle]) "quoted…'],
    ['short text', 'short', 1, '[short]…'],
    ['short text', 'text', 2, 'short [text]'],
    ['One two.', 'two', 2, 'One [two]…'],
    ['One two.', 'two', 3, 'One [two].'],
  ];
  for (const [text, q, length, expected] of cases) {
    // brackets of the texts themselves are told apart from those that stand for the tags
    const tagged = expected.replace(/\[(?!bracket)/g, '<em>').replace(/(?<!\[bracket)\]/g, '</em>');
    t.equal(cropped(text, termsOf(q), length, true), tagged, `${q}, ${length}`);
  }
});

t.test('windows without highlights', async (t) => {
  const cases: [text: string, q: string, length: number, expected: string][] = [
    ['void void split the world void void.', 'split the world', 2, '…split the…'],
    ['void void split the world void void.', 'split the world', 1, '…split…'],
    ['void void split the world void void.', 'split the world', 0, 'void void split the world void void.'],
    ['', 'a', 3, ''],
    [' ... -- !? ', 'a', 3, ' ... -- !? '],
    ['  leading spaces and a needle', '', 3, '  leading spaces and…'],
    [BOATS, '', 4, 'Early boats leave the…'],
  ];
  for (const [text, q, length, expected] of cases) t.equal(cropped(text, termsOf(q), length, false), expected, `${q}, ${length}`);
  t.equal(
    cropped(BOATS, { ...termsOf('gulls'), stopWords: ['the'] }, 2, true),
    '…<em>the</em> <em>gulls</em>…',
    'stop words choose no window',
  );
});

t.test('which fields are cropped, and how long', async (t) => {
  const text = 'one two three four five six';
  const document = { t: text, o: { a: text, b: { c: text } }, l: [text, [text], 1234567890], 'a:b': text };
  const view = viewOf(['t', 'o', 'o.a', 'o.b', 'o.b.c', 'l', 'a:b']);
  const words = (length: number) => `${text.split(' ').slice(0, length).join(' ')}…`;
  const formatted = (attributesToCrop: string[], more: object = {}) =>
    hit(view, document, { attributesToRetrieve: [], attributesToCrop, ...more })._formatted;
  const cases: [string[], object, unknown][] = [
    [['t'], { cropLength: 4 }, { t: words(4) }],
    [['t:3'], {}, { t: words(3) }],
    [['t:xyz'], { cropLength: 4 }, { t: words(4) }],
    [['t:'], { cropLength: 4 }, { t: words(4) }],
    [['t:-3'], { cropLength: 4 }, { t: words(4) }],
    [['t:2.5'], { cropLength: 4 }, { t: words(4) }],
    [['t:0'], {}, { t: text }],
    [['t:3', 't:5'], {}, { t: words(5) }],
    [['t:5', 't:3'], {}, { t: words(3) }],
    [['t:3', 't'], { cropLength: 4 }, { t: words(4) }],
    [['a:b:2'], {}, { 'a:b': words(2) }],
    [['a:b'], {}, undefined],
    [['o'], { cropLength: 2 }, { o: { a: words(2), b: { c: words(2) } } }],
    [['o.b'], { cropLength: 2 }, { o: { b: { c: words(2) } } }],
    [['o.a:2', 'o.b.c:4'], {}, { o: { a: words(2), b: { c: words(4) } } }],
    [['o.a:2', 'o:3'], {}, { o: { a: words(3), b: { c: words(3) } } }],
    [['l:2'], {}, { l: [words(2), [words(2)], '1234567890'] }],
    [['*'], {}, undefined],
    [['*:2'], { attributesToRetrieve: ['t', 'o.a'] }, { t: words(2), o: { a: words(2) } }],
    [['*:2', 't:3'], { attributesToRetrieve: ['t', 'o.a'] }, { t: words(3), o: { a: words(2) } }],
    [['t:3', '*:2'], { attributesToRetrieve: ['t', 'o.a'] }, { t: words(2), o: { a: words(2) } }],
    [['o.a:3'], { attributesToHighlight: ['o'] }, { o: { a: words(3), b: { c: text } } }],
  ];
  for (const [entries, more, expected] of cases) t.same(formatted(entries, more), expected, JSON.stringify([entries, more]));
  t.same(formatted(['t:3'], { cropMarker: null }), { t: 'one two three' });
  t.same(formatted(['t:3'], { cropMarker: ' "more" ' }), { t: 'one two three "more" ' });
});

/** The same window, by trying every run and taking tokens from lists. */
function naiveWindow(tokens: TextTokens, textLength: number, matches: readonly TextMatch[], length: number): [number, number] {
  const span = (run: readonly TextMatch[]) => (run.at(-1)?.lastWord ?? 0) - (run[0]?.firstWord ?? 0) + 1;
  const score = (run: readonly TextMatch[]) => {
    const gaps = run.slice(1).map((match, i) => Math.min(7, match.firstWord - (run[i] as TextMatch).lastWord));
    const inner = run.reduce((sum, match) => sum + match.lastWord - match.firstWord, 0);
    const rising = run.slice(1).filter((match, i) => Math.min(...match.ids) > Math.min(...(run[i] as TextMatch).ids)).length;
    return [new Set(run.flatMap(({ ids }) => ids)).size, -gaps.reduce((a, b) => a + b, 0) - inner, rising + inner];
  };
  const isMore = (a: number[], b: number[]) => {
    const at = a.findIndex((value, i) => value !== b[i]);
    return at >= 0 && (a[at] as number) > (b[at] as number);
  };
  // maximal runs that fit: each longest one by its end, in order
  const runs: TextMatch[][] = [];
  for (let end = 0; end < matches.length; end++) {
    let start = 0;
    while (start <= end && span(matches.slice(start, end + 1)) > length) start++;
    const next = matches[end + 1];
    const extended = next && span([matches[start] as TextMatch, next]) <= length;
    // the last match alone is no run when it fills the window
    const filling = start === matches.length - 1 && span(matches.slice(start)) >= length;
    if (start <= end && !extended && !filling) runs.push(matches.slice(start, end + 1));
  }
  let best = matches.slice(0, 1);
  let found = false;
  for (const run of runs) {
    if (!found || isMore(score(run), score(best))) best = run;
    found = true;
  }
  const before: number[] = [];
  const after: number[] = [];
  const from = best[0]?.firstToken ?? 0;
  const to = best.at(-1)?.lastToken ?? -1;
  for (let token = from - 1; token >= 0; token--) before.push(token);
  for (let token = to + 1; token < tokens.count; token++) after.push(token);
  const kind = (token: number | undefined) => (token === undefined ? -1 : (tokens.kinds[token] as number));
  let words = length - (best.length > 0 ? span(best) : 0);
  if (words < 0) {
    const wordTokens = [...tokens.kinds.keys()].filter((token) => token >= from && kind(token) === WORD);
    const last = wordTokens[length - 1] as number;
    return [before.length > 0 ? (tokens.ends[from - 1] as number) : 0, tokens.ends[last] as number];
  }
  const take = (side: number[]) => {
    if (kind(side.shift()) === WORD) words--;
  };
  while (words > 0 && before.length + after.length > 0) {
    const left = kind(before[0]);
    const right = kind(after[0]);
    if (left < 0) take(after);
    else if (right < 0) take(before);
    else if (left === WORD && right === WORD) {
      take(before);
      if (words > 0) take(after);
    } else if (left === WORD || (left === SOFT && right === HARD)) take(before);
    else if (right === WORD || (left === HARD && right === SOFT)) take(after);
    else {
      take(before);
      if (words > 1) take(after);
    }
  }
  return [
    before[0] === undefined ? 0 : (tokens.ends[before[0]] as number),
    after[0] === undefined ? textLength : (tokens.starts[after[0]] as number),
  ];
}

t.test('windows against a naive twin', async (t) => {
  const seed = 20240131;
  const random = seededRandom(seed);
  let cases = 0;
  for (let round = 0; round < 4000; round++) {
    const count = random.int(30);
    const tokens = { count, kinds: new Uint8Array(count), starts: new Uint32Array(count), ends: new Uint32Array(count) };
    const words: number[] = [];
    let at = 0;
    for (let token = 0; token < count; token++) {
      tokens.kinds[token] = random.pick([WORD, WORD, SOFT, HARD]);
      if (tokens.kinds[token] === WORD) words.push(token);
      tokens.starts[token] = at;
      at += 1 + random.int(3);
      tokens.ends[token] = at;
    }
    const matches: TextMatch[] = [];
    for (let word = 0; word < words.length; word++) {
      if (random.int(3) > 0) continue;
      const lastWord = Math.min(words.length - 1, word + (random.int(4) === 0 ? random.int(4) : 0));
      const first = random.int(4);
      const ids = Array.from({ length: lastWord - word + 1 }, (_, i) => first + i);
      matches.push({ firstToken: words[word]!, lastToken: words[lastWord]!, firstWord: word, lastWord, ids });
      word = lastWord;
    }
    const length = 1 + random.int(8);
    const { from, to } = cropWindow(tokens, at, matches, length);
    const expected = naiveWindow(tokens, at, matches, length);
    if (from !== expected[0] || to !== expected[1]) {
      t.same(
        { from, to },
        expected,
        `seed ${seed}, round ${round}: ${JSON.stringify({ matches, length, kinds: [...tokens.kinds] })}`,
      );
      return;
    }
    cases++;
  }
  t.equal(cases, 4000);
});
