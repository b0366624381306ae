import { serviceNames } from '@parley/test-kit';

import type { CaseResult, ScenarioResult } from './results.ts';
import { findMedian, roundFigure } from './summary.ts';
import type { Sample } from './summary.ts';

/** Figures of one case, which are added; the names are those of its samples. */
type Measure = {
  readonly group: string;
  readonly name: string;
  readonly figures: readonly string[];
};

export type Goal = {
  readonly what: string;
  readonly scenario: string;
  readonly of: Measure;
  /** The divisor for each run: a control, or another case. */
  readonly over?: Measure;
  readonly unit: string;
  readonly least?: number;
  readonly most?: number;
};

export type Judgement = {
  readonly what: string;
  readonly value: number;
  /** The same for the control, if there is one. */
  readonly control: number | undefined;
  readonly ratio: number | undefined;
  readonly unit: string;
  readonly bound: string;
  readonly isReached: boolean;
};

const pgbench: Measure = {
  group: 'send',
  name: 'pgbench, one statement for each send, 32 clients',
  figures: ['sends_per_s'],
};
const expressHop: Measure = {
  group: 'a cheap endpoint',
  name: 'Express with http-proxy-middleware',
  figures: ['cpu_hop_us_per_request'],
};
const nchan: Measure = {
  group: '9000 followers',
  name: 'nginx with nchan, 9000 followers, one message at a time',
  figures: ['cpu_nchan_us_per_delivery'],
};
const history = 'a history of 1000000 messages';
const newest = '100 newest of a stream';
const office = '2002 people, 500 requests a second';
const gatewayAndNode = ['cpu_gateway_us_per_delivery', 'cpu_events_us_per_delivery'];

const sendGoals = ['one topic', '200 topics'].flatMap((topics): Goal[] => [
  {
    what: `sends a second, 64 in flight, ${topics}`,
    scenario: 'send',
    of: { group: 'send', name: `64 in flight, ${topics}`, figures: ['sends_per_s'] },
    over: pgbench,
    unit: 'sends/s',
    least: 0.45,
  },
  {
    what: `processor time of a send, 64 in flight, ${topics}`,
    scenario: 'send',
    of: { group: 'send', name: `64 in flight, ${topics}`, figures: ['cpu_us_per_send'] },
    unit: 'µs',
    most: 300,
  },
  {
    what: `processor time of a send, one after another, ${topics}`,
    scenario: 'send',
    of: { group: 'send', name: `1 in flight, ${topics}`, figures: ['cpu_us_per_send'] },
    unit: 'µs',
    most: 1_200,
  },
  ...(
    [
      [1, 1_500],
      [64, 200],
    ] as const
  ).map(([inFlight, most]): Goal => ({
    what: `Postgres' time of a send with all jobs, ${inFlight} in flight, ${topics}`,
    scenario: 'send',
    of: {
      group: 'send',
      name: `${inFlight} in flight, ${topics}`,
      figures: ['cpu_postgres_us_per_send'],
    },
    unit: 'µs',
    most,
  })),
]);

const receiveGoals = (
  [
    ['100 followers', 5, 5, 10],
    ['1000 followers', 100, 80, Infinity],
    ['1000 streams', 100, 30, 90],
  ] as const
).flatMap(([group, rate, ...mostMs]) =>
  mostMs.flatMap((most, index): Goal[] => {
    const percentile = [50, 99][index];
    if (most === Infinity) return [];
    return [
      {
        what: `send to receive, ${group}, ${rate} sends a second, p${percentile}`,
        scenario: 'chat',
        of: {
          group,
          name: `${rate} messages a second`,
          figures: [`send_to_receive_p${percentile}_ms`],
        },
        unit: 'ms',
        most,
      },
    ];
  }),
);

const memoryGoals = [
  { scenario: 'idle', group: '1000 held polls' },
  { scenario: 'idle', group: '9000 held polls' },
  { scenario: 'idle-streams', group: '1000 open streams' },
  { scenario: 'idle-streams', group: '9000 open streams' },
].map(({ scenario, group }): Goal => ({
  what: `memory of one of ${group}, gateway and node`,
  scenario,
  of: { group, name: 'idle', figures: ['memory_kib_per_poll'] },
  unit: 'KiB',
  most: 16,
}));

const gatewayGoals = ['GET of a small file', 'GET over the link of a node'].map((name): Goal => ({
  what: `processor time of a ${name} in the gateway`,
  scenario: 'reads',
  of: { group: expressHop.group, name, figures: ['cpu_gateway_us_per_request'] },
  over: expressHop,
  unit: 'µs',
  most: 1.3,
}));

const stormGoals = ['events only', 'events and own state'].map((name): Goal => ({
  what: `registers refused when 5,000 clients come back at once, ${name}`,
  scenario: 'storm',
  of: { group: 'storm', name: `5000 clients, ${name}`, figures: ['refused_per_thousand'] },
  unit: 'of a thousand',
  most: 0,
}));

// No handler keeps an event loop busy for longer, apart from garbage collections and waiting for a core.
const loopGoals = serviceNames.map((service): Goal => ({
  what: `a turn of the event loop of ${service} in the office, p99.9`,
  scenario: 'office',
  of: { group: 'office', name: office, figures: [`loop_${service}_p999_ms`] },
  unit: 'ms',
  most: 5,
}));

type Row = readonly [
  scenario: string,
  what: string,
  group: string,
  name: string,
  figures: string | readonly string[],
  unit: 'ms' | 'µs',
  most: number,
];

