import fs from 'node:fs/promises';
import path from 'node:path';

/** Bytes of the files below a folder. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await fs.readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    // Files may disappear meanwhile: payloads of ended tasks, merged segments.
    .map((entry) =>
      fs.stat(path.join(entry.parentPath, entry.name)).then(
        (stat) => stat.size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
