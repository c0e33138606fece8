import { FormatPlan as EnginePlan, PathRule, type PathRuleFields, SHARE_NONE } from '../engine/exports.js';
import { RecordWriter } from '../engine/record-writer.js';
import { encodeLocales, encodeTokenizerConfig, hasEntries, tokenizerConfig } from '../engine/tokenizer.js';
import { compareTexts } from '../engine/utf8.js';
import type { IndexView } from '../index-types.js';
import { covers } from '../patterns.js';
import { attributeLocales } from '../query/localized.js';
import type { SearchRequest } from '../query/request.js';
import { isSearchable } from '../ranking/attributes.js';
import { StateCache } from '../state-cache.js';
import { RelatedPaths } from './related-paths.js';
import { Selection } from './selection.js';

/** The members of a request that determine how hits are shown. */
export type FormMembers = Pick<
  SearchRequest,
  | 'attributesToRetrieve'
  | 'attributesToHighlight'
  | 'attributesToCrop'
  | 'cropLength'
  | 'locales'
  | 'highlightPreTag'
  | 'highlightPostTag'
  | 'cropMarker'
  // Match positions are computed even for attributes that are not highlighted or cropped.
  | 'showMatchesPosition'
>;

export interface FormatOptions extends FormMembers {
  /** Whether hits have `_vectors`, as their documents have. */
  vectors: boolean;
  /** Every attribute counts as displayed. */
  ignoreDisplayed: boolean;
}

const VECTORS = '_vectors';

/** The engine's rule for the values at one path, before it is written into a plan. */
type Rule = Omit<PathRuleFields, 'text' | 'length' | 'locales'> & { locales: readonly string[] | null };

/** How hits of an index are shown with given options: for each path, whether it is retrieved, highlighted and cropped. */
class FormatPlan {
  /** The plan in the engine's form. */
  readonly bytes: Uint8Array;
  readonly #retrieved: Selection;
  readonly #displayed: Selection;
  readonly #formatted: Selection;
  readonly #highlighted: RelatedPaths;
  readonly #highlightAll: boolean;
  /** Cropped fields, in the order of field ids, with their lengths. */
  readonly #cropped: RelatedPaths;
  readonly #cropLengths: number[];
  /** Whether hits have `_formatted`, because some field is highlighted or cropped. */
  readonly #formats: boolean;

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
    const highlighted = [...names.filter(isDisplayed), ...(starred ? (retrieved ?? []) : [])];
    this.#highlighted = new RelatedPaths(highlighted);
    this.#highlightAll = starred && retrieved === null;
    const crops = cropLengths(options, retrieved ?? fields, isDisplayed);
    const cropped = fields.filter((name) => crops.has(name));
    this.#cropped = new RelatedPaths(cropped);
    this.#cropLengths = cropped.map((name) => crops.get(name) ?? 0);
    this.#formats = this.#highlightAll || highlighted.length > 0 || crops.size > 0;

