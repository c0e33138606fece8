import t from 'tap';
import { type SeededRandom, seededRandom } from '../../../bindings/test/random.js';
import { ExpectedCosts } from '../../search/pool/expected-costs.js';
import { levelOf, SearchQueue } from '../../search/pool/queue.js';
import { EncodedRequest } from '../../search/request-bytes.js';

/**
 * Long searches beside short ones: clients, the real queue and expectations, and threads that take requests with a slot in the order of
 * arrival, with a clock that jumps from event to event.
 */

interface Clients {
  count: number;
  /** Milliseconds of a thread that each request takes. */
  cost: number;
  /** Milliseconds on average between an answer and the next request of a client. */
  pause: number;
}

interface Seen {
  answered: number;
  /** Milliseconds from a request to its answer, on average. */
  latency: number;
  /** Share of the time of all threads. */
  share: number;
  /** Answers of the client that got the fewest. */
  fewest: number;
}

const SLOTS_PER_THREAD = 4;
/** Share of the time before counting begins: expectations have to be learnt. */
const COUNTED_FROM = 1 / 4;

interface Course {
  /** Milliseconds that are simulated. */
  lasts: number;
  /** Whether each client has its own connection; otherwise clients cannot be distinguished. */
  isConnected: boolean;
}

interface Turn {
  client: Client;
  request: EncodedRequest;
  level: number;
  slot: number;
  since: number;
}

class Client {
  answered = 0;

  constructor(
    readonly group: Clients,
    /** The key by which expectations distinguish clients: the connection, or nothing. */
    readonly connection: object | undefined,
    readonly number: number,
  ) {}
}

async function simulate(
  threads: number,
  groups: Clients[],
  random: SeededRandom,
  { lasts = 9000, isConnected = true }: Partial<Course> = {},
): Promise<Seen[]> {
  let now = 0;
  const events: { at: number; happen: () => void }[] = [];
  const after = (milliseconds: number, happen: () => void) => {
    const at = now + milliseconds;
    let place = events.length;
    while (place > 0 && events[place - 1]!.at < at) place--;
    events.splice(place, 0, { at, happen });
  };
  const part = () => (1 + random.int(1_000_000)) / 1_000_001;
  const limits = { parallel: threads * SLOTS_PER_THREAD, threads, capacity: 1000, maxWait: 60_000 };
  const queue = new SearchQueue(limits, part, () => now);
  const costs = new ExpectedCosts();
  const ring: Turn[] = [];
  let idle = threads;
  const figures = groups.map(() => ({ answered: 0, latency: 0, busy: 0 }));

  const begin = () => {
    while (idle > 0 && ring.length > 0) {
      const turn = ring.shift()!;
      idle--;
      after(turn.client.group.cost, () => end(turn));
    }
  };
  const end = ({ client, request, level, slot, since }: Turn) => {
    idle++;
    const { cost, pause } = client.group;
    costs.learn(request, cost);
    queue.charge(level, cost);
    queue.release(slot, level);
    if (now > lasts * COUNTED_FROM) {
      const figure = figures[groups.indexOf(client.group)]!;
      figure.answered++;
      figure.latency += now - since;
      figure.busy += cost;
      client.answered++;
    }
    begin();
    after(-Math.log(part()) * pause, () => void ask(client));
  };
  const ask = async (client: Client) => {
    const since = now;
    const body = new TextEncoder().encode(`client ${client.number}`);
    const request = new EncodedRequest({ kind: 'search', uid: 'a', call: { body }, since }, client.connection);
    const level = levelOf(costs.of(request));
    const slot = await queue.acquire(level);
    ring.push({ client, request, level, slot, since });
    begin();
  };

  const clients = groups.flatMap((group) =>
    Array.from({ length: group.count }, () => new Client(group, isConnected ? {} : undefined, random.int(2 ** 31))),
  );
  for (const client of clients) after(part() * 50, () => void ask(client));
  while (now < lasts) {
    const { at, happen } = events.pop()!;
    now = at;
    happen();
    // promises of slots settle
    for (let turns = 0; turns < 4; turns++) await null;
  }
  return groups.map((group, i) => {
    const { answered, latency, busy } = figures[i]!;
    const fewest = Math.min(...clients.filter((client) => client.group === group).map((client) => client.answered));
    return { answered, latency: latency / answered, share: busy / (threads * lasts * (1 - COUNTED_FROM)), fewest };
  });
}

const seed = Number(process.env.SEED ?? 1);
const random = seededRandom(seed);
t.comment(`SEED=${seed}`);

const short = (count: number, pause: number): Clients => ({ count, cost: 1, pause });
const long = (count: number, cost = 90): Clients => ({ count, cost, pause: 0 });

