import type { Measurement } from './measure.js';
import type { PeerMeasurement } from './peers.js';

/** Tables for people; the JSON beside them is for programs. */

export const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, k) => (k === 0 ? cell.padEnd(widths[k] as number) : cell.padStart(widths[k] as number))).join('  ');
  return rows.map(line).join('\n');
}

export function measurementTable(m: Measurement): string {
  const connections = Object.keys(Object.values(m.sets)[0]?.byConnections ?? {}).map(Number);
  const single = connections.includes(1);
  const head = ['query set', 'matches', 'empty', ...(single ? ['p50 ms', 'p95 ms', 'p99 ms'] : [])];
  const rows = [[...head, ...connections.map((c) => `req/s c${c}`)]];
  for (const [name, set] of Object.entries(m.sets)) {
    const one = set.byConnections[1];
    rows.push([
      name,
      number(set.matches),
      `${(set.empty * 100).toFixed(0)}%`,
      ...(one ? [one.p50, one.p95, one.p99].map(number) : []),
      ...connections.map((c) => number(set.byConnections[c]?.requestsPerSecond ?? 0)),
    ]);
  }
  const failed = Object.values(m.sets).reduce((sum, set) => sum + failures(set.byConnections), failures(m.writes));
  return [
    `${m.target}: ${m.documents} documents (${number(m.megabytes)} MB) indexed in ${number(m.indexSeconds)} s, ${number(m.documentsPerSecond)}/s`,
    ...(m.memory ? [`memory ${number(m.memory.now)} MB, peak ${number(m.memory.peak)} MB`] : []),
    ...(m.diskMegabytes === undefined ? [] : [`disk ${number(m.diskMegabytes)} MB`]),
    ...(failed > 0 ? [`${failed} answers were failures`] : []),
    table(rows),
    '',
    table(writeRows(m)),
  ].join('\n');
}

function writeRows({ writes }: Measurement): string[][] {
  const entries = Object.entries(writes);
  return [
    ['single documents', ...entries.map(([connections]) => `c${connections}`)],
    ['acknowledged/s', ...entries.map(([, { requestsPerSecond }]) => number(requestsPerSecond))],
    ['p50 ms', ...entries.map(([, { p50 }]) => number(p50))],
    ['p99 ms', ...entries.map(([, { p99 }]) => number(p99))],
  ];
}

function failures(results: Record<number, { failed: number }>): number {
  return Object.values(results).reduce((sum, result) => sum + result.failed, 0);
}

/** Ours over theirs: higher is better for requests per second, lower for times. */
export function ratioTable(ours: Measurement, theirs: Measurement): string {
  const connections = Object.keys(Object.values(ours.sets)[0]?.byConnections ?? {}).map(Number);
  const rows = [['ratio', 'p50', 'p99', ...connections.map((c) => `req/s c${c}`)]];
  for (const [name, set] of Object.entries(ours.sets)) {
    const other = theirs.sets[name];
    if (!other) continue;
    const ratio = (of: (results: typeof set.byConnections) => number | undefined): string =>
      number((of(set.byConnections) ?? Number.NaN) / (of(other.byConnections) ?? Number.NaN));
    rows.push([
      name,
      ratio((r) => r[1]?.p50),
      ratio((r) => r[1]?.p99),
      ...connections.map((c) => ratio((r) => r[c]?.requestsPerSecond)),
    ]);
  }
  const indexing = number(theirs.indexSeconds / ours.indexSeconds);
  return [`${ours.target} against ${theirs.target}: indexing ${indexing} times as fast`, table(rows)].join('\n');
}

export function peerTable(peers: readonly PeerMeasurement[]): string {
  const names = Object.keys(peers[0]?.sets ?? {});
  const rows = [['in this process: p50 ms (matches)', 'index s', ...names]];
  for (const peer of peers) {
    const cells = names.map((name) => {
      const set = peer.sets[name];
      return set ? `${number(set.p50)} (${number(set.matches)})` : '';
    });
    rows.push([peer.name, number(peer.indexSeconds), ...cells]);
  }
  return table(rows);
}
