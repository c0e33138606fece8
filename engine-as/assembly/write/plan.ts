/**
 * How the hits of an index look under the options of a request, as the host encodes it (bindings/format/format-plan.ts): words of four
 * bytes, then texts. Offsets count from the beginning of the plan.
 *
 *   FormatPlan · PathRule of paths that are not listed · PathRule[ruleCount], ascending by text · texts, lists of locales, tokenizer
 */

/** How much of a value a selection of paths keeps. */
export const SHARE_NONE: u32 = 0;
/** Only the parts on the way to a selected path. */
export const SHARE_PART: u32 = 1;
export const SHARE_WHOLE: u32 = 2;

@unmanaged
export class FormatPlan {
  /** Every member of a document is retrieved: it is copied. */
  whole: u32;
  /** Hits have `_formatted`. */
  formats: u32;
  /** Shares of the whole document. */
  retrieved: u32;
  formatted: u32;
  displayed: u32;
  ruleCount: u32;
  /** Hits have `_vectors`. */
  vectors: u32;
  /** Hits have `_matchesPosition`. */
  positions: u32;
  /** Texts before and after a match, and in place of what a crop leaves out, escaped for the inside of JSON strings. */
  preTag: u32;
  preTagLength: u32;
  postTag: u32;
  postTagLength: u32;
  marker: u32;
  markerLength: u32;
  /** Configuration of the tokenizer for the texts of hits, see tokenizerCreate; without bytes: default settings. */
  tokenizer: u32;
  tokenizerLength: u32;

  /** The address of an offset. */
  @inline
  address(offset: u32): usize {
    return changetype<usize>(this) + offset;
  }
}

/** The rule for the values at one path. */
@unmanaged
export class PathRule {
  /** Offset and bytes of the path. */
  text: u32;
  length: u32;
  /** Shares, if the parent is kept in part. */
  retrieved: u32;
  formatted: u32;
  displayed: u32;
  highlight: u32;
  searchable: u32;
  /** Words to show of a text; 0: all. */
  crop: u32;
  /** Offset of a list of locales that texts may be in; 0: any. */
  locales: u32;
}

/** Rule number `index`; 0 is that of unlisted paths. */
function ruleAt(plan: FormatPlan, index: u32): PathRule {
  return changetype<PathRule>(changetype<usize>(plan) + offsetof<FormatPlan>() + <usize>index * offsetof<PathRule>());
}

export function ruleOf(plan: FormatPlan, path: usize, length: u32): PathRule {
  let low: u32 = 1;
  let high = plan.ruleCount + 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const rule = ruleAt(plan, middle);
    let order = memory.compare(plan.address(rule.text), path, min<u32>(rule.length, length));
    if (order === 0) order = <i32>rule.length - <i32>length;
    if (order === 0) return rule;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return ruleAt(plan, 0);
}

/** Address of the list of locales of a rule, or 0. */
export function localesOf(plan: FormatPlan, rule: PathRule): usize {
  return rule.locales === 0 ? 0 : plan.address(rule.locales);
}
