import { readFile, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';

import { serviceNames, waitUntil } from '@parley/test-kit';

import type { LoadSystem } from '../load-system.ts';
import { interlacedPng } from './costly-picture.ts';

/** The cost of one hostile request, or of several at once. */
export type AttackResult = {
  readonly attack: string;
  /** The number of answers by status; 0 stands for a connection that was closed without an answer. */
  readonly answers: Readonly<Record<string, number>>;
  readonly secs: number;
  /** Processor time of all services and their children. */
  readonly cpu_ms: number;
  readonly postgres_cpu_ms: number;
  /** The growth from before the attack to its peak, of the service that grew most. */
  readonly peak_growth_mib: number;
  /** The largest memory of a process that a service had started. */
  readonly child_peak_mib: number;
  /** The longest of another user's small requests during the attack, one to each service in turn. */
  readonly others_longest_ms: number;
  readonly others_failed: number;
};

type AttackRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string | Buffer;
  readonly isAnonymous?: boolean;
};

type Attack = {
  readonly name: string;
  /** Sent at once. */
  readonly requests: readonly AttackRequest[];
};

const formType = 'application/x-www-form-urlencoded';
const jsonType = 'application/json';
const mebibyte = 1024 * 1024;
const attackDeadlineMs = 60_000;
const othersPauseMs = 20;
// After an attack its processes collect garbage and its statements end, so that the next one starts under the same conditions.
const calmMs = 1_500;
const probes = ['messages?anchor=newest&num_before=1&num_after=0', 'streams', 'users/me', 'events'];

const repeated = (part: string, bytes: number): string =>
  part.repeat(Math.max(1, Math.floor(bytes / part.length)));
const numbers = (bytes: number): string => `[${repeated('1.0,', bytes)}1.0]`;
const names = (bytes: number): string => {
  const list: string[] = [];
  for (let size = 0; size < bytes; size += 12) list.push(`"n${list.length}"`);
  return `[${list.join(',')}]`;
};
const form = (fields: Readonly<Record<string, string>>): string =>
  new URLSearchParams(fields).toString();

function posted(path: string, body: string, isAnonymous = false): AttackRequest {
  return { method: 'POST', path, contentType: formType, body, isAnonymous };
}

