import type { IndexSettings } from '../index-types.js';
import { covers } from '../patterns.js';

/** Stands in messages for attributes that are not displayed. */
const HIDDEN = '<..hidden-attributes>';

/** Whether `displayedAttributes` has an attribute itself, or all. */
export function isDisplayed({ displayedAttributes }: IndexSettings, path: string): boolean {
  return displayedAttributes === null || displayedAttributes.includes('*') || displayedAttributes.includes(path);
}

/** A list of attributes for a message: {@link HIDDEN} replaces those that are not displayed. */
export function visibleNames(names: readonly string[], settings: IndexSettings): string {
  const { displayedAttributes } = settings;
  const shown =
    displayedAttributes === null ? names : names.filter((name) => displayedAttributes.some((field) => covers(field, name)));
  const items = shown.map((name) => `\`${name}\``);
  return (shown.length < names.length ? [...items, HIDDEN] : items).join(', ');
}

/** Names the attributes of a kind for a message: `Sortable attributes: …`. @param list empty when there are none */
export function attributesHint(kind: string, list: string): string {
  return list === '' ? `This index has no ${kind.toLowerCase()} attributes` : `${kind} attributes: ${list}`;
}
