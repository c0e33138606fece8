import t from 'tap';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { seededRandom } from '../../bindings/test/random.js';
import type { FileFrequent, FileLongRun, SegmentFile } from './segment-file.js';
import { build, SEED, sentence } from './segment-support.js';

const POSITION_LIMITS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

/** Cost of a position for the first word of a query, by the word position rule: docs/reference/ranking.md. */
function costOfPosition(position: number): number {
  const known = position < 16 ? position : position < 24 ? 24 : 2 ** Math.ceil(Math.log2(position));
  const cost = POSITION_LIMITS.findIndex((limit) => Math.min(known, 65535) <= limit);
  return cost < 0 ? POSITION_LIMITS.length : cost;
}

function placeOf(position: number | undefined): number {
  return position === undefined ? 0 : 1 + costOfPosition(position);
}

const MAX_RUN_ATTRIBUTES = 64;

/** A run, computed from the postings of its terms. */
type NaiveRun = Omit<FileLongRun, 'attributes'> & { attributes: { attribute: number; docs: number[] }[] };

/**
 * Every prefix (without its own word) and every term with enough postings, with its documents. `longRun`: absolute minimum of postings
 * for a prefix.
 */
function longRunsOf(file: SegmentFile, longRun: number): NaiveRun[] {
  const terms = file.terms();
  const leastOf = (share: number, postings: number) => Math.max(Math.floor(file.docCount / share), postings, 1);
  const [ofWhole, ofPrefix, ofTerm] = [leastOf(2, longRun), leastOf(16, longRun), leastOf(64, Math.floor(longRun / 4))];
  const postingsOf = (from: number, to: number) => terms.slice(from, to).reduce((sum, { postings }) => sum + postings.length, 0);
  const ranges = new Map<string, [number, number]>();
  const add = (from: number, to: number, least: number) => {
    if (from < to && postingsOf(from, to) >= least) ranges.set(`${from} ${to}`, [from, to]);
  };
  const prefixes = new Set(terms.flatMap(({ text }) => [...text].map((_, i) => [...text].slice(0, i + 1).join(''))));
  for (const prefix of prefixes) {
    const own = terms.map(({ text }, i) => (text !== prefix && text.startsWith(prefix) ? i : -1)).filter((i) => i >= 0);
    if (own.length > 0) add(own[0] as number, (own.at(-1) as number) + 1, ofPrefix);
  }
  for (const i of terms.keys()) add(i, i + 1, ofTerm);
  const sorted = [...ranges.values()].sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const runs = sorted.map(([from, to]) => {
    const attributes = new Map<number, Set<number>>();
    const first = new Map<number, number>();
    for (const { doc, codes } of terms.slice(from, to).flatMap(({ postings }) => postings)) {
      for (const code of codes) {
        const attribute = Math.floor(code / 65536);
        attributes.set(attribute, (attributes.get(attribute) ?? new Set()).add(doc));
        first.set(doc, Math.min(first.get(doc) ?? 65536, code % 65536));
      }
    }
    return {
      from,
      to,
      sides: terms.slice(from, to).reduce((sides, { flags }) => sides | (flags & 3), 0),
      attributes: [...attributes]
        .sort((a, b) => a[0] - b[0])
        .map(([attribute, docs]) => ({ attribute, docs: [...docs].sort((a, b) => a - b) })),
      places: postingsOf(from, to) < ofWhole ? null : Array.from({ length: file.docCount }, (_, doc) => placeOf(first.get(doc))),
    };
  });
  const attributes = new Set(runs.flatMap((run) => run.attributes.map(({ attribute }) => attribute)));
  return attributes.size > MAX_RUN_ATTRIBUTES ? [] : runs;
}

t.test('documents of long runs agree with the postings of their terms', async (t) => {
  const random = seededRandom(SEED);
  let filled = 0;
  const forms = new Set<number>();
  for (let round = 0; round < 30; round++) {
    const config = { ...PLAIN_CONFIG, disableOnNumbers: random.int(2) === 0, longRun: random.pick([1, 30]) };
    const fields = Array.from({ length: random.pick([2, 5, 40, 90]) }, (_, i) => `f${i}`);
    const texts = Array.from({ length: random.pick([1, 9, 300]) }, (_, id) => {
      const document = Object.fromEntries(
        Array.from({ length: 1 + random.int(4) }, () => [random.pick(fields), sentence(random, random.pick([3, 30, 400]))]),
      );
      return { id, key: String(id), json: JSON.stringify({ id, ...document }) };
    });
    const { file } = build(config, texts);
    const runs = file.longRuns();
    filled += runs.length;
    for (const { attributes } of runs) for (const { form } of attributes) forms.add(form);
    const read = runs.map((run) => ({ ...run, attributes: run.attributes.map(({ attribute, docs }) => ({ attribute, docs })) }));
    t.same(read, longRunsOf(file, config.longRun), `seed ${SEED} round ${round}`);
  }
  t.ok(filled > 100, 'segments with long runs were built');
  t.same([...forms].sort(), [0, 1, 2], 'with sets of every form');
});

