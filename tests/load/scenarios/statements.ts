/**
 * What Postgres takes of every send, with all jobs that follow from it, and of every statement that runs for a request, in organizations of
 * several sizes whose tables have no statistics and then have them.
 */
import { setTimeout as pause } from 'node:timers/promises';

import type { TestAccount } from '@parley/test-kit';
import type { Pool } from '@parley/database';

import { readTreeCpuNs } from '../accounting.ts';
import { startDurableStores } from '../durable-stores.ts';
import { nowMs } from '../fleet/protocol.ts';
import { untilJobsAreDone } from '../jobs.ts';
import { startSystemOn } from '../load-system.ts';
import { makeAccounts } from '../make-people.ts';
import { Senders } from '../senders.ts';
import { StatementLog, logStatements } from '../statement-times.ts';
import type { StatementTimes } from '../statement-times.ts';
import { roundFigure } from '../summary.ts';

type Setting = {
  readonly people: number;
  readonly isAnalyzed: boolean;
};

/** Sends for some seconds with everything that follows from them. */
type SendsResult = Setting & {
  readonly in_flight: number;
  readonly sends_per_s: number;
  readonly postgres_us_per_send: number;
  /** How long the jobs took after the last send. */
  readonly jobs_afterwards_ms: number;
};

type StatementResult = Setting & {
  readonly operation: string;
  readonly statements: readonly (StatementTimes & { readonly calls_per_operation: number })[];
  /** Of looking for whom the messages may concern. */
  readonly looking_us_per_operation: number;
};

export type StatementsResult = SendsResult | StatementResult;

type Operation = {
  readonly name: string;
  readonly times: number;
  readonly run: (n: number) => Promise<unknown>;
};

/** One in so many people wants to be notified of every message. */
const toldShare = 100;
const bulk = 64;
const senderProcesses = 2;
const sendsMax = 1_000_000;
const idleMs = 3_000;
const settleMs = 500;
const topic = 'load';
const statementsOfLooking: ReadonlySet<string> = new Set([
  'store-find-new-messages',
  'store-look-at-messages',
  'store-write-candidates',
  'store-move-told-upto',
]);
/** What runs more rarely for each operation runs by itself, or once for many. */
const rareShare = 0.3;

/** Whoever is `ann` acts, `bob` is written to; `quiet` is a stream of those who are told of nothing, `loud` one of all. */
function operationsOf(people: {
  readonly ann: TestAccount;
  readonly bob: TestAccount;
  readonly quiet: string;
  readonly loud: string;
}): readonly Operation[] {
  const { ann, bob, quiet, loud } = people;
  const { client } = ann;
  const sent: number[] = [];
  const idOf = (n: number): number => sent[n % sent.length] ?? 0;
  const queue = { id: '', last: -1 };
  const say = (to: string, content: string): Promise<number> =>
    client.sendToStream(to, topic, content);
  return [
    {
      name: 'send to a stream, nobody is told',
      times: 200,
      run: async (n) => sent.push(await say(quiet, `hello ${n}`)),
    },
    {
      name: 'send to a stream with a mention',
      times: 30,
      run: () => say(quiet, `@**${bob.user.fullName}** come`),
    },
    {
      name: 'send to a stream, one in a hundred is told',
      times: 30,
      run: (n) => say(loud, `hello ${n}`),
    },
    {
      name: 'send to a person',
      times: 30,
      run: (n) => client.sendPrivately([bob.email], `hello ${n}`),
    },
    {
      name: 'edit a message',
      times: 30,
      run: (n) => client.patch(`messages/${idOf(n)}`, { content: `edited ${n}` }),
    },
    {
      name: 'add a reaction',
      times: 30,
      run: (n) => client.post(`messages/${idOf(n)}/reactions`, { emoji_name: 'octopus' }),
    },
    {
      name: 'mark a message as read',
      times: 30,
      run: (n) => bob.client.flag([idOf(n)], 'read'),
    },
    {
      name: 'fetch the 100 newest of a stream',
      times: 30,
      run: () =>
        client.get('messages', {
          anchor: 'newest',
          num_before: 100,
          num_after: 0,
          narrow: [{ operator: 'stream', operand: quiet }],
        }),
    },
    {
      name: 'search for a word',
      times: 30,
      run: () =>
        client.get('messages', {
          anchor: 'newest',
          num_before: 100,
          num_after: 0,
          narrow: [{ operator: 'search', operand: 'edited' }],
        }),
    },
    {
      name: 'register a queue',
      times: 10,
      run: async () => {
        const registered = await client.post('register');
        queue.id = String(registered['queue_id']);
        queue.last = Number(registered['last_event_id']);
      },
    },
    {
      name: 'send and poll for it',
      times: 30,
      run: async (n) => {
        await say(quiet, `poll ${n}`);
        const { events } = await client.get('events', {
          queue_id: queue.id,
          last_event_id: queue.last,
        });
        const newest = Array.isArray(events)
          ? (events.at(-1) as { readonly id: number })
          : undefined;
        queue.last = newest?.id ?? queue.last;
      },
    },
    {
      name: 'report presence',
      times: 30,
      run: () => client.post('users/me/presence', { status: 'active' }),
    },
    {
      name: 'say that one is typing',
      times: 30,
      run: (n) => client.post('typing', { op: n % 2 === 0 ? 'start' : 'stop', to: [bob.id] }),
    },
    {
      name: 'list the own subscriptions',
      times: 10,
      run: () => client.get('users/me/subscriptions'),
    },
    { name: 'list people', times: 10, run: () => client.get('users') },
    { name: 'read the own profile', times: 30, run: () => client.get('users/me') },
  ];
}

