import type { SortValue } from '../../engine/sort-values.js';
import { JsonNumber, type JsonValue } from '../../query/json.js';
import type { ScoreEntry } from './scores.js';

/** The criteria of a hit as instances exchange them: objects with one member, named after the kind. */
export function scoreValues(entries: readonly ScoreEntry[]): object[] {
  return entries.map((entry) => {
    if (entry.kind === 'score') return entry.isVector ? { vectorSort: entry.score } : { weightedScore: entry.score };
    const { ascending: asc } = entry;
    return entry.kind === 'sort' ? { sort: { asc, value: entry.value } } : { geoSort: { asc, distance: entry.distance } };
  });
}

/** Parses the output of {@link scoreValues}, of any instance; null when it is malformed. */
export function readScoreValues(values: JsonValue | undefined): ScoreEntry[] | null {
  if (!Array.isArray(values)) return null;
  const entries = values.map(readEntry);
  return entries.includes(null) ? null : (entries as ScoreEntry[]);
}

function readEntry(value: JsonValue): ScoreEntry | null {
  if (!(value instanceof Map) || value.size !== 1) return null;
  const [[name, content]] = [...value] as [[string, JsonValue]];
  if (name === 'weightedScore' || name === 'vectorSort') {
    const score = finite(content);
    return score === null ? null : { kind: 'score', score, isVector: name === 'vectorSort' };
  }
  const ascending = content instanceof Map ? content.get('asc') : null;
  if (!(content instanceof Map) || typeof ascending !== 'boolean') return null;
  if (name === 'sort') return { kind: 'sort', value: sortValue(content.get('value')), ascending };
  return name === 'geoSort' ? { kind: 'geo', distance: finite(content.get('distance')), ascending } : null;
}

/** Anything but numbers and texts counts as no value. */
function sortValue(value: JsonValue | undefined): SortValue {
  return typeof value === 'string' ? value : finite(value);
}

function finite(value: JsonValue | undefined): number | null {
  return value instanceof JsonNumber && Number.isFinite(value.value) ? value.value : null;
}
