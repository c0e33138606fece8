import type { Ledger } from '../storage/ledger.js';
import type { Options } from './launch.js';

export const FEATURES = [
  'metrics',
  'logsRoute',
  'editDocumentsByFunction',
  'containsFilter',
  'dynamicSearchRules',
  'network',
  'getTaskDocumentsRoute',
  'taskQueueCompactionRoute',
  'compositeEmbedders',
  'chatCompletions',
  'multimodal',
  'foreignKeys',
  'disableDocumentsFetchQueue',
  'legacySearch',
  'renderRoute',
] as const;

export type Feature = (typeof FEATURES)[number];
/** A feature that clients find in the list but that cannot be enabled. */
export const NEVER_ON: Feature = 'legacySearch';
export type FeatureFlags = Record<Feature, boolean>;

const KEY = 'meta/features';

/**
 * The experimental features. Those enabled by requests are stored; some can also be enabled by launch options, for that launch
 * only.
 */
export class Features {
  private constructor(
    private readonly ledger: Ledger,
    private kept: Partial<FeatureFlags>,
    private flags: FeatureFlags,
  ) {}

  static async load(ledger: Ledger, options: Options): Promise<Features> {
    const stored = await ledger.get(KEY);
    const kept: Partial<FeatureFlags> = stored ? JSON.parse(stored.toString()) : {};
    const flags = Object.fromEntries(FEATURES.map((name) => [name, name !== NEVER_ON && (kept[name] ?? false)])) as FeatureFlags;
    flags.metrics ||= options.experimentalEnableMetrics;
    flags.logsRoute ||= options.experimentalEnableLogsRoute;
    flags.containsFilter ||= options.experimentalContainsFilter;
    return new Features(ledger, kept, flags);
  }

  get current(): Readonly<FeatureFlags> {
    return this.flags;
  }

  async change(changes: Partial<FeatureFlags>): Promise<void> {
    const kept = { ...this.kept, ...changes };
    await this.ledger.write([{ type: 'put', key: KEY, value: Buffer.from(JSON.stringify(kept)) }], true);
    this.kept = kept;
    this.flags = { ...this.flags, ...changes };
  }
}
