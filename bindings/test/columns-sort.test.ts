import t from 'tap';
import { ALL_DOCUMENTS, encodeRanking, UNRANKED } from '../ranking/plan.js';
import { RankedHits, rankDocuments } from '../ranking/ranked.js';
import { bitmapOf, randomCase } from './column-case.js';
import { byId, groupsOf, INDEXES, SEED, SETTINGS, slotsIn } from './columns-support.js';
import { compareUtf8, type Document, FIELDS, naiveValues } from './naive-columns.js';
import { seededRandom } from './random.js';

t.comment(`seed ${SEED}`);

type SortValue = number | string | null;
function naiveSortValue(document: Document, field: string, ascending: boolean): SortValue {
  const { numbers, strings } = naiveValues(document, field);
  if (numbers.length > 0) return ascending ? Math.min(...numbers) : Math.max(...numbers);
  const sorted = strings.sort(compareUtf8);
  return (ascending ? sorted[0] : sorted.at(-1)) ?? null;
}

t.test('sorting gives the groups of a full sort', (t) => {
  const random = seededRandom(SEED + 1);
  const kind = (value: SortValue) => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
  let cases = 0;
  for (let i = 0; i < INDEXES; i++) {
    const { index, alive } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (const field of FIELDS) {
        for (const ascending of [true, false]) {
          const members = byId(alive.filter(() => random.int(4) > 0));
          const groups = new Map<SortValue, number[]>();
          for (const { slot, document } of members) {
            const value = naiveSortValue(document, field, ascending);
            groups.set(value, [...(groups.get(value) ?? []), slot]);
          }
          const expected = [...groups]
            .map(([value, slots]) => ({ value, slots }))
            .sort(({ value: a }, { value: b }) => {
              if (kind(a) !== kind(b)) return kind(a) - kind(b);
              const order = typeof a === 'string' ? compareUtf8(a, b as string) : Number(a) - Number(b);
              return ascending ? order : -order;
            });
          const found = groupsOf(reader, members, { kind: 'field', path: field, ascending }).map(({ value, slots }) => ({
            value,
            slots,
          }));
          if (JSON.stringify(found) !== JSON.stringify(expected)) t.same(found, expected, `index ${i}, ${field}, ${ascending}`);
          cases++;
        }
      }
    });
  }
  t.pass(`${cases} sorts`);
  t.end();
});

t.test('distinct keeps the first document of each value', (t) => {
  const random = seededRandom(SEED + 2);
  for (let i = 0; i < INDEXES; i++) {
    const { index, alive } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (const field of FIELDS) {
        const members = byId(alive.filter(() => random.int(4) > 0));
        const taken = new Set<number | string>();
        const expected: number[] = [];
        for (const { slot, document } of members) {
          const { numbers, strings } = naiveValues(document, field);
          const values = [...numbers, ...strings.map((text) => `text ${text}`)];
          if (values.some((value) => taken.has(value))) continue;
          for (const value of values) taken.add(value);
          expected.push(slot);
        }
        const ranked = rankDocuments(reader, encodeRanking(reader, { ...UNRANKED, distinct: field }), {
          ...ALL_DOCUMENTS,
          universe: bitmapOf(reader, slotsIn(members)),
          needed: members.length,
          exhaustive: true,
        });
        const found = RankedHits.of(reader, ranked).list.map(({ slot }) => slot);
        if (String(found) !== String(expected)) t.same(found, expected, `index ${i}, ${field}`);
        t.equal(ranked.total, expected.length);
      }
    });
  }
  t.end();
});