/**
 * Measures organizations of these sizes, one after the other, each on stores of its own in which nothing is analyzed by itself.
 *
 * @param options.secs how long is sent, one after another and in bulk
 */
export async function measureStatements(
  options: { readonly sizes: readonly number[]; readonly secs: number },
  report: (result: StatementsResult) => void,
  say: (text: string) => void,
): Promise<void> {
  for (const people of options.sizes) {
    say(`${people} people ...`);
    const log = new StatementLog();
    const stores = await startDurableStores({
      settings: { autovacuum: 'off' },
      log: (line) => log.read(line),
    });
    try {
      const system = await startSystemOn(stores, 0, { events: 1, logsToFiles: true });
      try {
        const { organization } = system;
        const { maker } = organization;
        const [ann, bob] = [
          await organization.makeAccount('Ann Lee', { role: 'administrator' }),
          await organization.makeAccount('Bob Ray'),
        ];
        const others = (await makeAccounts(organization, people - 2, 'of many')).map(
          ({ user }) => user.id,
        );
        const told = others.filter((_, n) => n % toldShare === 0);
        await maker.pool.query({
          text: `UPDATE users SET settings = settings || '{"enable_stream_email_notifications": true}' WHERE id = ANY ($1)`,
          values: [told],
        });
        const quiet = await organization.makeStream('quiet', [ann, bob]);
        const loud = await organization.makeStream('loud', [ann, bob]);
        const isTold = new Set(told);
        await maker.subscribe(
          quiet.id,
          others.filter((id) => !isTold.has(id)),
        );
        await maker.subscribe(loud.id, others);
        for (const isAnalyzed of [false, true]) {
          if (isAnalyzed) await maker.pool.query('ANALYZE');
          const setting = { people, isAnalyzed };
          for (const inFlight of [1, bulk]) {
            const result = await measureSends(
              { pool: maker.pool, postgresPid: stores.postgres.pid, urls: system.urls },
              ann,
              quiet.name,
              inFlight,
              options.secs,
            );
            report({ ...setting, in_flight: inFlight, ...result });
          }
          for (const result of await measureOperations(
            maker.pool,
            log,
            operationsOf({ ann, bob, quiet: quiet.name, loud: loud.name }),
          ))
            report({ ...setting, ...result });
        }
      } finally {
        await system.stop();
      }
    } finally {
      await stores.stop();
    }
  }
}

