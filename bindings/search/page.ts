import { compareTexts } from '../engine/utf8.js';
import { countFacets, type Facets, facetFields } from '../format/facets.js';
import type { RankedHit } from '../ranking/ranked.js';
import { placed } from '../rules/pins.js';
import { disjunctiveFields } from './disjunctive.js';
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
  /** What the next page is asked for with; null after the last. Absent where nobody asked. */
  cursor?: string | null;
}

function shown({ hits, pins }: Ranked, { from, to }: SearchPlan['window']): readonly RankedHit[] {
  return pins.length === 0 ? hits.slice(from, to) : [...placed(hits, pins)].slice(from, to);
}

/** Takes the page that was asked for, and counts the facets of all that is counted. */
export function page(session: SearchSession, plan: SearchPlan, ranked: Ranked): Page {
  const { window, reader } = plan;
  const hits = window.from < window.to ? shown(ranked, window) : [];
  const { semantic } = ranked;
  return {
    hits,
    total: Math.min(ranked.total, reader.view.settings.pagination.maxTotalHits),
    facets: facetsOf(session, plan, ranked),
    semanticHitCount: semantic && hits.filter((hit) => semantic.has(hit)).length,
  };
}

function facetsOf(session: SearchSession, plan: SearchPlan, ranked: Ranked): Facets | null {
  const { facets, disjunctiveFacets: disjunctive } = plan.request;
  if (facets === null && disjunctive === null) return null;
  const { reader } = plan;
  return session.stages.run('facet distribution', () => {
    const own = disjunctive ? disjunctiveFields(session, plan, ranked, disjunctive) : [];
    const plain = facets ? facetFields(reader, facets).filter((path) => !own.some((field) => field.path === path)) : [];
    const fields = [...plain.map((path) => ({ path, candidates: ranked.counted })), ...own];
    if (own.length > 0) fields.sort((a, b) => compareTexts(a.path, b.path));
    return countFacets(reader, fields, session.limit(reader.view.settings.searchCutoffMs));
  });
}
