import { parseArgs } from 'node:util';
import { table } from '../report.js';
import type { Measured } from './measured.js';
import { type Filtered, measureOurs } from './ours.js';
import { embeddedSet, madeUpSet, type VectorSet } from './sets.js';
import { Truth } from './truth.js';
import { measureUsearch, type PeerMeasured } from './usearch.js';

/** `npm run bench -- vectors`: README.md says what is measured and what the flags are. */

/** What the peer has to reach, or our own recall where that is less. */
const COMPARED_RECALL = 0.97;

export function benchVectors(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      embedded: { type: 'string', multiple: true },
      counts: { type: 'string', default: '5000,20000' },
      'made-up': { type: 'boolean', default: false },
      binary: { type: 'boolean', default: false },
    },
  });
  const { embedded = [], 'made-up': madeUp, binary } = values;
  const counts = values.counts.split(',').map(Number);
  for (const folder of embedded) for (const count of counts) report(embeddedSet(folder, count), binary);
  if (madeUp || embedded.length === 0) for (const count of counts) report(madeUpSet(count), binary);
}

function report(set: VectorSet, binary: boolean): void {
  const truth = new Truth(set);
  const { measured, filtered } = measureOurs(set, truth, binary);
  const head = ['', 'recall', 'worst', 'searches/s', 'build s', 'bytes/vector'];
  console.log(`\n${set.name}: ${set.count} vectors of ${set.dimensions} dimensions\n`);
  console.log(table([head, row(binary ? 'peregrine, binary' : 'peregrine', measured)]));
  console.log(`\n${table([['filter', 'allowed', 'recall', 'worst', 'searches/s'], ...filtered.map(filterRow)])}\n`);
  // it is no peer there: it keeps values
  if (binary) return;
  const peer = measureUsearch(set, truth, Math.min(COMPARED_RECALL, measured.mean));
  if (peer) console.log(table([head, row(`usearch, expansion ${peer.expansion}`, peer), ratios(measured, peer)]));
  else console.log('usearch is not installed: npm install --prefix bench');
}

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function row(name: string, { mean, worst, secondsPerSearch, buildSeconds, bytesPerVector }: Measured): string[] {
  return [name, mean.toFixed(3), worst.toFixed(1), ...[1 / secondsPerSearch, buildSeconds, bytesPerVector].map(shown)];
}

function ratios(ours: Measured, theirs: PeerMeasured): string[] {
  const faster = theirs.secondsPerSearch / ours.secondsPerSearch;
  return [
    'ratio',
    '',
    '',
    ...[faster, ours.buildSeconds / theirs.buildSeconds, ours.bytesPerVector / theirs.bytesPerVector].map(shown),
  ];
}

function filterRow({ leaning, share, mean, worst, secondsPerSearch }: Filtered): string[] {
  return [leaning, `${100 * share} %`, mean.toFixed(3), worst.toFixed(1), shown(1 / secondsPerSearch)];
}
