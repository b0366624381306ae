import { openPgbench } from '../controls/pgbench.ts';
import { Fleet } from '../fleet/fleet.ts';
import type { Destination } from '../fleet/sending.ts';
import { HistoryCheck } from '../history-check.ts';
import { readCount, readCounts } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario, Shot } from '../scenario.ts';
import { Senders } from '../senders.ts';

const sendersBound = 1_000;
const topicsBound = 10_000;
const followersBound = 1_000;
const sendsBound = 1_000_000;
// One process can make as many requests as two cores answer; the second ensures that the generator is not the limit.
const senderProcesses = 2;
const requestsAtOnce = 16;

/** Clients that each wait for their answer before they send again. */
export const sendScenario: MeasuredScenario = {
  name: 'send',
  summary: 'closed-loop sends by 1, 8 and 64 clients into 1 and 200 topics',
  secs: 10,
  groups: (system, options) => [{ name: 'send', open: (rig) => openSends(system, options, rig) }],
};

async function openSends(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const topics = readCounts(options.topics ?? '1,200', 'topics', topicsBound);
  const senders = readCounts(options.senders ?? '1,8,64', 'senders', sendersBound);
  const followers =
    options.followers === '0'
      ? 0
      : readCount(options.followers ?? '1', 'followers', followersBound);
  const generators = rig.addGenerators(new Senders(senderProcesses));
  const [reader] = system.accounts;
  if (reader === undefined) throw new Error('there are no accounts');
  const history = new HistoryCheck(system.urls[0] ?? '', reader, system.stream);
  rig.defer(() => history[Symbol.dispose]());
  const fleet = await follow(system, followers, rig);
  const ours = topics.flatMap((topicCount) => {
    const destinations = Array.from({ length: topicCount }, (_, n): Destination => ({
      streamName: system.stream,
      topic: `topic ${n}`,
    }));
    return senders.map((connections): Case => ({
      name: `${connections} in flight, ${topicCount === 1 ? 'one topic' : `${topicCount} topics`}`,
      run: async (): Promise<Shot> => {
        const window = rig.planWindow();
        await fleet?.startTally(generators.nextMessage, sendsBound + senderProcesses, window);
        const sending = generators.send({
          urls: system.urls,
          accounts: system.accounts,
          destinations,
          connections,
          sendsMax: sendsBound,
          endAtMs: window.toMs,
          window,
        });
        const [sends, measured] = await Promise.all([sending, rig.measureSends(window)]);
        if (sends.sent >= sendsBound) throw new Error('the run had more sends than it may have');
        await fleet?.waitForReceived(sends.sent * followers);
        await history.expect(sends.sent);
        const operations = sends.sentInWindow;
        return {
          operation: 'send',
          operations,
          measured,
          figures: {
            sends_per_s: operations / rig.secs,
            longest_silence_ms: sends.longestSilenceMs,
            jobs_afterwards_ms: measured.jobsMs,
          },
          latencies: { send: sends.latencies },
        };
      },
    }));
  });
  const controls =
    options.controls && system.stores !== undefined ? await openPgbench(rig, system.stores) : [];
  return [...ours, ...controls];
}

/** Makes this many people follow the stream by polling. */
async function follow(system: LoadSystem, count: number, rig: Rig): Promise<Fleet | undefined> {
  if (count === 0) return undefined;
  const accounts = Array.from(
    { length: count },
    (_, n) => system.accounts[n % system.accounts.length] ?? { email: '', apiKey: '' },
  );
  const { fleet } = await Fleet.register(system.urls, accounts, requestsAtOnce);
  rig.addGenerators(fleet);
  await fleet.hold(count, requestsAtOnce);
  return fleet;
}
