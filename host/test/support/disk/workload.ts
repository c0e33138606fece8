import type { SeededRandom } from '../../../../bindings/test/random.js';
import type { Answer } from '../../server.js';

/** A write as represented in the model of the database; each is a task. */
export type Write =
  | { kind: 'add'; index: string; documents: Doc[]; update: boolean }
  | { kind: 'deleteIds'; index: string; ids: number[] }
  | { kind: 'deleteKind'; index: string; of: number }
  | { kind: 'clear'; index: string }
  | { kind: 'settings'; index: string; searchable: string[] }
  | { kind: 'swap'; indexes: [string, string] }
  | { kind: 'deleteIndex'; index: string }
  | { kind: 'forgetTasks' };

export interface Doc {
  id: number;
  [member: string]: unknown;
}

const INDEXES = ['a', 'b', 'c'];
const IDS = 60;
const SEARCHABLE = [['*'], ['text'], ['text', 'kind'], ['more', 'text']];
/** Kinds of writes; those listed repeatedly are more frequent. */
const KINDS: Write['kind'][] = [
  ...Array<'add'>(12).fill('add'),
  ...Array<'settings'>(2).fill('settings'),
  ...Array<'deleteIds'>(3).fill('deleteIds'),
  'deleteKind',
  'clear',
  'swap',
  'deleteIndex',
  'forgetTasks',
];

export function someWrite(random: SeededRandom): Write {
  const kind = random.pick(KINDS);
  const index = random.pick(INDEXES);
  switch (kind) {
    case 'add': {
      const isLarge = random.int(4) === 0;
      const documents = Array.from({ length: isLarge ? 25 : 1 + random.int(4) }, (): Doc => {
        const id = random.int(IDS);
        const text = `common word${id % 7} ${random.int(1000)}`;
        return {
          id,
          kind: id % 3,
          text: isLarge ? `${text} ${'filler '.repeat(450)}` : text,
          ...(random.int(2) ? { more: 'm' } : {}),
        };
      });
      return { kind, index, documents, update: random.int(3) === 0 };
    }
    case 'deleteIds':
      return { kind, index, ids: Array.from({ length: 1 + random.int(9) }, () => random.int(IDS)) };
    case 'deleteKind':
      return { kind, index, of: random.int(3) };
    case 'settings':
      return { kind, index, searchable: random.pick(SEARCHABLE) };
    case 'swap':
      return { kind, indexes: random.pick([['a', 'b'] as const, ['b', 'c'] as const]) as [string, string] };
    case 'forgetTasks':
      return { kind };
    default:
      return { kind, index };
  }
}

type Call = (method: string, route: string, body?: unknown) => Promise<Answer>;

export function send(write: Write, call: Call): Promise<Answer> {
  const at = 'index' in write ? `/indexes/${write.index}` : '';
  switch (write.kind) {
    case 'add':
      return call(write.update ? 'PUT' : 'POST', `${at}/documents?primaryKey=id`, write.documents);
    case 'deleteIds':
      return call('POST', `${at}/documents/delete-batch`, write.ids);
    case 'deleteKind':
      return call('POST', `${at}/documents/delete`, { filter: `kind = ${write.of}` });
    case 'clear':
      return call('DELETE', `${at}/documents`);
    case 'settings':
      return call('PATCH', `${at}/settings`, { searchableAttributes: write.searchable, filterableAttributes: ['kind'] });
    case 'swap':
      return call('POST', '/swap-indexes', [{ indexes: write.indexes }]);
    case 'deleteIndex':
      return call('DELETE', at);
    case 'forgetTasks':
      return call('DELETE', '/tasks?types=documentAdditionOrUpdate&statuses=succeeded');
  }
}

export interface ModelIndex {
  documents: Map<number, Doc>;
  searchable: string[];
}