function withPicture(picture: Buffer): AttackRequest {
  const boundary = 'picture-of-many-bytes';
  return {
    method: 'POST',
    path: 'users/me/avatar',
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
      ),
      picture,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

/**
 * @param apiKey of the attacker, for webhooks, which take it in the address
 * @param emails of people whom terms can name
 */
function makeAttacks(apiKey: string, emails: readonly string[]): Attack[] {
  const narrow = (terms: readonly object[]): AttackRequest[] =>
    Array.from({ length: 8 }, () =>
      posted(
        'messages',
        form({
          method: 'GET',
          anchor: 'newest',
          num_before: '10',
          num_after: '0',
          narrow: JSON.stringify(terms),
        }),
      ),
    );
  const unread = { operator: 'is', operand: 'unread' };
  // Of the terms that can be repeated in a narrow these cost most: a negated one must be searched in every message.
  const groups = emails.map((operand) => ({ operator: 'group-pm-with', operand, negated: true }));
  const topics = (count: number): object[] =>
    Array.from({ length: count }, (_, n) => ({
      operator: 'topic',
      operand: `topic ${n}`,
      negated: true,
    }));
  const webhook = (body: string): AttackRequest => ({
    method: 'POST',
    path: `external/github?api_key=${apiKey}&stream=load`,
    contentType: jsonType,
    body,
  });
  const floats = (bytes: number): AttackRequest[] => [
    posted('messages/flags', form({ messages: numbers(bytes), op: 'add', flag: 'read' })),
    posted('users/me/subscriptions', form({ subscriptions: numbers(bytes) })),
    posted('users', form({ email: numbers(bytes) })),
    posted('register', form({ event_types: numbers(bytes) })),
  ];
  const leaving = (bytes: number): AttackRequest => ({
    method: 'DELETE',
    path: 'users/me/subscriptions',
    contentType: formType,
    body: form({ subscriptions: names(bytes) }),
  });
  const single = (name: string, attack: AttackRequest): Attack => ({ name, requests: [attack] });
  return [
    single(
      'anonymous form of %ff, 25 MiB',
      posted('dev_fetch_api_key', repeated('%ff', 24.9 * mebibyte), true),
    ),
    single(
      'anonymous form of %ff, 64 KiB',
      posted('dev_fetch_api_key', repeated('%ff', 65_000), true),
    ),
    single(
      'anonymous log-in, form of %ff, 64 KiB',
      posted('fetch_api_key', `username=${repeated('%ff', 64_000)}`, true),
    ),
    { name: 'lists of 1.0 to each service, 8 MB', requests: floats(8_000_000) },
    { name: 'lists of 1.0 to each service, 1 MB', requests: floats(1_000_000) },
    single('leaving streams of a list, 10 MB', leaving(10_000_000)),
    single('leaving streams of a list, 1 MB', leaving(750_000)),
    single('form of 1 MB of empty fields', posted('messages', repeated('a&', 1_000_000))),
    single('form of %ff, 1 MB', posted('messages', `content=${repeated('%ff', 1_000_000)}`)),
    single('webhook of escaped quotes, 80 KB', webhook(`"${repeated('\\"', 80_000)}`)),
    single('webhook of one open text, 25 MB', webhook(`"${repeated('a', 25_000_000)}`)),
    single('webhook of one open text, 4 MB', webhook(`"${repeated('a', 4_000_000)}`)),
    single('webhook of numbers, 4 MB', webhook(numbers(4_000_000))),
    single(
      'webhook of numbers in as many objects as are read, 1 MB',
      webhook(`[${repeated('{"a":1.0},', 990_000)}1.0]`),
    ),
    single('webhook of nested lists, 4 MB', webhook(repeated('[', 4_000_000))),
    {
      name: 'narrows of one term 1,700 times, eight at once',
      requests: narrow(Array.from({ length: 1_700 }, () => unread)),
    },
    { name: 'narrows of 1,700 terms, eight at once', requests: narrow(topics(1_700)) },
    {
      name: 'narrows of 50 terms, eight at once',
      requests: narrow([unread, ...groups, ...topics(50)].slice(0, 50)),
    },
    single('interlaced PNG of 16 bits, 38 million pixels', withPicture(interlacedPng(6_200))),
    single('interlaced PNG of 16 bits, 4 million pixels', withPicture(interlacedPng(2_000))),
    {
      name: 'largest interlaced PNGs that are taken, sixteen at once',
      requests: Array<AttackRequest>(16).fill(withPicture(interlacedPng(3_200))),
    },
    {
      name: '200 bots at once',
      requests: Array.from({ length: 200 }, (_, n) =>
        posted('bots', form({ full_name: `Bot ${n}`, short_name: `costly-${n}` })),
      ),
    },
    single(
      '3,000 streams by one call',
      posted(
        'users/me/subscriptions',
        form({
          subscriptions: JSON.stringify(
            Array.from({ length: 3_000 }, (_, n) => ({ name: `costly ${n}` })),
          ),
        }),
      ),
    ),
    {
      name: 'lists: 1,800 streams with descriptions of 1,024 emoji by 20 calls',
      requests: Array.from({ length: 20 }, (_, call) =>
        posted(
          'users/me/subscriptions',
          form({
            subscriptions: JSON.stringify(
              Array.from({ length: 90 }, (_each, n) => ({
                name: `long ${call} ${n}`,
                description: '🐟'.repeat(1_024),
              })),
            ),
          }),
        ),
      ),
    },
    {
      name: 'lists: eight registers after that',
      requests: Array.from({ length: 8 }, () => posted('register', '')),
    },
    {
      name: 'mails: 150 changes of the address to different ones',
      requests: Array.from({ length: 150 }, (_, n) => ({
        ...posted('settings', form({ email: `victim+${n}@flood.example` })),
        method: 'PATCH' as const,
      })),
    },
  ];
}

/** Sends one request on a separate connection. @returns the status; 0 if the connection was closed without one */
function sendAlone(url: string, authorization: string, attack: AttackRequest): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(
      `${url}/api/v1/${attack.path}`,
      {
        agent: false,
        method: attack.method,
        timeout: attackDeadlineMs,
        headers: {
          ...(attack.isAnonymous ? {} : { Authorization: authorization }),
          ...(attack.contentType === undefined ? {} : { 'Content-Type': attack.contentType }),
          'Content-Length': Buffer.byteLength(attack.body ?? ''),
        },
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(0));
    outgoing.on('close', () => resolve(0));
    outgoing.end(attack.body);
  });
}

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

// Linux counts in hundredths of a second on every machine that Node supports.
const msPerTick = 10;

/** Processor time of a process and of its ended children, in milliseconds. */
async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return Number.isNaN(ticks) ? 0 : ticks * msPerTick;
}

async function readStatusKib(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(String.raw`^${name}:\s+(\d+) kB`, 'm').exec(status)?.[1] ?? 0);
}

/** The kernel's counters of the processes at the start of an attack. */
class Footprint {
  readonly #pids: readonly number[];
  readonly #cpuMs: number;
  readonly #rssKib: ReadonlyMap<number, number>;