t.test('eight clients with long searches leave a thread to short ones, and use the others', async (t) => {
  for (const isConnected of [true, false]) {
    for (const threads of [2, 4]) {
      const [quick, slow] = await simulate(threads, [short(8, 20), long(8)], random, { isConnected });
      t.ok(
        quick!.latency < 3,
        `${quick!.latency} ms on ${threads} threads, clients ${isConnected ? '' : 'not '}known by connection`,
      );
      t.ok(slow!.share > 0.9 * ((threads - 1) / threads), `the long ones have ${slow!.share} of the time`);
    }
  }
});

t.test('under full load long searches have the share of their clients', async (t) => {
  const [quick, slow] = await simulate(2, [short(32, 0), long(8)], random);
  t.ok(slow!.share > 0.1 && slow!.share < 0.3, `8 of 40 clients have ${slow!.share} of the time`);
  t.ok(quick!.share + slow!.share > 0.97, 'no thread is idle');
  t.ok(slow!.fewest > 0, 'each of them is answered');
});

t.test('long searches alone use all threads', async (t) => {
  const [slow] = await simulate(4, [long(16)], random);
  t.ok(slow!.share > 0.98, `${slow!.share} of the time`);
});

t.test('with one thread long and short searches take turns', async (t) => {
  const [quick, slow] = await simulate(1, [short(8, 20), long(8)], random);
  t.ok(quick!.latency < 2 * 90, `${quick!.latency} ms, where eight of 90 ms wait`);
  t.ok(slow!.share > 0.3 && slow!.fewest > 0, `the long ones have ${slow!.share} of the time`);
});

t.test('searches that run into their time limit do not delay those of 90 ms', async (t) => {
  const [middle, slow] = await simulate(4, [{ count: 2, cost: 90, pause: 100 }, long(8, 1500)], random, { lasts: 120_000 });
  t.ok(middle!.latency < 400, `${middle!.latency} ms, where eight of 1500 ms wait`);
  t.ok(slow!.fewest > 0);
});

const MIXED_MS = 30_000;

t.test('in random mixes all searches are answered, and no thread is idle for long', async (t) => {
  for (let round = 0; round < 8; round++) {
    const groups = Array.from({ length: 1 + random.int(3) }, (): Clients => {
      return { count: 1 + random.int(12), cost: random.pick([5, 20, 40, 100, 700]), pause: random.pick([0, 0, 5, 200]) };
    });
    const threads = 1 + random.int(4);
    const seen = await simulate(threads, groups, random, { lasts: MIXED_MS });
    const what = `${JSON.stringify(groups)} on ${threads} threads: ${JSON.stringify(seen)}`;
    const clients = groups.reduce((sum, { count }) => sum + count, 0);
    for (const [i, { answered }] of seen.entries()) {
      const { count, cost } = groups[i]!;
      const due = (Math.max(1, threads - 1) * MIXED_MS * count) / clients / cost;
      if (due > 10 && answered === 0) t.fail(`clients are not answered, ${what}`);
    }
    const used = seen.reduce((sum, { share }) => sum + share, 0);
    const wanted = groups.reduce(
      (sum, { count, cost, pause }) => sum + (pause === 0 ? count : (count * cost) / (cost + pause)),
      0,
    );
    // one thread may be reserved for cheaper searches
    if (used * threads < 0.7 * Math.min(wanted, Math.max(1, threads - 1))) t.fail(`threads are idle, ${what}`);
  }
  t.pass();
});

t.test('the cost of a client is learnt from three requests in a row, that of a request from one', async (t) => {
  const costs = new ExpectedCosts();
  const asked = (text: string, client?: object) =>
    new EncodedRequest({ kind: 'search', uid: 'a', call: { body: new TextEncoder().encode(text) }, since: 0 }, client);
  const client = {};
  costs.learn(asked('first', client), 100);
  t.equal(levelOf(costs.ofClient(client)), 0, 'one long search says little about the next');
  t.equal(levelOf(costs.of(asked('first'))), 1, 'but the same one will be long again, whoever sends it');
  t.equal(levelOf(costs.of(asked('other'))), 0);
  costs.learn(asked('second', client), 300);
  t.equal(levelOf(costs.ofClient(client)), 0, 'nor do two, on a busy machine');
  costs.learn(asked('third', client), 300);
  t.equal(levelOf(costs.of(asked('other', client))), 1, 'three in a row took as long as the shortest of them');
  costs.learn(asked('short', client), 1);
  t.equal(levelOf(costs.of(asked('other', client))), 0, 'a short one ends that');
  costs.learn(asked('first'), 1);
  t.equal(costs.of(asked('first')), 0);
  for (let number = 0; number < 2000; number++) costs.learn(asked(`long ${number}`), 300);
  t.same([costs.of(asked('long 5')), costs.of(asked('long 1999'))], [0, 300], 'the newest are remembered');
});
