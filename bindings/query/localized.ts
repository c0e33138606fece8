import type { IndexSettings } from '../index-types.js';
import { matchesPattern } from '../patterns.js';

/** Locales of the first rule of `localizedAttributes` that matches a path; null: none does. */
export function attributeLocales({ localizedAttributes }: IndexSettings, path: string): readonly string[] | null {
  const rule = localizedAttributes?.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesPattern(pattern, path)),
  );
  return rule?.locales ?? null;
}
