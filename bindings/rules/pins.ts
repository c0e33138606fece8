import type { SearchRule } from './rule.js';
import type { RuleContext } from './rule-context.js';

/** A document, and the position in the answer that a rule assigns to it. */
export interface Pin {
  /** Key of the document. */
  id: string;
  position: number;
}

export const NO_PINS: readonly Pin[] = [];

/** Limits; further rules and actions are ignored. */
const MAX_RULES = 1000;
const MAX_PINS = 100;

/**
 * The pins of all rules that apply to a search in an index, those with the lowest precedence first. @param rules in the order of
 * their creation
 */
export function pinsOf(rules: readonly SearchRule[], context: RuleContext, indexUid: string): readonly Pin[] {
  const here = ({ selector }: SearchRule['actions'][number]) => (selector.indexUid ?? indexUid) === indexUid;
  return rules
    .filter(({ active, actions }) => active && actions.some(here))
    .slice(0, MAX_RULES)
    .filter((rule) => context.fits(rule))
    .sort((a, b) => (a.precedence ?? Number.POSITIVE_INFINITY) - (b.precedence ?? Number.POSITIVE_INFINITY) || 0)
    .flatMap(({ actions }) => actions.filter(here))
    .slice(0, MAX_PINS)
    .map(({ selector, action }) => ({ id: selector.id, position: action.position }));
}

/** The hits with pinned documents at their positions; pins beyond the last hit follow at the end. */
export function* placed<Hit>(organic: Iterable<Hit>, pins: readonly { position: number; hit: Hit }[]): Generator<Hit> {
  const others = organic[Symbol.iterator]();
  let next = 0;
  for (let place = 0; ; place++) {
    const pin = pins[next];
    const due = pin !== undefined && pin.position <= place;
    const other = due ? null : others.next();
    if (other && !other.done) yield other.value;
    else if (pin) {
      next++;
      yield pin.hit;
    } else return;
  }
}
