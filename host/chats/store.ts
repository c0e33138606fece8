import { sortedSet } from '../../bindings/engine/utf8.js';
import { apiError } from '../../bindings/errors.js';
import type { Ledger, LedgerWrite } from '../storage/ledger/ledger.js';
import { Serial } from '../storage/serial.js';
import { changedWorkspace, DEFAULT_WORKSPACE, type WorkspaceChange, type WorkspaceSettings } from './settings.js';

const PREFIX = 'chat/';

/** The workspaces of chats, kept in the ledger. */
export class WorkspaceStore {
  readonly #changes = new Serial();

  private constructor(
    private readonly ledger: Ledger,
    private readonly workspaces: Map<string, WorkspaceSettings>,
  ) {}

  static async load(ledger: Ledger): Promise<WorkspaceStore> {
    return new WorkspaceStore(ledger, await storedWorkspaces(ledger));
  }

  get uids(): string[] {
    return sortedSet(this.workspaces.keys());
  }

  /** @throws ApiError chat_not_found */
  find(uid: string): WorkspaceSettings {
    const settings = this.workspaces.get(uid);
    if (!settings) throw apiError('chat_not_found', 'notFound', { uid });
    return settings;
  }

  /** Changes a workspace, or makes one. @throws ApiError bad_request */
  update(uid: string, change: WorkspaceChange): Promise<WorkspaceSettings> {
    return this.#changes.run(() => this.#keep(uid, changedWorkspace(this.workspaces.get(uid) ?? DEFAULT_WORKSPACE, change)));
  }

  /** @throws ApiError chat_not_found */
  reset(uid: string): Promise<WorkspaceSettings> {
    return this.#changes.run(async () => {
      this.find(uid);
      return this.#keep(uid, DEFAULT_WORKSPACE);
    });
  }

  /** @throws ApiError chat_not_found */
  delete(uid: string): Promise<void> {
    return this.#changes.run(async () => {
      this.find(uid);
      await this.ledger.write([{ type: 'del', key: PREFIX + uid }], true);
      this.workspaces.delete(uid);
    });
  }

  async #keep(uid: string, settings: WorkspaceSettings): Promise<WorkspaceSettings> {
    await this.ledger.write([workspaceWrite(uid, settings)], true);
    this.workspaces.set(uid, settings);
    return settings;
  }
}

export async function storedWorkspaces(ledger: Ledger): Promise<Map<string, WorkspaceSettings>> {
  const workspaces = new Map<string, WorkspaceSettings>();
  for await (const [key, value] of ledger.iterate(PREFIX)) workspaces.set(key.slice(PREFIX.length), JSON.parse(value.toString()));
  return workspaces;
}

export function workspaceWrite(uid: string, settings: WorkspaceSettings): LedgerWrite {
  return { type: 'put', key: PREFIX + uid, value: Buffer.from(JSON.stringify(settings)) };
}
