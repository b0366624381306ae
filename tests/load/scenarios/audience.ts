import { readCounts } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import { makeAudience } from '../make-people.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario } from '../scenario.ts';
import { Talk } from '../talk.ts';

const subscribersBound = 1_000_000;

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
  const { organization } = system;
  const cases: Case[] = [];
  const sizes = readCounts(options.audience ?? '10,1000,100000', 'audience', subscribersBound);
  for (const subscribers of sizes) {
    rig.say(`Making ${subscribers} subscribers ...`);
    const { sender, streamName } = await makeAudience(
      organization,
      `to ${subscribers}`,
      subscribers - 1,
    );
    const talk = new Talk(rig, system, { accounts: [sender], streamName });
    cases.push({ name: `${subscribers} subscribers`, run: () => talk.sendInTurn(1) });
  }
  return cases;
}
