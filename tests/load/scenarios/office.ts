import { readAmounts, readCount } from '../load-options.ts';
import { Office } from '../office.ts';
import { inspectable } from '../process-gauge.ts';
import type { MeasuredScenario } from '../scenario.ts';

const peopleUsual = '2000';
const peopleBound = 9_000;
// A rate that two cores can sustain with some reserve, including generators and stores.
const rateUsual = '500';
const rateBound = 50_000;
// More than are ever pending while the system keeps up.
const connectionsMax = 128;

/** The mix of requests of a real organization, at a fixed rate. */
export const officeScenario: MeasuredScenario = {
  name: 'office',
  summary: '2,000 people at work: polls, presence, flags, history, sends and small reads at a rate',
  secs: 30,
  ownSystem: () => ({ environment: inspectable }),
  groups: (system, options) => [
    {
      name: 'office',
      open: async (rig) => {
        const people = readCount(options.people ?? peopleUsual, 'people', peopleBound);
        const office = await Office.open(system, people, rig);
        return readAmounts(options.rate ?? rateUsual, 'rate', rateBound).map((rate) => ({
          name: `${office.people} people, ${rate} requests a second`,
          run: () => office.work(rig, rate, connectionsMax),
        }));
      },
    },
  ],
};
