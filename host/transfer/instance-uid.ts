import fs from 'node:fs/promises';
import path from 'node:path';
import { v4 as uuidv4 } from 'uuid';
import { readUuid } from '../auth/uuids.js';

/** File in the database folder with the uid of the instance. */
export const INSTANCE_UID_FILE = 'instance-uid';

/** The uid of the instance that owns a database; null when it has none. */
export async function readInstanceUid(database: string): Promise<string | null> {
  const text = await fs.readFile(path.join(database, INSTANCE_UID_FILE), 'utf8').catch(() => '');
  return readUuid(text.trim());
}

export async function writeInstanceUid(database: string, uid: string): Promise<void> {
  await fs.writeFile(path.join(database, INSTANCE_UID_FILE), uid, { flush: true });
}

/** The uid of the instance, created if needed. Telemetry distinguishes instances by it. */
export async function ensureInstanceUid(database: string): Promise<string> {
  const known = await readInstanceUid(database);
  if (known !== null) return known;
  const uid = uuidv4();
  await writeInstanceUid(database, uid);
  return uid;
}
