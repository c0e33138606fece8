import type { EngineInstance } from '../../bindings/engine/instance.js';
import { topLevelNames } from '../../bindings/engine/json.js';
import type { IndexStats } from './types.js';

/** Never counted in the distribution of fields. */
const UNCOUNTED = '_vectors';

/** How the statistics of an index change. */
export class Tally {
  documents = 0;
  rawBytes = 0;
  readonly fields = new Map<string, number>();

  constructor(readonly instance: EngineInstance) {}

  /** A stored document comes (+1) or goes (-1). */
  count(json: Uint8Array, sign: 1 | -1): void {
    this.documents += sign;
    this.rawBytes += sign * json.length;
    for (const name of topLevelNames(this.instance, json)) {
      if (name !== UNCOUNTED) this.fields.set(name, (this.fields.get(name) ?? 0) + sign);
    }
  }
}

/** Plain numbers of a {@link Tally}, as they cross threads. */
export interface StatsDelta {
  documents: number;
  rawBytes: number;
  fields: [name: string, count: number][];
}

export function deltaOf({ documents, rawBytes, fields }: Tally): StatsDelta {
  return { documents, rawBytes, fields: [...fields] };
}

export function addDelta(stats: IndexStats, delta: StatsDelta): IndexStats {
  const counts = new Map(Object.entries(stats.fieldDistribution));
  for (const [name, count] of delta.fields) counts.set(name, (counts.get(name) ?? 0) + count);
  const present = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    documents: stats.documents + delta.documents,
    rawBytes: stats.rawBytes + delta.rawBytes,
    fieldDistribution: Object.fromEntries(present),
  };
}