/** In place of a frequent term: the terms that follow themselves. */
const ITSELF = 0xffffffff;

/** The terms beside every frequent term, from the positions of all terms. */
function adjacentOf(file: SegmentFile, least: number): { followers: FileFrequent[]; predecessors: FileFrequent[] } {
  const terms = file.terms();
  /** term by document and code */
  const places = new Map<string, number>();
  for (const [term, { postings }] of terms.entries()) {
    for (const { doc, codes } of postings) for (const code of codes) places.set(`${doc} ${code}`, term);
  }
  const documentsOf = (term: number) => terms[term]?.postings.length ?? 0;
  const isFrequent = (term: number) => documentsOf(term) >= least;
  const isStored = (term: number) => documentsOf(term) >= Math.floor(least / 10);
  /** documents by frequent term and the other one */
  type Documents = Map<number, Map<number, Set<number>>>;
  const followers: Documents = new Map();
  const predecessors: Documents = new Map([[ITSELF, new Map()]]);
  for (const term of terms.keys()) if (isFrequent(term)) for (const sets of [followers, predecessors]) sets.set(term, new Map());
  const add = (sets: Documents, term: number, other: number, doc: number) => {
    const own = sets.get(term) as Map<number, Set<number>>;
    own.set(other, (own.get(other) ?? new Set()).add(doc));
  };
  for (const [left, { postings }] of terms.entries()) {
    for (const { doc, codes } of postings) {
      for (const code of codes) {
        const right = code % 65536 === 65535 ? undefined : places.get(`${doc} ${code + 1}`);
        if (right === undefined) continue;
        if (isFrequent(left)) add(followers, left, right, doc);
        else if (!isStored(left)) continue;
        else if (isFrequent(right)) add(predecessors, right, left, doc);
        else if (left === right) add(predecessors, ITSELF, left, doc);
      }
    }
  }
  const ascending = <T>(map: ReadonlyMap<number, T>) => [...map].sort((a, b) => a[0] - b[0]);
  const listed = (sets: Documents): FileFrequent[] =>
    ascending(sets).map(([term, others]) => ({
      term,
      adjacent: ascending(others).map(([other, docs]) => ({ term: other, docs: [...docs].sort((a, b) => a - b) })),
    }));
  return { followers: listed(followers), predecessors: listed(predecessors) };
}

t.test('words beside frequent words agree with their positions', async (t) => {
  const random = seededRandom(SEED);
  let [filled, preceded, repeated] = [0, 0, 0];
  for (let round = 0; round < 30; round++) {
    const config = { ...PLAIN_CONFIG, longRun: random.pick([1, 30, 150]) };
    const longest = random.pick([3, 3, 40]);
    const text = () => `${sentence(random, longest)} often ${sentence(random, longest)}`;
    const texts = Array.from({ length: random.pick([1, 9, 300, 300]) }, (_, id) => {
      const document = Object.fromEntries(
        Array.from({ length: 1 + random.int(4) }, () => [
          random.pick(['f', 'g', 'h']),
          Array.from({ length: 1 + random.int(3) }, text),
        ]),
      );
      return { id, key: String(id), json: JSON.stringify({ id, ...document }) };
    });
    const { file } = build(config, texts);
    const least = Math.max(Math.floor(texts.length / 20), config.longRun);
    const { followers, predecessors } = adjacentOf(file, least);
    t.same(file.frequent(15), followers, `seed ${SEED} round ${round}: followers`);
    t.same(file.frequent(27), followers.length === 0 ? [] : predecessors, `seed ${SEED} round ${round}: predecessors`);
    filled += followers.length;
    for (const { term, adjacent } of predecessors) {
      if (term === ITSELF) repeated += adjacent.length;
      else preceded += adjacent.length;
    }
  }
  t.ok(filled > 100, 'segments with frequent words were built');
  t.ok(preceded > 10, 'others precede these');
  t.ok(repeated > 10, 'others follow themselves');
});
