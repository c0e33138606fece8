import { number, table } from '../report.js';
import type { Effort, IndexingFigures } from './build.js';

/** The figures of one build at one size. */
export interface GrowthRow {
  build: string;
  documents: number;
  indexing: IndexingFigures;
  /** Milliseconds of searches that were never asked before, by class. */
  asks: Record<string, { p50: number; p99: number }>;
  /** Milliseconds until one written document is found. */
  updates: { p50: number; p95: number; processor: number };
  /** Until 3,000 documents, written one a request, are found. */
  manyUpdates: Effort;
  /** From the start of the process to the first answer. */
  restart: Effort;
}

/** Lines of the table: a name and how the figure is read. */
const LINES: [string, (row: GrowthRow) => number][] = [
  ['indexing, µs a document', ({ indexing, documents }) => (indexing.seconds * 1e6) / documents],
  ['indexing, s', ({ indexing }) => indexing.seconds],
  ['  processor s', ({ indexing }) => indexing.processorSeconds],
  ['merges after that, s', ({ indexing }) => indexing.mergeSeconds],
  ['  processor s', ({ indexing }) => indexing.mergeProcessorSeconds],
  ['memory, MB', ({ indexing }) => indexing.memory.now],
  ['  peak, MB', ({ indexing }) => indexing.memory.peak],
  ['disk, MB', ({ indexing }) => indexing.diskMegabytes],
  ['one update, ms: p50', ({ updates }) => updates.p50],
  ['  p95', ({ updates }) => updates.p95],
  ['  processor ms', ({ updates }) => updates.processor],
  ['3,000 updates, s', ({ manyUpdates }) => manyUpdates.seconds],
  ['  processor s', ({ manyUpdates }) => manyUpdates.processorSeconds],
  ['restart, s', ({ restart }) => restart.seconds],
  ['  processor s', ({ restart }) => restart.processorSeconds],
];

/** One column per size and build; if two builds were measured, a third one with their ratio, first over second. */
export function growthTables(rows: readonly GrowthRow[]): string {
  const columns = columnsOf(rows);
  const classes = Object.keys(rows[0]?.asks ?? {});
  const asks = classes.flatMap((name): typeof LINES => [
    [`${name}, first asked, ms: p50`, ({ asks }) => asks[name]?.p50 ?? Number.NaN],
    ['  p99', ({ asks }) => asks[name]?.p99 ?? Number.NaN],
  ]);
  const lines = [...LINES, ...asks].map(([name, read]) => [name, ...columns.map(({ of }) => number(of(read)))]);
  return table([['', ...columns.map(({ title }) => title)], ['', ...columns.map(({ subtitle }) => subtitle)], ...lines]);
}

interface Column {
  title: string;
  subtitle: string;
  of(read: (row: GrowthRow) => number): number;
}

function columnsOf(rows: readonly GrowthRow[]): Column[] {
  const columns: Column[] = [];
  for (const documents of new Set(rows.map((row) => row.documents))) {
    const builds = rows.filter((row) => row.documents === documents);
    const title = `${documents}`;
    for (const row of builds) columns.push({ title, subtitle: row.build, of: (read) => read(row) });
    const [first, second] = builds;
    if (first && second) columns.push({ title, subtitle: 'ratio', of: (read) => read(first) / read(second) });
  }
  return columns;
}
