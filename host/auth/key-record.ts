import type { Moment } from '../time/moments.js';

/** A key as the ledger keeps it. Its value is not stored: it follows from the uid and the master key. */
export interface KeyRecord {
  uid: string;
  name: string | null;
  description: string | null;
  /** As sent, in the same order and with repetitions. */
  actions: string[];
  indexes: string[];
  expiresAt: Moment | null;
  createdAt: Moment;
  updatedAt: Moment;
}

/** The members of a key that its creator chooses. */
export type NewKey = Omit<KeyRecord, 'uid' | 'createdAt' | 'updatedAt'> & { uid?: string | undefined };

/** The members of a key that can be changed; `undefined` leaves one as it is. */
export type KeyChange = Record<'name' | 'description', string | null | undefined>;
