import fs from 'node:fs';

/** The version of the server, which is also that of the database format. */
export const VERSION = '0.1.0';

/** The version of the Meilisearch API that is implemented: clients compare it with what they support. */
export const INTERFACE_VERSION = '1.50.0';

/** The commit that was built: 40 hexadecimal digits, and its ISO 8601 date; unknown when it was built outside a repository. */
export const COMMIT: { commitSha: string; commitDate: string } = readCommit();

/** Written by scripts/build.mjs. */
function readCommit(): typeof COMMIT {
  try {
    return JSON.parse(fs.readFileSync(new URL('../commit.json', import.meta.url), 'utf8'));
  } catch {
    return { commitSha: 'unknown', commitDate: 'unknown' };
  }
}
