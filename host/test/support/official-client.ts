import { Meilisearch } from 'meilisearch';

/** Milliseconds that the client waits for a task: more than its default of 5 s, for busy machines. */
const TASK_TIMEOUT_MS = 60_000;

/** The official JavaScript client of a test server. */
export function officialClient(host: string, apiKey = ''): Meilisearch {
  return new Meilisearch({ host, apiKey, defaultWaitOptions: { timeout: TASK_TIMEOUT_MS } });
}