async function measureSends(
  of: { readonly pool: Pool; readonly postgresPid: number; readonly urls: readonly string[] },
  { email, apiKey }: TestAccount,
  streamName: string,
  connections: number,
  secs: number,
): Promise<Omit<SendsResult, keyof Setting | 'in_flight'>> {
  await using disposal = new AsyncDisposableStack();
  const senders = disposal.adopt(new Senders(senderProcesses), (each) => each.stop());
  const send = async (forSecs: number): Promise<number> => {
    const fromMs = nowMs();
    const window = { fromMs, toMs: fromMs + forSecs * 1_000 };
    const { sent } = await senders.send({
      urls: of.urls,
      accounts: [{ email, apiKey }],
      destinations: [{ streamName, topic }],
      connections,
      sendsMax,
      endAtMs: window.toMs,
      window,
    });
    return sent;
  };
  await send(2);
  await untilJobsAreDone(of.pool);
  const before = await readTreeCpuNs(of.postgresPid, 'all');
  const sent = await send(secs);
  const jobsMs = await untilJobsAreDone(of.pool);
  const tookNs = (await readTreeCpuNs(of.postgresPid, 'all')) - before;
  return {
    sends_per_s: roundFigure(sent / secs),
    postgres_us_per_send: roundFigure(tookNs / 1_000 / sent),
    jobs_afterwards_ms: roundFigure(jobsMs),
  };
}

async function setLog(pool: Pool, value: string): Promise<void> {
  await pool.query(`ALTER SYSTEM SET log_min_duration_statement = ${value}`);
  await pool.query('SELECT pg_reload_conf()');
  await pause(settleMs);
}

async function measureOperations(
  pool: Pool,
  log: StatementLog,
  operations: readonly Operation[],
): Promise<readonly Omit<StatementResult, keyof Setting>[]> {
  await setLog(pool, logStatements.on);
  log.take();
  await pause(idleMs);
  const idle = new Map(log.take().map(({ statement, calls }) => [statement, calls / idleMs]));
  const results: Omit<StatementResult, keyof Setting>[] = [];
  for (const { name, times, run } of operations) {
    await untilJobsAreDone(pool);
    log.take();
    const begunMs = nowMs();
    for (let n = 0; n < times; n += 1) await run(n);
    await untilJobsAreDone(pool);
    await pause(settleMs);
    const tookMs = nowMs() - begunMs;
    const all = log.take();
    const looking = all
      .filter(({ statement }) => statementsOfLooking.has(statement))
      .reduce((sum, { calls, plan_us, run_us }) => sum + calls * (plan_us + run_us), 0);
    const statements = all
      .map((each) => ({
        ...each,
        calls_per_operation: roundFigure(
          (each.calls - (idle.get(each.statement) ?? 0) * tookMs) / times,
        ),
      }))
      .filter(
        ({ statement, calls_per_operation: calls }) =>
          calls > (statementsOfLooking.has(statement) ? 0.01 : rareShare) &&
          statement !== '<unnamed>',
      );
    results.push({
      operation: name,
      statements,
      looking_us_per_operation: roundFigure(looking / times),
    });
  }
  await setLog(pool, logStatements.off);
  // Nobody is to be mailed while the next is measured.
  await pool.query('TRUNCATE messages_to_mail');
  return results;
}

/** @returns a table of all statements for Markdown: microseconds of planning and running in each of the settings */
export function describeStatements(results: readonly StatementsResult[]): string {
  const settings = [...new Map(results.map((each) => [settingName(each), each])).keys()];
  const rows = new Map<string, Map<string, string>>();
  for (const result of results) {
    if (!('statements' in result)) continue;
    for (const {
      statement,
      plan_us: plan,
      run_us: run,
      calls_per_operation: calls,
    } of result.statements) {
      const key = `${result.operation} | ${statement}`;
      const row = rows.get(key) ?? new Map<string, string>([['calls', String(calls)]]);
      rows.set(key, row.set(settingName(result), String(plan + run)));
    }
  }
  return [
    `| operation | statement | calls | ${settings.join(' | ')} |`,
    `| --- | --- | --- | ${settings.map(() => '---').join(' | ')} |`,
    ...[...rows].map(
      ([key, row]) =>
        `| ${key} | ${row.get('calls') ?? ''} | ${settings.map((name) => row.get(name) ?? '').join(' | ')} |`,
    ),
  ].join('\n');
}

function settingName({ people, isAnalyzed }: Setting): string {
  return `${people}${isAnalyzed ? ', analyzed' : ''}`;
}
