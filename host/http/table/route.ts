import type { MemberTable, Schema } from '../../../bindings/query/validate.js';
import type { Action } from '../../auth/actions.js';
import { ref } from './schemas.js';

/** Everything about a route except its handler. */
export interface Route {
  /** What a key must be allowed to do. */
  action: Action;
  summary: string;
  // biome-ignore lint/suspicious/noExplicitAny: tables of every shape
  parameters?: MemberTable<any>;
  body?: Schema;
  /** Media types of the body; JSON by default. */
  types?: readonly string[];
  /** Status of a successful answer, and its schema; null: no body. */
  answer: readonly [status: number, schema: Schema | null, type?: string];
}

export const TASK = [202, ref('SummarizedTask')] as const;
/** Cancelations, deletions of tasks and exports are answered 200. */
export const TASK_AS_200 = [200, ref('SummarizedTask')] as const;
export const JSON_ANSWER = (name: string) => [200, ref(name)] as const;
export const NOTHING = [204, null] as const;
