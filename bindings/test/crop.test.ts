import t from 'tap';
import type { Token } from '../engine/tokenizer.js';
import { formattedText, hit, termsOf, viewOf } from './hit-case.js';
import type { MatchTerms } from './match-terms.js';
import { type NaiveMatch, naiveMatches } from './naive-matches.js';
import { seededRandom } from './random.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

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

t.test('cropped texts with highlights', async (t) => {
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
    // Brackets in the texts are distinguished from those that represent the tags.
    const tagged = expected.replace(/\[(?!bracket)/g, '<em>').replace(/(?<!\[bracket)\]/g, '</em>');
    t.equal(cropped(text, termsOf(q), length, true), tagged, `${q}, ${length}`);
  }
});

t.test('cropped texts without highlights', async (t) => {
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

t.test('which fields are cropped, and to which length', async (t) => {
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
function naiveWindow(tokens: readonly Token[], matches: readonly NaiveMatch[], length: number): [from: number, to: number] {
  const span = (run: readonly NaiveMatch[]) => (run.at(-1)?.lastWord ?? 0) - (run[0]?.firstWord ?? 0) + 1;
  const score = (run: readonly NaiveMatch[]) => {
    const gaps = run.slice(1).map((match, i) => Math.min(7, match.firstWord - (run[i] as NaiveMatch).lastWord));
    const inner = run.reduce((sum, match) => sum + match.lastWord - match.firstWord, 0);
    const rising = run
      .slice(1)
      .filter((match, i) => Math.min(...match.positions) > Math.min(...(run[i] as NaiveMatch).positions)).length;
    return [new Set(run.flatMap(({ positions }) => positions)).size, -gaps.reduce((a, b) => a + b, 0) - inner, rising + inner];
  };
  const isMore = (a: number[], b: number[]) => {
    const at = a.findIndex((value, i) => value !== b[i]);
    return at >= 0 && (a[at] as number) > (b[at] as number);
  };
  // maximal runs that fit: each longest one by its end, in order
  const runs: NaiveMatch[][] = [];
  for (let end = 0; end < matches.length; end++) {
    let start = 0;
    while (start <= end && span(matches.slice(start, end + 1)) > length) start++;
    const next = matches[end + 1];
    const extended = next && span([matches[start] as NaiveMatch, next]) <= length;
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
  for (let token = to + 1; token < tokens.length; token++) after.push(token);
  const kind = (token: number | undefined) => (token === undefined ? null : tokens[token]?.kind);
  let words = length - (best.length > 0 ? span(best) : 0);
  if (words < 0) {
    const wordTokens = [...tokens.keys()].filter((token) => token >= from && kind(token) === 'word');
    const last = wordTokens[length - 1] as number;
    return [before.length > 0 ? (tokens[from - 1] as Token).end : 0, (tokens[last] as Token).end];
  }
  const take = (side: number[]) => {
    if (kind(side.shift()) === 'word') words--;
  };
  while (words > 0 && before.length + after.length > 0) {
    const left = kind(before[0]);
    const right = kind(after[0]);
    if (left === null) take(after);
    else if (right === null) take(before);
    else if (left === 'word' && right === 'word') {
      take(before);
      if (words > 0) take(after);
    } else if (left === 'word' || (left === 'soft' && right === 'hard')) take(before);
    else if (right === 'word' || (left === 'hard' && right === 'soft')) take(after);
    else {
      take(before);
      if (words > 1) take(after);
    }
  }
  return [
    before[0] === undefined ? 0 : (tokens[before[0]] as Token).end,
    after[0] === undefined ? (tokens.at(-1)?.end ?? 0) : (tokens[after[0]] as Token).start,
  ];
}

/** The cropped and highlighted text. */
function naiveCrop(text: string, terms: MatchTerms, length: number): string {
  const bytes = encoder.encode(text);
  const { tokens, matches } = naiveMatches(text, terms);
  const long = tokens.filter(({ kind }) => kind === 'word').length >= length;
  const choosing = matches.filter(({ positions }) => positions.length > 0);
  const [from, to] = long ? naiveWindow(tokens, choosing, length) : [0, bytes.length];
  const part = (start: number, end: number) => decoder.decode(bytes.subarray(start, end));
  let shown = from > 0 ? '…' : '';
  let at = from;
  for (const match of matches) {
    const [start, end] = [Math.max(match.from, from), Math.min(match.to, to)];
    if (start >= end) continue;
    shown += `${part(at, start)}<em>${part(start, end)}</em>`;
    at = end;
  }
  return shown + part(at, to) + (to < bytes.length ? '…' : '');
}

t.test('crops of random texts agree with a naive implementation', async (t) => {
  const seed = 20240131;
  const random = seededRandom(seed);
  const words = ['a', 'b', 'c', 'd', 'x', 'y', 'z', 'é', '語'];
  const separators = [' ', ' ', ' ', '. ', ', ', '-', ' - ', '! ', '; ', '..', '\n'];
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: random.int(most + 1) }, make);
  for (let round = 0; round < 4000; round++) {
    const body = some(20, () => random.pick(words) + random.pick(separators)).join('');
    const text = random.pick(['', '', ' ', '- ']) + body + random.pick(['', ...words]);
    let position = 0;
    const terms: MatchTerms = {
      words: some(3, () => ({ text: random.pick(words), prefix: false, known: true, typos: [], positions: [position++] })),
      sequences: some(2, () => {
        const typed = [random.pick(words), ...some(2, () => random.pick(words))];
        return { words: typed, positions: typed.map(() => position++) };
      }),
      stopWords: some(1, () => random.pick(words)),
    };
    const length = 1 + random.int(8);
    const expected = naiveCrop(text, terms, length);
    const found = cropped(text, terms, length, true);
    if (found !== expected) {
      t.equal(found, expected, `seed ${seed}, round ${round}: ${JSON.stringify({ text, terms, length })}`);
      return;
    }
  }
  t.pass('4000 texts');
});
