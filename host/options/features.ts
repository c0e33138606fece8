import type { Ledger } from '../storage/ledger/ledger.js';
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
    private stored: Partial<FeatureFlags>,
    private flags: FeatureFlags,
  ) {}

  static async load(ledger: Ledger, options: Options): Promise<Features> {
    const bytes = await ledger.get(KEY);
    const stored: Partial<FeatureFlags> = bytes ? JSON.parse(bytes.toString()) : {};
    const flags = Object.fromEntries(
      FEATURES.map((name) => [name, name !== NEVER_ON && (stored[name] ?? false)]),
    ) as FeatureFlags;
    flags.metrics ||= options.experimentalEnableMetrics;
    flags.logsRoute ||= options.experimentalEnableLogsRoute;
    flags.containsFilter ||= options.experimentalContainsFilter;
    return new Features(ledger, stored, flags);
  }

  get current(): Readonly<FeatureFlags> {
    return this.flags;
  }

  async change(changes: Partial<FeatureFlags>): Promise<void> {
    const stored = { ...this.stored, ...changes };
    await this.ledger.write([{ type: 'put', key: KEY, value: Buffer.from(JSON.stringify(stored)) }], true);
    this.stored = stored;
    this.flags = { ...this.flags, ...changes };
  }
}
