import { apiError } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import { isOwn, own } from '../../../bindings/own.js';
import type { JsonObject, JsonValue } from '../../../bindings/query/json.js';
import { changed, type MemberTable, Place, readObject } from '../../../bindings/query/validate.js';
import { checkSentEmbedders, type EmbedderGate, embedderGates } from './embedders/check.js';
import type { SentEmbedder } from './embedders/kinds.js';
import { DEFAULT_SETTINGS, SETTINGS, type Setting } from './settings.js';
import { sentMembers } from './settings-kinds.js';

/** A requested change of settings: `patch` by setting, with null for a reset; `details` as its task shows it. */
export interface SettingsChange {
  patch: Record<string, unknown>;
  details: Record<string, unknown>;
}

/** Parses the body of `PATCH /settings`. @throws ApiError for the first invalid member */
export function readSettings(body: JsonObject): SettingsChange {
  const table = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, { kind, code }]) => [name, changed(kind, code)]),
  ) as unknown as MemberTable<Record<string, unknown>>;
  return changeOf(sentMembers(readObject(table, body)));
}

/** Parses the body of the route of one setting. @throws ApiError with the error code of the setting */
export function readSetting(name: string, value: JsonValue): SettingsChange {
  const { kind, code } = own(SETTINGS, name)!;
  return changeOf({ [name]: value === null ? null : kind.json(value, new Place(`.${name}`, code)) });
}

export function resetOf(names: string[]): SettingsChange {
  return changeOf(Object.fromEntries(names.map((name) => [name, null])));
}

function changeOf(patch: Record<string, unknown>): SettingsChange {
  const details = Object.entries(patch).map(([name, value]) => [name, detailOf(own(SETTINGS, name)!, value)]);
  return { patch, details: Object.fromEntries(details) };
}

function detailOf({ resetAs, details }: Setting, value: unknown): unknown {
  if (value === null) return resetAs;
  return details ? details(value as never) : value;
}

/** The experimental features that the embedders of a change require. */
export function gatedEmbedders({ patch }: SettingsChange): EmbedderGate[] {
  return patch.embedders ? embedderGates(patch.embedders as Record<string, SentEmbedder | null>) : [];
}

/** Checks that follow those of features. @throws ApiError for the first invalid embedder */
export function checkEmbedders({ patch }: SettingsChange): void {
  if (patch.embedders) checkSentEmbedders(patch.embedders as Record<string, SentEmbedder | null>);
}

/** The settings of a change that require an experimental feature. */
export function gatedSettings({ patch }: SettingsChange): { name: string; feature: string }[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const { feature } = own(SETTINGS, name)!;
    return feature && value !== null ? [{ name, feature }] : [];
  });
}

/** The settings after a change. @throws ApiError when the change contradicts what is stored */
export function applySettings(stored: IndexSettings, patch: Record<string, unknown>, uid: string): IndexSettings {
  let settings = stored;
  for (const [name, value] of Object.entries(patch)) {
    const reset = isOwn(DEFAULT_SETTINGS, name) ? { [name]: own(DEFAULT_SETTINGS, name) } : {};
    settings = { ...settings, ...(value === null ? reset : own(SETTINGS, name)!.merge(settings, value as never)) };
  }
  const { oneTypo, twoTypos } = settings.typoTolerance.minWordSizeForTypos;
  if (oneTypo > twoTypos) throw apiError('invalid_settings_typo_tolerance', 'sizes', { uid, oneTypo, twoTypos });
  return settings;
}
