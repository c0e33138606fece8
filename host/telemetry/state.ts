import fs from 'node:fs/promises';
import os from 'node:os';
import type { Service } from '../http/service.js';
import type { Launch } from '../options/launch.js';
import type { Usage } from '../search/usage.js';
import { folderSize } from '../storage/folder-size.js';

/** What metrics are read from when they are reported. */
export interface TelemetryState {
  options: Launch;
  service: Service;
  usage: Usage;
  system: SystemFacts;
  databaseBytes: number;
  /** Milliseconds since 1970. */
  startedAt: number;
}

export interface SystemFacts {
  distribution: string | null;
  diskBytes: number;
  serverProvider: string | null;
}

export async function readSystem(database: string): Promise<SystemFacts> {
  const release = await fs.readFile('/etc/os-release', 'utf8').catch(() => '');
  const disks = await Promise.all(['/', database].map((folder) => fs.statfs(folder).catch(() => null)));
  const { PEREGRINE_SERVER_PROVIDER, MEILI_SERVER_PROVIDER } = process.env;
  return {
    distribution: /^PRETTY_NAME="?(.*?)"?$/m.exec(release)?.[1] ?? os.type(),
    diskBytes: Math.max(...disks.map((disk) => (disk ? disk.blocks * disk.bsize : 0))),
    serverProvider: PEREGRINE_SERVER_PROVIDER ?? MEILI_SERVER_PROVIDER ?? null,
  };
}

export async function databaseBytes(database: string): Promise<number> {
  return folderSize(database).catch(() => 0);
}