/** The content of the indexes after these writes, applied in order; the caller leaves out failed ones. */
function indexesAfter(writes: Iterable<Write>): Map<string, ModelIndex> {
  const indexes = new Map<string, ModelIndex>();
  const indexOf = (name: string) => {
    const index = indexes.get(name) ?? { documents: new Map(), searchable: ['*'] };
    indexes.set(name, index);
    return index;
  };
  for (const write of writes) {
    switch (write.kind) {
      case 'add':
        for (const document of write.documents) {
          const { documents } = indexOf(write.index);
          const before = write.update ? documents.get(document.id) : undefined;
          documents.set(document.id, { ...before, ...document });
        }
        break;
      case 'deleteIds':
        for (const id of write.ids) indexes.get(write.index)?.documents.delete(id);
        break;
      case 'deleteKind': {
        const documents = indexes.get(write.index)?.documents ?? new Map<number, Doc>();
        for (const [id, { kind }] of documents) if (kind === write.of) documents.delete(id);
        break;
      }
      case 'clear':
        indexes.get(write.index)?.documents.clear();
        break;
      case 'settings':
        indexOf(write.index).searchable = write.searchable;
        break;
      case 'swap': {
        const [a, b] = write.indexes;
        const [left, right] = [indexOf(a), indexOf(b)];
        indexes.set(a, right).set(b, left);
        break;
      }
      case 'deleteIndex':
        indexes.delete(write.index);
    }
  }
  return indexes;
}

interface TaskView {
  uid: number;
  status: string;
  error: { code: string; message: string } | null;
}

/**
 * Compares a database with its tasks and their writes.
 * @param writes by the uid of their task
 * @param mayFail error codes with which tasks may fail
 * @returns what is wrong, or null
 */
export async function faultOf(
  call: Call,
  writes: ReadonlyMap<number, Write>,
  acknowledged: readonly number[],
  mayFail: readonly string[] = [],
): Promise<string | null> {
  const { body: list } = await call('GET', '/tasks?limit=100000');
  const views = list.results as TaskView[];
  const tasks = new Map(views.map(({ uid, status }) => [uid, status]));
  const highest = Math.max(-1, ...tasks.keys());
  const forgets = [...tasks].some(([uid, status]) => writes.get(uid)?.kind === 'forgetTasks' && status === 'succeeded');
  const isForgotten = (uid: number) => !tasks.has(uid) && forgets && uid < highest && writes.get(uid)?.kind === 'add';
  const lost = acknowledged.filter((uid) => !tasks.has(uid) && !isForgotten(uid));
  if (lost.length > 0) return `acknowledged tasks are gone: ${lost.join(', ')}`;

  // a batch that begins with a deletion by filter makes no index for the documents after it
  const failed = views.find(
    ({ uid, status, error }) =>
      status === 'failed' && writes.get(uid)?.kind === 'add' && !['index_not_found', ...mayFail].includes(error?.code ?? ''),
  );
  if (failed) return `the documents of task ${failed.uid} were taken, and then it failed: ${failed.error?.message}`;

  const done = [...writes].filter(([uid]) => tasks.get(uid) === 'succeeded' || isForgotten(uid)).sort(([a], [b]) => a - b);
  const clears = [...writes].some(([uid, { kind }]) => kind === 'clear' && tasks.get(uid) === 'enqueued');
  const wanted = indexesAfter(done.map(([, write]) => write));
  for (const name of INDEXES) {
    const fault = await faultOfIndex(call, name, wanted.get(name), clears);
    if (fault) return fault;
  }
  return null;
}

async function faultOfIndex(call: Call, name: string, wanted: ModelIndex | undefined, clears: boolean): Promise<string | null> {
  const { status, body } = await call('GET', `/indexes/${name}/documents?limit=1000`);
  if (status !== 200 && (body.code !== 'index_not_found' || (wanted?.documents.size ?? 0) > 0)) return `${name}: ${body.message}`;
  const found = (status === 200 ? (body.results as Doc[]) : []).sort((a, b) => a.id - b.id);
  // a clear among changes of settings is a commit of its own
  if (clears && found.length === 0) return null;
  const documents = [...(wanted?.documents.values() ?? [])].sort((a, b) => a.id - b.id);
  if (canonical(found) !== canonical(documents)) {
    return `${name}: ${found.length} documents (${found.map(({ id }) => id)}), not the ${documents.length} of its tasks (${documents.map(({ id }) => id)})`;
  }
  if (status !== 200 || documents.length === 0) return null;
  const settings = await call('GET', `/indexes/${name}/settings`);
  if (JSON.stringify(settings.body.searchableAttributes) !== JSON.stringify(wanted?.searchable)) {
    return `${name}: searchable attributes ${settings.body.searchableAttributes}, not ${wanted?.searchable}`;
  }
  const search = await call('POST', `/indexes/${name}/search`, { q: 'common', hitsPerPage: 1 });
  return search.body.totalHits === documents.length
    ? null
    : `${name}: a search finds ${search.body.totalHits} of ${documents.length}`;
}

function canonical(documents: Doc[]): string {
  return JSON.stringify(documents.map((document) => Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))));
}
