import { Meilisearch } from 'meilisearch';

/** How long the client waits for a task: longer than its own 5 s, as tests share the processors with others. */
const TASK_TIMEOUT_MS = 60_000;

/** The official JavaScript client, for a server of a test. */
export function officialClient(host: string, apiKey = ''): Meilisearch {
  return new Meilisearch({ host, apiKey, defaultWaitOptions: { timeout: TASK_TIMEOUT_MS } });
}
