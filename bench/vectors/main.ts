import { parseArgs } from 'node:util';
import { table } from '../report.js';
import type { Measured } from './measured.js';
import { type Filtered, measureFiltered, measureOurs, type OursOptions, openOurs } from './ours.js';
import { embeddedSet, syntheticSet, type VectorSet } from './sets.js';
import { Truth } from './truth.js';
import { measureUsearch } from './usearch.js';

/** `npm run bench -- vectors`: README.md says what is measured and what the flags are. */

/** Recall that the peer must reach, or our own if that is less. */
const COMPARED_RECALL = 0.97;

interface Report extends OursOptions {
  /** `peregrine` or `usearch`; both if absent */
  only?: string | undefined;
  filters: boolean;
}

export function benchVectors(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      embedded: { type: 'string', multiple: true },
      counts: { type: 'string', default: '5000,20000' },
      synthetic: { type: 'boolean', default: false },
      binary: { type: 'boolean', default: false },
      graphs: { type: 'boolean', default: false },
      'segment-size': { type: 'string', default: '250000' },
      only: { type: 'string' },
      'without-filters': { type: 'boolean', default: false },
    },
  });
  const { embedded = [], synthetic, binary, graphs, only } = values;
  const counts = values.counts.split(',').map(Number);
  const options = { binary, graphs, segmentSize: Number(values['segment-size']), only, filters: !values['without-filters'] };
  for (const folder of embedded) for (const count of counts) report(embeddedSet(folder, count), options);
  if (synthetic || embedded.length === 0) for (const count of counts) report(syntheticSet(count), options);
}

const HEAD = ['', 'recall', 'worst', 'searches/s', 'build s', 'bytes/vector'];

function report(set: VectorSet, options: Report): void {
  const { binary, only } = options;
  console.log(`\n${set.name}: ${set.count} vectors of ${set.dimensions} dimensions\n`);
  const truth = new Truth(set);
  const ours = only === 'usearch' ? null : reportOurs(set, truth, options);
  // usearch keeps all values, so its figures do not compare with those of binary vectors
  if (binary || only === 'peregrine') return;
  const peer = measureUsearch(set, truth, Math.min(COMPARED_RECALL, ours?.mean ?? 1));
  if (!peer) {
    console.log('usearch is not installed: npm install --prefix bench');
    return;
  }
  const rows = [row(`usearch, expansion ${peer.expansion}`, peer)];
  console.log(table([HEAD, ...(ours ? [row('peregrine', ours), ...rows, ratios(ours, peer)] : rows)]));
}

function reportOurs(set: VectorSet, truth: Truth, options: Report): Measured {
  const ours = openOurs(set, options);
  const measured = measureOurs(ours, set, truth);
  console.log(table([HEAD, row(options.binary ? 'peregrine, binary' : 'peregrine', measured)]));
  if (!options.filters) return measured;
  const filtered = measureFiltered(ours, set, truth);
  console.log(`\n${table([['filter', 'allowed', 'recall', 'worst', 'walked', 'searches/s'], ...filtered.map(filterRow)])}\n`);
  return measured;
}

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function row(name: string, { mean, worst, secondsPerSearch, buildSeconds, bytesPerVector }: Measured): string[] {
  return [name, mean.toFixed(3), worst.toFixed(1), ...[1 / secondsPerSearch, buildSeconds, bytesPerVector].map(shown)];
}

function ratios(ours: Measured, theirs: Measured): string[] {
  const faster = theirs.secondsPerSearch / ours.secondsPerSearch;
  return [
    'ratio',
    '',
    '',
    ...[faster, ours.buildSeconds / theirs.buildSeconds, ours.bytesPerVector / theirs.bytesPerVector].map(shown),
  ];
}

function filterRow({ leaning, share, walked, mean, worst, secondsPerSearch }: Filtered): string[] {
  const head = [leaning, `${100 * share} %`, mean.toFixed(3), worst.toFixed(1)];
  return [...head, `${Math.round(100 * walked)} %`, shown(1 / secondsPerSearch)];
}
