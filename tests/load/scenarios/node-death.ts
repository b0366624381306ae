import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { summarizeLatencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts } from '../make-people.ts';
import { NumberedSends, collectReceipts } from '../numbered-sends.ts';
import { waitForHeld } from './idle-polls.ts';

export type NodeDeathResult = {
  readonly queues: number;
  readonly survivors: number;
  readonly register_per_second: number;
  readonly register: LatencySummary;
  /** Opening a held poll for each queue on the node that will be killed, which loads each queue and its user. */
  readonly first_polls_per_second: number;
  /** Polls that a client had to repeat. */
  readonly repeated_polls: number;
  /** From the kill until the remaining nodes hold all polls again. */
  readonly all_held_again_ms: number;
  readonly rebuilt_per_second: number;
  /** From the kill to the receipt of a message that was sent right after it. */
  readonly served_again: LatencySummary;
  /** A message to all, before and after the kill. */
  readonly send_to_receive_before: LatencySummary;
  readonly send_to_receive_after: LatencySummary;
};

const stream = 'shared';
const requestsAtOnce = 32;

/**
 * Kills a node that holds all polls, and measures how long it takes until the remaining nodes serve them.
 *
 * @throws Error for a system that the generator did not start or that begins with more than one node, and if a client observed a
 *   fault: a repeated or lost message, or two failures in a row
 */
export async function measureNodeDeath(
  system: LoadSystem,
  options: { readonly queues: number; readonly survivors: number },
): Promise<NodeDeathResult> {
  const { organization, cluster } = getOwn(system, 'node-death');
  const doomed = cluster.getProcess('events', 0);
  if (cluster.findProcesses('events').length > 1) throw new Error('all queues begin on one node');
  const sender = await organization.makeAccount('Sender');
  const people = await makeAccounts(organization, options.queues, 'served');
  const [made] = await organization.maker.makeStreams([{ name: stream }]);
  if (made === undefined) throw new Error('no stream was made');
  await organization.maker.subscribe(made.id, [sender.id, ...people.map(({ user }) => user.id)]);
  const sends = new NumberedSends(sender.client);

  const { fleet: started, registering } = await Fleet.register(
    system.urls,
    credentialsOf(people),
    requestsAtOnce,
  );
  using fleet = started;
  const sendToAll = async (): Promise<number[]> => {
    await sends.send(stream);
    return sends.latenciesOf((await collectReceipts(fleet, people.length)).receipts);
  };
  const holdingFrom = nowMs();
  await fleet.hold(people.length, requestsAtOnce);
  await waitForHeld(cluster, fleet, people.length);
  const holdingMs = nowMs() - holdingFrom;
  const before = [...(await sendToAll()), ...(await sendToAll())];
  await waitForHeld(cluster, fleet, people.length);

  // Held polls stay where they are, so the new nodes begin without any.
  for (let n = 0; n < options.survivors; n += 1) await cluster.startAnother('events');
  const repeatedBefore = (await fleet.report()).repeated;
  const killedAtMs = nowMs();
  const died = doomed.kill('SIGKILL');
  const probing = sends.send(stream);
  await died;
  await waitForHeld(cluster, fleet, people.length);
  const heldAgainMs = nowMs() - killedAtMs;
  await probing;
  const served = await collectReceipts(fleet, people.length);
  const after = await sendToAll();
  return {
    queues: people.length,
    survivors: options.survivors,
    register_per_second: Math.round((people.length * 1_000) / registering.tookMs),
    register: summarizeLatencies(registering.latenciesMs),
    first_polls_per_second: Math.round((people.length * 1_000) / holdingMs),
    repeated_polls: served.repeated - repeatedBefore,
    all_held_again_ms: Math.round(heldAgainMs),
    rebuilt_per_second: Math.round((people.length * 1_000) / heldAgainMs),
    served_again: summarizeLatencies(
      served.receipts.map(({ receivedAtMs }) => receivedAtMs - killedAtMs),
    ),
    send_to_receive_before: summarizeLatencies(before),
    send_to_receive_after: summarizeLatencies(after),
  };
}
