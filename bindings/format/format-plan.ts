import type { IndexSettings, IndexView } from '../index-types.js';
import { matchesPattern } from '../query/patterns.js';
import type { SearchRequest } from '../query/request.js';
import { isSearchable } from '../ranking/attributes.js';
import { stringValue } from './raw-json.js';
import { NONE, related, Selection, type Share } from './selection.js';

/** What of a request decides how hits look. */
export interface FormatOptions
  extends Pick<SearchRequest, 'attributesToRetrieve' | 'attributesToHighlight' | 'attributesToCrop' | 'cropLength' | 'locales'> {
  /** Every attribute counts as displayed. */
  ignoreDisplayed?: boolean;
}

/** Hidden in every selection: `retrieveVectors` shows it. */
const VECTORS = '_vectors';
const PLANS_KEPT = 64;

/**
 * How hits of one index look under given options: for every path of a document what is shown, highlighted and cropped. The tree of
 * paths grows with the documents met and is kept with the state of the index, since the next search usually has the same options.
 */
export class FormatPlan {
  readonly root: PathNode;
  /** Some field has a highlight or crop option: hits have `_formatted`. */
  readonly formats: boolean;
  /** Every member of a document is shown. */
  readonly whole: boolean;
  readonly retrieved: Selection;
  readonly displayed: Selection;
  readonly formatted: Selection;
  readonly #highlighted: string[];
  readonly #highlightAll: boolean;
  /** Crop lengths by field, in the order in which the index met the fields. */
  readonly #crops: [name: string, length: number][];

  constructor(
    readonly view: IndexView,
    readonly options: FormatOptions,
  ) {
    const { settings, fields } = view;
    const known = new Set(fields);
    const { displayedAttributes } = settings;
    const listed = options.ignoreDisplayed || displayedAttributes?.includes('*') ? null : displayedAttributes;
    const displayed = listed === null ? null : listed.filter((name) => known.has(name));
    const isDisplayed = (name: string) => known.has(name) && (listed === null || listed.includes(name));
    const asked = options.attributesToRetrieve;
    const retrieved = asked === null || asked.includes('*') ? displayed : asked.filter(isDisplayed);

    const names = options.attributesToHighlight ?? [];
    const starred = names.includes('*');
    this.#highlighted = [...new Set([...names.filter(isDisplayed), ...(starred ? (retrieved ?? []) : [])])];
    this.#highlightAll = starred && retrieved === null;
    const crops = cropLengths(options, retrieved ?? fields, isDisplayed);
    this.#crops = fields.filter((name) => crops.has(name)).map((name) => [name, crops.get(name) ?? 0]);
    this.formats = this.#highlightAll || this.#highlighted.length > 0 || crops.size > 0;

    this.retrieved = new Selection(retrieved);
    this.displayed = new Selection(displayed);
    this.formatted = new Selection(retrieved === null ? null : [...retrieved, ...this.#highlighted, ...crops.keys()]);
    this.whole = this.retrieved.all && !fields.some((path) => path === VECTORS || path.startsWith(`${VECTORS}.`));
    this.root = new PathNode(this, '', null);
  }

  highlights(path: string): boolean {
    return this.#highlightAll || this.#highlighted.some((name) => related(name, path));
  }

  /** Crop length of the texts at a path, 0 for none; of several that apply the field met first decides. */
  crop(path: string): number {
    return this.#crops.find(([name]) => related(name, path))?.[1] ?? 0;
  }

  /** Languages that the texts at a path may be in, or null for any. */
  locales(path: string): string[] | null {
    const { locales } = this.options;
    return nonEmpty(locales === null ? rulesLocales(this.view.settings, path) : locales);
  }
}

/** A path of the documents. Paths do not name places in arrays. */
export class PathNode {
  readonly retrieved: Share;
  readonly formatted: Share;
  readonly displayed: Share;
  readonly highlight: boolean;
  /** Words; 0: not cropped. */
  readonly crop: number;
  readonly searchable: boolean;
  readonly locales: string[] | null;
  readonly #children: PathNode[] = [];
  readonly #names: Uint8Array[] = [];

  constructor(
    readonly plan: FormatPlan,
    readonly path: string,
    around: PathNode | null,
  ) {
    const hidden = around === plan.root && path === VECTORS;
    const share = (selection: Selection, outer: Share | undefined) =>
      hidden ? NONE : outer === undefined ? selection.root : selection.share(outer, path);
    this.retrieved = share(plan.retrieved, around?.retrieved);
    this.formatted = share(plan.formatted, around?.formatted);
    this.displayed = share(plan.displayed, around?.displayed);
    this.highlight = plan.highlights(path);
    this.crop = plan.crop(path);
    this.searchable = isSearchable(plan.view.settings, path);
    this.locales = plan.locales(path);
  }

  /**
   * The node of a member.
   * @param from, to the name as it stands in the JSON, without quotes
   * @param hint number of the child to try first: documents mostly have their members in the same order
   */
  child(json: Uint8Array, from: number, to: number, hint: number): number {
    const count = this.#names.length;
    for (let i = 0; i < count; i++) {
      const position = hint + i < count ? hint + i : hint + i - count;
      if (isSame(this.#names[position] as Uint8Array, json, from, to)) return position;
    }
    const name = stringValue(json, from, to);
    this.#names.push(json.slice(from, to));
    this.#children.push(new PathNode(this.plan, this === this.plan.root ? name : `${this.path}.${name}`, this));
    return count;
  }

  at(position: number): PathNode {
    return this.#children[position] as PathNode;
  }
}

const plans = new WeakMap<IndexView, Map<string, FormatPlan>>();

/** The plan for a state of an index and the options of a request. */
export function formatPlan(view: IndexView, request: FormatOptions): FormatPlan {
  const { attributesToRetrieve, attributesToHighlight, attributesToCrop, cropLength, locales, ignoreDisplayed = false } = request;
  const options = { attributesToRetrieve, attributesToHighlight, attributesToCrop, cropLength, locales, ignoreDisplayed };
  const key = JSON.stringify(options);
  const kept = plans.get(view) ?? new Map<string, FormatPlan>();
  plans.set(view, kept);
  let plan = kept.get(key);
  if (!plan) {
    if (kept.size >= PLANS_KEPT) kept.clear();
    plan = new FormatPlan(view, options);
    kept.set(key, plan);
  }
  return plan;
}

/** Lengths by field name; later entries override earlier ones. */
function cropLengths(
  options: FormatOptions,
  starred: readonly string[],
  isDisplayed: (name: string) => boolean,
): Map<string, number> {
  const crops = new Map<string, number>();
  for (const entry of options.attributesToCrop ?? []) {
    const colon = entry.lastIndexOf(':');
    const name = colon < 0 ? entry : entry.slice(0, colon);
    const own = colon < 0 ? '' : entry.slice(colon + 1);
    const length = /^\d+$/.test(own) ? Number(own) : options.cropLength;
    if (name === '*') for (const field of starred) crops.set(field, length);
    else if (isDisplayed(name)) crops.set(name, length);
  }
  return crops;
}

function rulesLocales(settings: IndexSettings, path: string): string[] | null {
  const rule = settings.localizedAttributes?.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesPattern(pattern, path)),
  );
  return rule?.locales ?? null;
}

function nonEmpty(locales: string[] | null): string[] | null {
  return locales !== null && locales.length > 0 ? locales : null;
}

function isSame(name: Uint8Array, json: Uint8Array, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== json[from + i]) return false;
  return true;
}
