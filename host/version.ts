import fs from 'node:fs';

/** Our own version; also the version of the database format that a folder is marked with. */
export const VERSION = '0.1.0';

/** The version of the interface that is spoken: clients compare it with what they support. */
export const INTERFACE_VERSION = '1.50.0';

/** The commit that was built, 40 hexadecimal digits, and its date (ISO 8601); unknown where it was built from no repository. */
export const COMMIT: { commitSha: string; commitDate: string } = readCommit();

/** scripts/build.mjs writes it. */
function readCommit(): typeof COMMIT {
  try {
    return JSON.parse(fs.readFileSync(new URL('../commit.json', import.meta.url), 'utf8'));
  } catch {
    return { commitSha: 'unknown', commitDate: 'unknown' };
  }
}
