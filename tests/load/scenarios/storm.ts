import { Fleet } from '../fleet/fleet.ts';
import { nowMs } from '../fleet/protocol.ts';
import { Latencies } from '../latencies.ts';
import { readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import { makeAudience } from '../make-people.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario, Shot } from '../scenario.ts';
import { Talk } from '../talk.ts';
import { waitForHeld } from './idle-polls.ts';

const clientsUsual = '5000';
const clientsBound = 18_000;
const requestsAtOnce = 32;

/**
 * The registers of the clients: events only, or with the client's own state. The list of all people is not included, because its
 * cost for everybody at once would grow with the square of their number.
 */
const registers = [
  ['events only', ['message'], []],
  [
    'events and own state',
    ['message', 'subscription', 'update_message_flags'],
    ['message', 'subscription', 'update_message_flags', 'muted_topics', 'alert_words'],
  ],
] as const;

/** All clients lose their connections and queues at once, and start again at the same moment. */
export const stormScenario: MeasuredScenario = {
  name: 'storm',
  summary: 'all of 5,000 clients reconnect and register at once: the time until all hold a poll',
  secs: 10,
  groups: (system, options) => [{ name: 'storm', open: (rig) => openStorm(system, options, rig) }],
};

async function openStorm(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization, cluster } = system;
  const clients = readCount(options.people ?? clientsUsual, 'people', clientsBound);
  rig.say(`Making ${clients} people ...`);
  const { sender, streamName, listeners } = await makeAudience(
    organization,
    'of the storm',
    clients,
  );
  const fleet = await Fleet.register(system.urls, listeners, requestsAtOnce);
  const talk = new Talk(rig, system, { accounts: [sender], streamName, fleet });
  await fleet.hold(requestsAtOnce);
  await waitForHeld(cluster, fleet, clients);
  return registers.map(([name, eventTypes, fetchEventTypes]) => {
    const parameters = new URLSearchParams({
      event_types: JSON.stringify(eventTypes),
      fetch_event_types: JSON.stringify(fetchEventTypes),
    }).toString();
    const run = async (): Promise<Shot> => {
      await fleet.leave(requestsAtOnce);
      await waitForHeld(cluster, fleet, 0);
      const repeatedBefore = (await fleet.readCounts()).repeated;
      let [tookMs, registeredMs] = [0, 0];
      const latencies = new Latencies();
      const measured = await rig.measureAround(async () => {
        const beganAtMs = nowMs();
        const registering = await fleet.storm(parameters);
        await waitForHeld(cluster, fleet, clients);
        tookMs = nowMs() - beganAtMs;
        registeredMs = registering.tookMs;
        for (const latencyMs of registering.latenciesMs) latencies.record(latencyMs);
      });
      await talk.begin(1);
      await talk.sendOne();
      const { repeated, failures } = await fleet.readCounts();
      const refused = repeated - repeatedBefore;
      if (refused > 0)
        rig.say(`${refused} registers were refused, such as with ${failures.at(-1)}`);
      return {
        operation: 'register',
        operations: clients,
        measured,
        figures: {
          until_all_hold_ms: tookMs,
          until_all_registered_ms: registeredMs,
          registers_per_s: (clients * 1_000) / registeredMs,
          refused_per_thousand: (refused * 1_000) / clients,
        },
        latencies: { register: latencies },
      };
    };
    return { name: `${clients} clients, ${name}`, run };
  });
}