    this.#retrieved = new Selection(retrieved);
    this.#displayed = new Selection(displayed);
    this.#formatted = new Selection(retrieved === null ? null : [...retrieved, ...highlighted, ...crops.keys()]);
    this.bytes = this.#encode();
  }

  #rule(path: string): Rule {
    return {
      retrieved: this.#retrieved.share(path),
      formatted: this.#formatted.share(path),
      displayed: this.#displayed.share(path),
      highlight: Number(this.#highlightAll || this.#highlighted.first(path) >= 0),
      searchable: Number(isSearchable(this.view.settings, path)),
      // If several entries apply, the field with the lowest id decides.
      crop: this.#cropLengths[this.#cropped.first(path)] ?? 0,
      locales: this.#locales(path),
    };
  }

  /** The rule for paths without a rule of their own. */
  #unlistedRule(): Rule {
    return {
      retrieved: SHARE_NONE,
      formatted: SHARE_NONE,
      displayed: SHARE_NONE,
      highlight: Number(this.#highlightAll),
      searchable: Number(this.view.settings.searchableAttributes === null),
      crop: 0,
      locales: this.#locales(''),
    };
  }

  #locales(path: string): readonly string[] | null {
    const { locales } = this.options;
    const allowed = locales ?? attributeLocales(this.view.settings, path);
    return allowed !== null && allowed.length > 0 ? allowed : null;
  }

  #encode(): Uint8Array {
    const { fields, settings } = this.view;
    const { options } = this;
    const unlisted = this.#unlistedRule();
    // Without matches only the selection of retrieved attributes matters.
    const matches = this.#formats || options.showMatchesPosition;
    const paths = matches ? fields : [...this.#retrieved.paths()];
    const rules = paths.map((path) => ({ path, rule: this.#rule(path) })).filter(({ rule }) => !isSame(rule, unlisted));
    rules.sort((a, b) => compareTexts(a.path, b.path));
    const records = new RecordWriter(EnginePlan.bytes + (1 + rules.length) * PathRule.bytes);
    const preTag = records.text(insideOfString(options.highlightPreTag));
    const postTag = records.text(insideOfString(options.highlightPostTag));
    const marker = records.text(insideOfString(options.cropMarker));
    // Texts are segmented as at indexing, but without stop words, which are highlighted too.
    const config = { ...tokenizerConfig(settings), stopWords: [] };
    const tokenizer = matches && hasEntries(config) ? records.piece(encodeTokenizerConfig(config)) : NOTHING;
    records.put(EnginePlan, {
      whole: Number(this.#retrieved.all && !fields.some((path) => covers(VECTORS, path))),
      formats: Number(this.#formats),
      retrieved: this.#retrieved.root,
      formatted: this.#formatted.root,
      displayed: this.#displayed.root,
      ruleCount: rules.length,
      vectors: Number(options.vectors),
      positions: Number(options.showMatchesPosition),
      preTag: preTag.at,
      preTagLength: preTag.length,
      postTag: postTag.at,
      postTagLength: postTag.length,
      marker: marker.at,
      markerLength: marker.length,
      tokenizer: tokenizer.at,
      tokenizerLength: tokenizer.length,
    });
    const localesAt = placer(records);
    for (const { path, rule } of [{ path: '', rule: unlisted }, ...rules]) {
      const { at: text, length } = records.text(path);
      records.put(PathRule, { ...rule, text, length, locales: localesAt(rule.locales) });
    }
    return records.finish().slice();
  }
}

const NOTHING = { at: 0, length: 0 };

/** A text escaped for the inside of a JSON string. */
function insideOfString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns a function that writes each locale list once, and returns its offset; 0: none. */
function placer(records: RecordWriter): (locales: readonly string[] | null) => number {
  const places = new Map<string, number>();
  return (locales) => {
    const list = encodeLocales(locales ?? []);
    if (list[0] === 0) return 0;
    const key = list.join();
    const place = places.get(key) ?? records.piece(list).at;
    places.set(key, place);
    return place;
  };
}

function isSame(a: Rule, b: Rule): boolean {
  return (
    a.retrieved === b.retrieved &&
    a.formatted === b.formatted &&
    a.displayed === b.displayed &&
    a.highlight === b.highlight &&
    a.searchable === b.searchable &&
    a.crop === b.crop &&
    a.locales?.join() === b.locales?.join()
  );
}

/** Kept beside those of forms, because most forms of an index share one. */
const encoded = new StateCache<Uint8Array>((bytes) => bytes.length);

/** The FormatPlan for a state of an index and the options of a request. */
export function formatPlan(view: IndexView, request: FormMembers, vectors: boolean, ignoreDisplayed = false): Uint8Array {
  // Listed member by member: V8 makes objects put together by several spreads slow.
  const options = {
    attributesToRetrieve: request.attributesToRetrieve,
    attributesToHighlight: request.attributesToHighlight,
    attributesToCrop: request.attributesToCrop,
    cropLength: request.cropLength,
    locales: request.locales,
    highlightPreTag: request.highlightPreTag,
    highlightPostTag: request.highlightPostTag,
    cropMarker: request.cropMarker,
    showMatchesPosition: request.showMatchesPosition,
    vectors,
    ignoreDisplayed,
  };
  return encoded.of(view, JSON.stringify(options), () => new FormatPlan(view, options).bytes);
}

/** Crop lengths by field name; later entries override earlier ones. */
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
