import fs from 'node:fs/promises';
import path from 'node:path';

/** Bytes of the files below a folder. What disappears meanwhile counts as nothing: payloads of ended tasks, files of deleted indexes. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(absent([]));
  const sizes = entries.map((entry) => {
    const at = path.join(folder, entry.name);
    return entry.isDirectory() ? folderSize(at) : fs.stat(at).then(({ size }) => size, absent(0));
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

/** Handles the failure of a call on a file that is gone. */
function absent<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    return instead;
  };
}
