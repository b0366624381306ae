import { findBusy } from '../busy-parts.ts';
import { readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import { startSystemOn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { Office } from '../office.ts';
import { inspectable } from '../process-gauge.ts';
import { findParts } from '../rig.ts';
import type { Rig } from '../rig.ts';
import { checkLogs } from '../run-measured.ts';
import type { Case, Group, MeasuredScenario, Shot } from '../scenario.ts';

const peopleUsual = '600';
const peopleBound = 9_000;
const sendersUsual = '32';
const sendersBound = 1_000;

/** The number of processes of each service; a service that is not named has one. */
type Layout = Readonly<
  Partial<
    Record<'events' | 'gateways' | 'messages' | 'subscriptions' | 'people' | 'presence', number>
  >
>;

const layouts: readonly Layout[] = [
  {},
  { events: 2 },
  { events: 3 },
  { gateways: 2 },
  { messages: 2 },
  { subscriptions: 2 },
  { people: 2 },
  { presence: 2 },
];

/** The mix of the office as fast as it is answered, with more and more processes of a service, each step on a separate system. */
export const scaleScenario: MeasuredScenario = {
  name: 'scale',
  summary: 'the office as fast as it is answered on 1, 2, 3 event nodes and 1, 2 of each service',
  secs: 15,
  groups: (system, options) =>
    layouts.map((layout): Group => ({
      name: describeLayout(layout),
      open: (rig) => openLayout(system, options, rig, layout),
    })),
};

function describeLayout(layout: Layout): string {
  const more = Object.entries(layout).map(([service, count]) => `${service} ${count}`);
  return more.length === 0 ? 'one of each' : more.join(', ');
}

async function openLayout(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
  layout: Layout,
): Promise<readonly Case[]> {
  const { stores } = system;
  const people = readCount(options.people ?? peopleUsual, 'people', peopleBound);
  const connections = readCount(options.senders ?? sendersUsual, 'senders', sendersBound);
  const beside = await startSystemOn(stores, 1, {
    events: 1,
    logsToFiles: true,
    environment: inspectable,
    ...layout,
  });
  rig.defer(() => beside.stop());
  const office = await Office.open(beside, people, rig);
  const parts = findParts(beside);
  const here = rig.forParts(parts);
  return [
    {
      name: `${connections} in flight`,
      run: async (): Promise<Shot> => {
        here.isFirst = rig.isFirst;
        const shot = await office.work(here, null, connections);
        await checkLogs(beside);
        const busy = findBusy(shot.measured, parts);
        const row = Object.entries(busy).map(([name, percent]) => `${name} ${percent.toFixed(0)}`);
        rig.say(`${describeLayout(layout)}: per cent of a core, busiest first: ${row.join(', ')}`);
        return {
          ...shot,
          figures: {
            ...shot.figures,
            ...Object.fromEntries(
              Object.entries(busy).map(([name, percent]) => [`core_percent_${name}`, percent]),
            ),
          },
        };
      },
    },
  ];
}
