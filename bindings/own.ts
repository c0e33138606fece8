/**
 * The member of a table by a name that may come from a user: `undefined` for inherited names such as `constructor` or
 * `__proto__`. `host/test/http/inherited-names.test.ts` checks that such names are looked up nowhere else.
 */
export function own<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return isOwn(table, name) ? (table as Record<OwnName, T[keyof T]>)[name] : undefined;
}

/** A name that is known to be an own member of some table. */
export type OwnName = string & { readonly isOwn: unique symbol };

export function isOwn(table: object, name: string): name is OwnName {
  return Object.hasOwn(table, name);
}
