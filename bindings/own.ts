/**
 * The member of a table by a name that may have come from a user: `undefined` for what is not in the table itself, such as `constructor`
 * or `__proto__`, which every object inherits. `test/inherited-names.test.ts` holds that such names go nowhere else.
 */
export function own<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return isOwn(table, name) ? (table as Record<OwnName, T[keyof T]>)[name] : undefined;
}

/** A name that is known to be one of some table. */
export type OwnName = string & { readonly isOwn: unique symbol };

export function isOwn(table: object, name: string): name is OwnName {
  return Object.hasOwn(table, name);
}
