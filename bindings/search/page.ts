import { compareTexts } from '../engine/utf8.js';
import { countFacets, type Facets, facetFields } from '../format/facets.js';
import type { RankedHit } from '../ranking/ranked.js';
import { placed } from '../rules/pins.js';
import { disjunctiveFields } from './disjunctive.js';
import type { SearchPlan } from './plan.js';
import type { Ranked } from './rank.js';
import type { SearchSession } from './session.js';

/** The part of a ranking that an answer shows. */
export interface Page {
  hits: readonly RankedHit[];
  /** Number of counted documents, up to `maxTotalHits`. */
  total: number;
  facets: Facets | null;
  /** Number of hits found by vectors; null when no vectors were used. */
  semanticHitCount: number | null;
  /** The cursor of the next page; null after the last page. Absent without cursors. */
  cursor?: string | null;
}

function shown({ hits, pins }: Ranked, { from, to }: SearchPlan['window']): readonly RankedHit[] {
  return pins.length === 0 ? hits.slice(from, to) : [...placed(hits, pins)].slice(from, to);
}

/** Selects the requested page, and counts the facets of all counted documents. */
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
  return session.stage('facet distribution', () => {
    const own = disjunctive ? disjunctiveFields(session, plan, ranked, disjunctive) : [];
    const plain = facets ? facetFields(reader, facets).filter((path) => !own.some((field) => field.path === path)) : [];
    const fields = [...plain.map((path) => ({ path, candidates: ranked.counted })), ...own];
    if (own.length > 0) fields.sort((a, b) => compareTexts(a.path, b.path));
    return countFacets(reader, fields, session.limit(reader.view.settings.searchCutoffMs));
  });
}
