import { setTimeout as pause } from 'node:timers/promises';

import type { Pool } from '@parley/database';
import { ensurePartitionsFor } from '@parley/event-log';

import { makeBacklog } from '../backlog.ts';
import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { readAmounts, readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import { makeAudience } from '../make-people.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario, Shot } from '../scenario.ts';
import { Talk } from '../talk.ts';

const ratesUsual = '200';
const ratesBound = 5_000;
const backlogUsual = '20000';
const backlogBound = 1_000_000;
const followersUsual = '10';
const followersBound = 1_000;
const topics = 20;
const requestsAtOnce = 16;
const lookIntervalMs = 1_000;
// Beyond the partitions that the run reaches by itself, so that the requested one is new.
const partitionPositions = 1_000_000;

/**
 * Sends at a rate that leaves the machine half idle. Then stalls are caused not by overload but by occasional work, such as flushes
 * of the search index, checkpoints, and new partitions of the log.
 */
export const steadyScenario: MeasuredScenario = {
  name: 'steady',
  summary: 'ten minutes of sends at 200 a second: the longest stall',
  secs: 600,
  groups: (system, options) => [
    { name: 'steady', open: (rig) => openSteady(system, options, rig) },
  ],
};

async function openSteady(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization } = system;
  const backlog = readCount(options.messages ?? backlogUsual, 'messages', backlogBound);
  const followers = readCount(options.followers ?? followersUsual, 'followers', followersBound);
  const { pool } = organization.maker;
  const { sender, streamName, listeners } = await makeAudience(organization, 'steady', followers);
  rig.say(`Sending ${backlog} messages before ...`);
  await makeBacklog(organization, [{ senderId: sender.id, streamName, topic: 'topic 0' }], backlog);
  const fleet = await Fleet.register(system.urls, listeners, requestsAtOnce);
  const talk = new Talk(rig, system, { accounts: [sender], streamName, fleet });
  await fleet.hold(requestsAtOnce);
  let partitions = 0;
  const run = async (ratePerSecond: number): Promise<Shot> => {
    partitions += 1;
    let checkpointsAtMs: readonly number[] = [];
    const { window, sends, measured, tally } = await talk.sendAtRate(
      ratePerSecond,
      topics,
      async ({ fromMs, toMs }) => {
        [checkpointsAtMs] = await Promise.all([
          watchCheckpoints(pool, toMs),
          makePartition(pool, partitions * partitionPositions, (fromMs + toMs) / 2),
        ]);
      },
    );
    const secsOf = (atMs: number): number => Math.round((atMs - window.fromMs) / 100) / 10;
    rig.say(
      `The longest send took ${sends.slowest.tookMs.toFixed(1)} ms and was due at ${secsOf(sends.slowest.dueAtMs)} s; ` +
        `checkpoints began at ${checkpointsAtMs.map(secsOf).join(', ') || 'no time'}; a partition was made in the middle.`,
    );
    return {
      operation: 'send',
      operations: sends.sentInWindow,
      measured,
      figures: {
        sends_per_s: sends.sentInWindow / rig.secs,
        longest_silence_ms: sends.longestSilenceMs,
        slowest_due_at_s: secsOf(sends.slowest.dueAtMs),
        checkpoints: checkpointsAtMs.length,
        late_p99_ms: sends.lateness.at(99),
      },
      latencies: { send: sends.latencies, send_to_receive: tally.latencies },
    };
  };
  return readAmounts(options.rate ?? ratesUsual, 'rate', ratesBound).map((rate) => ({
    name: `${rate} sends a second for ${rig.secs} s`,
    run: () => run(rate),
  }));
}

/** Creates a partition as event nodes do before one is full, which takes more sends than a run has. */
async function makePartition(pool: Pool, positionsAhead: number, atMs: number): Promise<void> {
  await pause(Math.max(0, atMs - nowMs()));
  if (!(await ensurePartitionsFor(pool, positionsAhead)))
    throw new Error('a partition of the log was not made');
}

/** @returns when checkpoints began, to the precision of the sampling interval */
async function watchCheckpoints(pool: Pool, untilMs: number): Promise<readonly number[]> {
  const count = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      'SELECT (num_timed + num_requested)::int AS count FROM pg_stat_checkpointer',
    );
    return rows[0]?.count ?? 0;
  };
  const beganAtMs: number[] = [];
  let known = await count();
  while (nowMs() < untilMs) {
    await pause(Math.min(lookIntervalMs, Math.max(0, untilMs - nowMs())));
    const now = await count();
    if (now > known) beganAtMs.push(nowMs());
    known = now;
  }
  return beganAtMs;
}
