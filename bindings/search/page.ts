import { sortedSet } from '../engine/utf8.js';
import { countFacets, type Facets, facetList } from '../format/facets.js';
import { RankedHits } from '../ranking/ranked.js';
import { placed } from '../rules/pins.js';
import { disjunctiveSets } from './disjunctive.js';
import type { SearchPlan } from './plan.js';
import type { Ranked } from './rank.js';
import type { SearchSession } from './session.js';

/** The part of a ranking that an answer shows. */
export interface Page {
  hits: RankedHits;
  /** Number of counted documents, up to `maxTotalHits`. */
  total: number;
  facets: Facets | null;
  /** Number of hits found by vectors; null when no vectors were used. */
  semanticHitCount: number | null;
  /** The cursor of the next page; null after the last page. Absent without cursors. */
  cursor?: string | null;
}

function shown({ reader, hits, pins }: Ranked, { from, to }: SearchPlan['window']): RankedHits {
  const all = pins.length === 0 ? hits : RankedHits.listed(reader, [...placed(hits.list, pins)]);
  return all.slice(from, to);
}

/** Selects the requested page, and counts the facets of all counted documents. */
export function page(session: SearchSession, plan: SearchPlan, ranked: Ranked): Page {
  const { window, reader } = plan;
  const hits = shown(ranked, window);
  const { semantic } = ranked;
  return {
    hits,
    total: Math.min(ranked.total, reader.view.settings.pagination.maxTotalHits),
    facets: facetsOf(session, plan, ranked),
    semanticHitCount: semantic && hits.list.filter((hit) => semantic.has(hit)).length,
  };
}

function facetsOf(session: SearchSession, plan: SearchPlan, ranked: Ranked): Facets | null {
  const { reader, facets, request } = plan;
  if (facets === null) return null;
  return session.stage('facet distribution', () => {
    const own = request.disjunctiveFacets && disjunctiveSets(session, plan, ranked, request.disjunctiveFacets);
    const limit = session.limit(reader.view.settings.searchCutoffMs);
    if (own === null) return countFacets(reader, facets, ranked.counted, limit);
    const paths = sortedSet([...facets.paths, ...own.keys()]);
    const candidates = paths.map((path) => own.get(path) ?? ranked.counted);
    return countFacets(reader, facetList(reader, paths), candidates, limit);
  });
}
