import type { SeededRandom } from '../../../../bindings/test/random.js';
import type { TaskQueue } from '../../../tasks/queue/queue.js';
import type { NewTask } from '../../../tasks/queue/records.js';
import { toRanges } from '../../../tasks/ranges.js';

/** Those whose names begin with `e` embed texts. */
const UIDS = ['a', 'b', 'e', 'e2'];

type Maker = (random: SeededRandom, queue: TaskQueue) => NewTask;

const aboutIndex =
  (type: NewTask['type'], work: (random: SeededRandom) => NewTask['work'], details: NewTask['details'] = null): Maker =>
  (random) => ({ type, indexUid: random.pick(UIDS), details, work: work(random) });

const overTasks =
  (type: 'taskCancelation' | 'taskDeletion', counter: string): Maker =>
  (random, queue) => {
    const uids: number[] = [];
    for (let uid = Math.max(0, queue.table.highest - 12); uid <= queue.table.highest; uid++)
      if (queue.table.get(uid) && random.int(3) === 0) uids.push(uid);
    const tasks = toRanges(uids);
    return { type, indexUid: null, details: { matchedTasks: uids.length, [counter]: null }, work: { kind: type, tasks } };
  };

const addition: Maker = (random) => ({
  type: 'documentAdditionOrUpdate',
  indexUid: random.pick(UIDS),
  details: { receivedDocuments: 1, indexedDocuments: null },
  work: {
    kind: 'import',
    method: 'replace',
    primaryKey: null,
    skipCreation: false,
    createsIndex: random.int(5) > 0,
    file: null,
    bytes: 1,
  },
  payload: Buffer.from('x'),
});

/** How often each kind is made, of their sum. */
const KINDS: [weight: number, make: Maker][] = [
  [12, addition],
  [
    4,
    aboutIndex('documentDeletion', (random) => ({ kind: 'deleteByIds', ids: [`ids-${random.int(1e9)}`] }), {
      providedIds: 1,
      deletedDocuments: null,
    }),
  ],
  [
    5,
    aboutIndex('settingsUpdate', (random) => ({
      kind: 'settings',
      patch: { searchCutoffMs: 1 + random.int(1000) },
      createsIndex: random.int(2) > 0,
    })),
  ],
  [2, aboutIndex('documentDeletion', () => ({ kind: 'clear' }), { deletedDocuments: null })],
  [2, aboutIndex('indexCreation', () => ({ kind: 'indexCreation', primaryKey: null }), { primaryKey: null })],
  [2, aboutIndex('indexDeletion', () => ({ kind: 'indexDeletion' }), { deletedDocuments: null })],
  [1, aboutIndex('indexCompaction', () => ({ kind: 'indexCompaction' }), {})],
  [
    1,
    (random) => {
      const [uid, newUid] = [random.pick(UIDS), random.pick(UIDS)];
      const details = { primaryKey: null, oldIndexUid: uid, newIndexUid: newUid };
      return { type: 'indexUpdate', indexUid: uid, details, work: { kind: 'indexUpdate', primaryKey: null, newUid } };
    },
  ],
  [
    2,
    (random) => {
      const first = random.pick(UIDS);
      const second = random.pick(UIDS.filter((uid) => uid !== first));
      const swaps = [{ indexes: [first, second] as [string, string], rename: random.int(3) === 0 }];
      return { type: 'indexSwap', indexUid: null, details: { swaps }, work: { kind: 'indexSwap', swaps } };
    },
  ],
  [4, overTasks('taskCancelation', 'canceledTasks')],
  [2, overTasks('taskDeletion', 'deletedTasks')],
];
const SUM = KINDS.reduce((sum, [weight]) => sum + weight, 0);

/** A task as a route would hand it in. */
export function randomTask(random: SeededRandom, queue: TaskQueue): NewTask {
  let place = random.int(SUM);
  for (const [weight, make] of KINDS) {
    if (place < weight) return make(random, queue);
    place -= weight;
  }
  throw new Error('the weights do not add up');
}
