import { type Facets, facetDistribution } from '../format/facets.js';
import type { RankedHit } from '../ranking/ranked.js';
import { placed } from '../rules/pins.js';
import type { SearchPlan } from './plan.js';
import type { Ranked } from './rank.js';
import type { SearchSession } from './session.js';

/** What an answer shows of a ranking. */
export interface Page {
  hits: readonly RankedHit[];
  /** Documents counted, as far as they can be reached. */
  total: number;
  facets: Facets | null;
  /** How many of the hits are there for their vector; null when no vector took part. */
  semanticHitCount: number | null;
}

function shown({ hits, pins }: Ranked, { from, to }: SearchPlan['window']): readonly RankedHit[] {
  return pins.length === 0 ? hits.slice(from, to) : [...placed(hits, pins)].slice(from, to);
}

/** Takes the page that was asked for, and counts the facets of all that is counted. */
export function page({ stages }: SearchSession, { window, request, reader }: SearchPlan, ranked: Ranked): Page {
  const hits = window.from < window.to ? shown(ranked, window) : [];
  const { facets } = request;
  const { semantic } = ranked;
  return {
    hits,
    total: Math.min(ranked.total, reader.view.settings.pagination.maxTotalHits),
    facets: facets && stages.run('facet distribution', () => facetDistribution(reader, ranked.counted, facets, ranked.total)),
    semanticHitCount: semantic && hits.filter((hit) => semantic.has(hit)).length,
  };
}
