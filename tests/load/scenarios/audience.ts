import { HistoryCheck } from '../history-check.ts';
import { readCounts } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { makePeople } from '../make-people.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario, Shot } from '../scenario.ts';
import { Senders } from '../senders.ts';

const subscribersBound = 1_000_000;
const sendsBound = 1_000_000;

/** The cost of a send must not grow with its audience (architecture, What always holds). */
export const audienceScenario: MeasuredScenario = {
  name: 'audience',
  summary: 'sends, one after the other, into streams of 10, 1,000 and 100,000 subscribers',
  secs: 10,
  groups: (system, options) => [
    { name: 'audience', open: (rig) => openAudiences(system, options, rig) },
  ],
};

async function openAudiences(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const senders = rig.addGenerators(new Senders(1));
  const cases: Case[] = [];
  const sizes = readCounts(options.audience ?? '10,1000,100000', 'audience', subscribersBound);
  for (const subscribers of sizes) {
    rig.say(`Making ${subscribers} subscribers ...`);
    const { organization } = getOwn(system, 'audience');
    const sender = await organization.makeAccount(`Sender to ${subscribers}`);
    const stream = await organization.makeStream(`audience of ${subscribers}`, [sender]);
    await organization.maker.subscribe(
      stream.id,
      await makePeople(organization, subscribers - 1, `to ${subscribers}`),
    );
    const account = { email: sender.email, apiKey: sender.apiKey };
    const history = new HistoryCheck(system.urls[0] ?? '', account, stream.name);
    rig.defer(() => history[Symbol.dispose]());
    cases.push({
      name: `${subscribers} subscribers`,
      run: async (): Promise<Shot> => {
        const window = rig.planWindow();
        const sending = senders.send({
          urls: system.urls,
          accounts: [account],
          destinations: [{ streamName: stream.name, topic: 'load' }],
          connections: 1,
          sendsMax: sendsBound,
          endAtMs: window.toMs,
          window,
        });
        const [sends, measured] = await Promise.all([sending, rig.measureSends(window)]);
        await history.expect(sends.sent);
        return {
          operation: 'send',
          operations: sends.sentInWindow,
          measured,
          figures: { sends_per_s: sends.sentInWindow / rig.secs },
          latencies: { send: sends.latencies },
        };
      },
    });
  }
  return cases;
}
