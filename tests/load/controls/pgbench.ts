import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openTestPool } from '@parley/test-kit';

import type { DurableStores } from '../durable-stores.ts';
import type { Rig } from '../rig.ts';
import type { Case, Shot } from '../scenario.ts';
import { findProgram } from './find-program.ts';

const clients = 32;
const threads = 2;
const topics = 200;
const database = 'bare_sends';

const schema = `
  CREATE TABLE topics (id integer PRIMARY KEY, last_message_id bigint NOT NULL, messages bigint NOT NULL);
  INSERT INTO topics SELECT n, 0, 0 FROM generate_series(1, ${topics}) AS n;
  CREATE TABLE messages (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, topic_id integer NOT NULL,
    sender_id integer NOT NULL, sent_at timestamptz NOT NULL, content text NOT NULL, rendered text NOT NULL);
  CREATE INDEX ON messages (topic_id, id);
  CREATE TABLE log (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, entry jsonb NOT NULL);`;

/** Message, topic and log row in one statement: the least that a send must write. */
const script = `\\set topic random(1, ${topics})
\\set sender random(1, 1000)
WITH message AS (
  INSERT INTO messages (topic_id, sender_id, sent_at, content, rendered)
  VALUES (:topic, :sender, now(), repeat('a usual message ', 8), '<p>' || repeat('a usual message ', 8) || '</p>')
  RETURNING id, topic_id, sender_id, content, rendered
), topic AS (
  UPDATE topics SET last_message_id = message.id, messages = messages + 1 FROM message WHERE topics.id = message.topic_id
)
INSERT INTO log (entry) SELECT to_jsonb(message) FROM message;
`;

/**
 * The control for sends: plain Postgres on the same server, in a separate database, with 32 clients and prepared statements.
 *
 * @returns undefined if pgbench is not installed
 */
export async function openPgbench(rig: Rig, stores: DurableStores): Promise<readonly Case[]> {
  const program = await findProgram('pgbench');
  if (program === undefined) {
    rig.say(
      'No pgbench on this machine (Debian: apt-get install postgresql-contrib): no control for sends.',
    );
    return [];
  }
  await run(stores.postgres.url, `CREATE DATABASE ${database}`);
  const url = new URL(stores.postgres.url);
  url.pathname = `/${database}`;
  await run(url.href, schema);
  const file = join(stores.folder, 'bare-send.sql');
  await writeFile(file, script);
  const bench = new Pgbench(program, file, url);
  rig.addGenerators(bench);
  const controlRig = rig.forParts([
    { name: 'postgres', pids: () => [stores.postgres.pid], children: 'all' },
  ]);
  return [
    {
      name: `pgbench, one statement for each send, ${clients} clients`,
      isControl: true,
      run: async (): Promise<Shot> => {
        await bench.run(rig.warmUpSecs);
        let outcome = { sends: 0, secs: 1, sendsPerSec: 0, latencyMs: 0 };
        const measured = await controlRig.measureAround(async () => {
          outcome = await bench.run(rig.secs);
        });
        return {
          operation: 'send',
          operations: outcome.sends,
          measured,
          figures: { sends_per_s: outcome.sendsPerSec, send_mean_ms: outcome.latencyMs },
          latencies: {},
        };
      },
    },
  ];
}

type Outcome = {
  readonly sends: number;
  readonly secs: number;
  readonly sendsPerSec: number;
  readonly latencyMs: number;
};

/** @throws Error if it reports a failed transaction or lacks an expected figure */
export function parsePgbench(output: string): Omit<Outcome, 'secs'> {
  const read = (pattern: RegExp): number => {
    const text = pattern.exec(output)?.[1];
    if (text === undefined) throw new Error(`pgbench said:\n${output}`);
    return Number(text);
  };
  if (read(/^number of failed transactions: (\d+)/m) > 0)
    throw new Error(`transactions of pgbench failed:\n${output}`);
  const sends = read(/^number of transactions actually processed: (\d+)/m);
  // It prints neither rate nor latency of none: on a busy machine the connections alone may take a second.
  if (sends === 0) return { sends, sendsPerSec: 0, latencyMs: 0 };
  return {
    sends,
    sendsPerSec: read(/^tps = ([\d.]+)/m),
    latencyMs: read(/^latency average = ([\d.]+) ms/m),
  };
}

class Pgbench {
  readonly #program: string;
  readonly #file: string;
  readonly #url: URL;
  #pid: number | undefined;
  #kill = (): void => undefined;

  constructor(program: string, file: string, url: URL) {
    this.#program = program;
    this.#file = file;
    this.#url = url;
  }

  get pids(): readonly number[] {
    return this.#pid === undefined ? [] : [this.#pid];
  }

  stop(): void {
    this.#kill();
  }

  async run(secs: number): Promise<Outcome> {
    const wholeSecs = Math.max(1, Math.round(secs));
    const { hostname, port, username, password } = this.#url;
    const child = spawn(
      this.#program,
      [
        '--no-vacuum',
        '--protocol=prepared',
        `--client=${clients}`,
        `--jobs=${threads}`,
        `--time=${wholeSecs}`,
        `--file=${this.#file}`,
        `--host=${hostname}`,
        `--port=${port}`,
        `--username=${username}`,
        database,
      ],
      {
        env: { PATH: process.env['PATH'], PGPASSWORD: password, PGSSLMODE: 'disable' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#pid = child.pid;
    this.#kill = () => child.kill('SIGKILL');
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    this.#pid = undefined;
    this.#kill = () => undefined;
    if (code !== 0) throw new Error(`pgbench ended with ${code}:\n${output}`);
    return { ...parsePgbench(output), secs: wholeSecs };
  }
}

async function run(databaseUrl: string, text: string): Promise<void> {
  const pool = openTestPool(databaseUrl, 1, { statementTimeoutMs: 60_000 });
  try {
    await pool.query(text);
  } finally {
    await pool.end();
  }
}
