import t from 'tap';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { seededRandom } from '../../bindings/test/random.js';
import type { FileFollowed, FileLongRun, SegmentFile } from './segment-file.js';
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

/** The terms that follow every frequent term, from the positions of all terms. */
function followedOf(file: SegmentFile, least: number): FileFollowed[] {
  const terms = file.terms();
  /** term by document and code */
  const places = new Map<string, number>();
  for (const [term, { postings }] of terms.entries()) {
    for (const { doc, codes } of postings) for (const code of codes) places.set(`${doc} ${code}`, term);
  }
  return terms.flatMap(({ postings }, term) => {
    if (postings.length < least) return [];
    const followers = new Map<number, Set<number>>();
    for (const { doc, codes } of postings) {
      for (const code of codes) {
        const next = code % 65536 === 65535 ? undefined : places.get(`${doc} ${code + 1}`);
        if (next !== undefined) followers.set(next, (followers.get(next) ?? new Set()).add(doc));
      }
    }
    const sorted = [...followers].sort((a, b) => a[0] - b[0]);
    return [{ term, followers: sorted.map(([follower, docs]) => ({ term: follower, docs: [...docs].sort((a, b) => a - b) })) }];
  });
}

t.test('followers of frequent words agree with their positions', async (t) => {
  const random = seededRandom(SEED);
  let filled = 0;
  for (let round = 0; round < 30; round++) {
    const config = { ...PLAIN_CONFIG, longRun: random.pick([1, 30]) };
    const texts = Array.from({ length: random.pick([1, 9, 300]) }, (_, id) => {
      const document = Object.fromEntries(
        Array.from({ length: 1 + random.int(4) }, () => [
          random.pick(['f', 'g', 'h']),
          Array.from({ length: 1 + random.int(3) }, () => sentence(random, random.pick([3, 30, 400]))),
        ]),
      );
      return { id, key: String(id), json: JSON.stringify({ id, ...document }) };
    });
    const { file } = build(config, texts);
    const followed = file.followed();
    filled += followed.length;
    const least = Math.max(Math.floor(texts.length / 14), config.longRun);
    t.same(followed, followedOf(file, least), `seed ${SEED} round ${round}`);
  }
  t.ok(filled > 100, 'segments with frequent words were built');
});
