import type { IndexSettings } from '../index-types.js';
import { covers } from '../patterns.js';

/** Stands in messages for attributes that are not displayed. */
const HIDDEN = '<..hidden-attributes>';

/** Attributes in a message: {@link HIDDEN} replaces those that are not displayed. */
export function visibleNames(names: readonly string[], settings: IndexSettings): string[] {
  const { displayedAttributes } = settings;
  const shown =
    displayedAttributes === null ? names : names.filter((name) => displayedAttributes.some((field) => covers(field, name)));
  const listed = shown.map((name) => `\`${name}\``);
  return shown.length < names.length ? [...listed, HIDDEN] : listed;
}