  private constructor(pids: readonly number[], cpuMs: number, rssKib: ReadonlyMap<number, number>) {
    this.#pids = pids;
    this.#cpuMs = cpuMs;
    this.#rssKib = rssKib;
  }

  static async #withChildren(pids: readonly number[]): Promise<number[]> {
    return [...pids, ...(await Promise.all(pids.map(childrenOf))).flat()];
  }

  static async #sumCpu(pids: readonly number[]): Promise<number> {
    return (await Promise.all(pids.map(readCpuMs))).reduce((sum, ms) => sum + ms, 0);
  }

  static async take(pids: readonly number[]): Promise<Footprint> {
    const all = await Footprint.#withChildren(pids);
    // From here on the kernel records a new peak.
    await Promise.all(
      all.map((pid) => writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)),
    );
    const rss = await Promise.all(
      all.map(async (pid) => [pid, await readStatusKib(pid, 'VmRSS')] as const),
    );
    return new Footprint(pids, await Footprint.#sumCpu(all), new Map(rss));
  }

  async compare(): Promise<Pick<AttackResult, 'cpu_ms' | 'peak_growth_mib' | 'child_peak_mib'>> {
    const all = await Footprint.#withChildren(this.#pids);
    const growth = await Promise.all(
      this.#pids.map(
        async (pid) => (await readStatusKib(pid, 'VmHWM')) - (this.#rssKib.get(pid) ?? 0),
      ),
    );
    const ofChildren = await Promise.all(
      all.slice(this.#pids.length).map((pid) => readStatusKib(pid, 'VmHWM')),
    );
    return {
      cpu_ms: (await Footprint.#sumCpu(all)) - this.#cpuMs,
      peak_growth_mib: Math.round(Math.max(...growth) / 1024),
      child_peak_mib: Math.round(Math.max(0, ...ofChildren) / 1024),
    };
  }
}

/**
 * Sends requests that are meant to be expensive, one kind after the other, while another user sends small requests to each service.
 *
 * @throws Error for a system that the generator did not start, and if the system does not answer again after an attack
 */
export async function measureAttacks(
  system: LoadSystem,
  only: string | undefined,
  report: (result: AttackResult) => void,
): Promise<void> {
  const { cluster, organization, stores } = system;
  const pids = serviceNames.flatMap((service) =>
    cluster.findProcesses(service).map(({ pid }) => pid),
  );
  const attacker = await organization.makeAccount('Attacker');
  const other = await organization.makeAccount('Somebody else');
  const queue = await other.client.post('register', { event_types: ['pointer'] });
  const credentials = Buffer.from(`${attacker.email}:${attacker.apiKey}`).toString('base64');
  const probe = async (path: string): Promise<boolean> => {
    const parameters =
      path === 'events'
        ? { queue_id: queue['queue_id'], last_event_id: queue['last_event_id'], dont_block: true }
        : {};
    const { status } = await other.client.withoutChecks('GET', path, parameters);
    return status === 200;
  };
  const attacks = makeAttacks(
    attacker.apiKey,
    system.accounts.map(({ email }) => email),
  ).filter(({ name }) => only === undefined || name.includes(only));
  for (const { name, requests } of attacks) {
    for (const path of probes) await probe(path);
    const before = await Footprint.take(pids);
    const postgres = await Footprint.take([stores.postgres.pid]);
    let isOver = false;
    const others = { longestMs: 0, failed: 0 };
    const probing = probes.map(async (path) => {
      while (!isOver) {
        const startedAt = performance.now();
        if (!(await probe(path).catch(() => false))) others.failed += 1;
        others.longestMs = Math.max(others.longestMs, performance.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, othersPauseMs));
      }
    });
    const startedAt = performance.now();
    const statuses = await Promise.all(
      requests.map((each) => sendAlone(cluster.url, `Basic ${credentials}`, each)),
    );
    const secs = Math.round(performance.now() - startedAt) / 1_000;
    // Work after the answer is part of the cost.
    await new Promise((resolve) => setTimeout(resolve, calmMs));
    isOver = true;
    await Promise.all(probing);
    const answers: Record<string, number> = {};
    for (const status of statuses) answers[status] = (answers[status] ?? 0) + 1;
    report({
      attack: name,
      answers,
      secs,
      ...(await before.compare()),
      postgres_cpu_ms: (await postgres.compare()).cpu_ms,
      others_longest_ms: Math.round(others.longestMs),
      others_failed: others.failed,
    });
    await waitUntil('every service answers again', async () => {
      const well = await Promise.all(probes.map((path) => probe(path).catch(() => false)));
      return well.every(Boolean) || undefined;
    });
  }
}