const rows: readonly Row[] = [
  [
    'history',
    'processor time of a page of 100 newest out of a million, one after another',
    history,
    newest,
    'cpu_us_per_request',
    'µs',
    900,
  ],
  [
    'history',
    'the same with eight in flight',
    history,
    `${newest}, 8 in flight`,
    'cpu_us_per_request',
    'µs',
    600,
  ],
  ['history', 'the same page, p50', history, newest, 'request_p50_ms', 'ms', 5],
  ...(['rare', 'common'] as const).map((kind): Row => {
    const name = `search for a word that is ${kind}`;
    return ['history', `${name} in a million, p50`, history, name, 'request_p50_ms', 'ms', 10];
  }),
  [
    'chat',
    'processor time of an event to one of 1,000 streams, 20 sends a second, gateway and node',
    '1000 streams',
    '20 messages a second',
    gatewayAndNode,
    'µs',
    12,
  ],
  [
    'typing',
    'a notice of typing to one reader, p50',
    'typing',
    '1 reader',
    'typing_to_receive_p50_ms',
    'ms',
    6,
  ],
  [
    'reads',
    'processor time of a report of presence, 2,000 people, compressed',
    'presence',
    '2000 people, gzip',
    'cpu_us_per_request',
    'µs',
    300,
  ],
  [
    'reads',
    'processor time of a register, 1,000 people, 200 streams',
    'register',
    '1000 people, 200 streams',
    'cpu_us_per_request',
    'µs',
    5_000,
  ],
  [
    'reads',
    'processor time of a register with 45,000 unread',
    'register with unread',
    '45000 unread, 1 in flight',
    'cpu_us_per_request',
    'µs',
    25_000,
  ],
  [
    'reads',
    'mark all as read with 100,000 unread, p50',
    'mark all as read',
    '100000 unread',
    'mark_p50_ms',
    'ms',
    10,
  ],
  [
    'office',
    'processor time of a request of the office',
    'office',
    office,
    'cpu_us_per_request',
    'µs',
    900,
  ],
  [
    'office',
    'send to receive in the office, p99',
    'office',
    office,
    'send_to_receive_p99_ms',
    'ms',
    25,
  ],
  [
    'steady',
    'longest stall of a send in ten minutes of steady load',
    'steady',
    '200 sends a second for 600 s',
    'send_max_ms',
    'ms',
    100,
  ],
];

/** The goals of the scenarios, for all processes together unless stated. A goal with `over` limits the ratio, any other the figure. */
export const goals: readonly Goal[] = [
  ...sendGoals,
  ...receiveGoals,
  {
    what: 'processor time of a delivered event, gateway and node, 9,000 followers, one event',
    scenario: 'chat',
    of: { group: nchan.group, name: 'one message at a time', figures: gatewayAndNode },
    over: nchan,
    unit: 'µs',
    most: 4,
  },
  {
    what: 'send to 100,000 subscribers against 10',
    scenario: 'audience',
    of: { group: 'audience', name: '100000 subscribers', figures: ['send_p50_ms'] },
    over: { group: 'audience', name: '10 subscribers', figures: ['send_p50_ms'] },
    unit: 'ms',
    most: 1.2,
  },
  ...rows.map(([scenario, what, group, name, figures, unit, most]): Goal => ({
    what,
    scenario,
    of: { group, name, figures: [figures].flat() },
    unit,
    most,
  })),
  ...memoryGoals,
  ...gatewayGoals,
  ...stormGoals,
  ...loopGoals,
];

/** @returns the reached value for each goal of the result's scenario; none for goals whose cases were not run */
export function judgeGoals(
  result: ScenarioResult,
  known: readonly Goal[] = goals,
): readonly Judgement[] {
  return known.flatMap((goal) => {
    if (goal.scenario !== result.scenario) return [];
    const ours = readMeasure(result.cases, goal.of);
    const others = goal.over === undefined ? undefined : readMeasure(result.cases, goal.over);
    if (ours.length === 0) return [];
    const ratios = others?.flatMap((other, index) => {
      const own = ours[index];
      return own === undefined || other === 0 ? [] : [own / other];
    });
    if (goal.over !== undefined && (ratios === undefined || ratios.length === 0)) return [];
    const value = findMedian(ours);
    const ratio = ratios === undefined ? undefined : findMedian(ratios);
    const judged = ratio ?? value;
    const { least = -Infinity, most = Infinity } = goal;
    const bound = goal.least === undefined ? `at most ${most}` : `at least ${least}`;
    return [
      {
        what: goal.what,
        value: roundFigure(value),
        control: others === undefined ? undefined : roundFigure(findMedian(others)),
        ratio: ratio === undefined ? undefined : roundFigure(ratio),
        unit: goal.unit,
        bound: ratio === undefined ? `${bound} ${goal.unit}` : `${bound} ×`,
        isReached: judged >= least && judged <= most,
      },
    ];
  });
}

/** @returns the sum of the figures in each run that has them all */
function readMeasure(cases: readonly CaseResult[], measure: Measure): readonly number[] {
  const found = cases.find(({ group, name }) => group === measure.group && name === measure.name);
  return (found?.samples ?? []).flatMap((sample: Sample) => {
    const values = measure.figures.map((figure) => sample[figure]);
    const known = values.filter((value) => value !== undefined);
    return known.length === values.length ? [known.reduce((sum, value) => sum + value, 0)] : [];
  });
}
