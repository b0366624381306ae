import type { CaseResult, ScenarioResult } from './results.ts';
import { findMedian, roundFigure } from './summary.ts';
import type { Sample } from './summary.ts';

/** Figures of one case, added: their names are those of its samples. */
type Measure = {
  readonly group: string;
  readonly name: string;
  readonly figures: readonly string[];
};

export type Goal = {
  readonly what: string;
  readonly scenario: string;
  readonly of: Measure;
  /** What it is divided by, run by run: a control, or another case of ours. */
  readonly over?: Measure;
  readonly unit: string;
  readonly least?: number;
  readonly most?: number;
};

export type Judgement = {
  readonly what: string;
  readonly value: number;
  /** The same of the control, where there is one. */
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

const sendGoals = ['one topic', '200 topics'].flatMap((topics): Goal[] => {
  const name = `64 in flight, ${topics}`;
  return [
    {
      what: `sends a second through the gateway, ${name}`,
      scenario: 'send',
      of: { group: 'send', name, figures: ['sends_per_s'] },
      over: pgbench,
      unit: 'sends/s',
      least: 0.6,
    },
    {
      what: `processor time of a send, all processes together, ${name}`,
      scenario: 'send',
      of: { group: 'send', name, figures: ['cpu_us_per_send'] },
      unit: 'µs',
      most: 400,
    },
  ];
});

function latencyGoal(followers: string, rate: number, percentile: number, most: number): Goal {
  return {
    what: `send to receive, ${followers} followers, ${rate} sends a second, p${percentile}`,
    scenario: 'chat',
    of: {
      group: `${followers} followers`,
      name: `${rate} messages a second`,
      figures: [`send_to_receive_p${percentile}_ms`],
    },
    unit: 'ms',
    most,
  };
}

const history = 'a history of 1000000 messages';
const newest: Measure = { group: history, name: '100 newest of a stream', figures: [] };

/** Figures of `reads` and `history` that are bounded as they are. */
const readGoals = (
  [
    [
      '100 newest messages of a stream out of a million, p50',
      { ...newest, figures: ['request_p50_ms'] },
      'ms',
      5,
    ],
    [
      'processor time of the same, all processes together',
      { ...newest, figures: ['cpu_us_per_request'] },
      'µs',
      1_500,
    ],
    ...(['rare', 'common'] as const).map((kind): ReadGoal => [
      `search for a word that is ${kind} in a million messages, p50`,
      {
        group: history,
        name: `search for a word that is ${kind}`,
        figures: ['request_p50_ms'],
      },
      'ms',
      10,
    ]),
    [
      'register with 200 streams and 1,000 people, p50',
      { group: 'register', name: '1000 people, 200 streams', figures: ['request_p50_ms'] },
      'ms',
      30,
    ],
    [
      'processor time of Postgres for a register with 45,000 unread',
      {
        group: 'register with unread',
        name: '45000 unread, 1 in flight',
        figures: ['cpu_postgres_us_per_request'],
      },
      'µs',
      60_000,
    ],
    [
      'register with 45,000 unread, eight at once, p99',
      {
        group: 'register with unread',
        name: '45000 unread, 8 in flight',
        figures: ['request_p99_ms'],
      },
      'ms',
      400,
    ],
    [
      'mark all as read with 100,000 unread, p50',
      { group: 'mark all as read', name: '100000 unread', figures: ['mark_p50_ms'] },
      'ms',
      10,
    ],
  ] satisfies ReadGoal[]
).map(([what, of, unit, most]): Goal => ({
  what,
  scenario: of.group === history ? 'history' : 'reads',
  of,
  unit,
  most,
}));

type ReadGoal = readonly [what: string, of: Measure, unit: string, most: number];

/** What the scenarios are to show. A goal with `over` bounds the ratio, any other the figure. */
export const goals: readonly Goal[] = [
  ...sendGoals,
  latencyGoal('100', 5, 50, 6),
  latencyGoal('100', 5, 99, 15),
  latencyGoal('1000', 100, 50, 20),
  latencyGoal('1000', 100, 99, 60),
  {
    what: 'processor time of a delivered event, gateway and node, 9,000 followers, one event',
    scenario: 'chat',
    of: {
      group: '9000 followers',
      name: 'one message at a time',
      figures: ['cpu_gateway_us_per_delivery', 'cpu_events_us_per_delivery'],
    },
    over: {
      group: '9000 followers',
      name: 'nginx with nchan, 9000 followers, one message at a time',
      figures: ['cpu_nchan_us_per_delivery'],
    },
    unit: 'µs',
    most: 4,
  },
  ...['1000', '9000'].map((polls): Goal => ({
    what: `memory of a held poll, gateway and node, ${polls} polls`,
    scenario: 'idle',
    of: {
      group: `${polls} held polls`,
      name: 'idle',
      figures: ['memory_kib_per_poll'],
    },
    unit: 'KiB',
    most: 30,
  })),
  ...['GET of a small file', 'GET over the link of a node'].map((name): Goal => ({
    what: `processor time of a ${name} in the gateway`,
    scenario: 'reads',
    of: { group: 'a cheap endpoint', name, figures: ['cpu_gateway_us_per_request'] },
    over: {
      group: 'a cheap endpoint',
      name: 'Express with http-proxy-middleware',
      figures: ['cpu_hop_us_per_request'],
    },
    unit: 'µs',
    most: 1.3,
  })),
  ...readGoals,
  {
    what: 'longest stall of a send in ten minutes of steady load',
    scenario: 'steady',
    of: { group: 'steady', name: '200 sends a second for 600 s', figures: ['send_max_ms'] },
    unit: 'ms',
    most: 100,
  },
  ...['events only', 'events and own state'].map((name): Goal => ({
    what: `registers refused when 5,000 clients come back at once, ${name}`,
    scenario: 'storm',
    of: { group: 'storm', name: `5000 clients, ${name}`, figures: ['refused_per_thousand'] },
    unit: 'of a thousand',
    most: 0,
  })),
  {
    what: 'a notice of typing to one reader, p50',
    scenario: 'typing',
    of: { group: 'typing', name: '1 reader', figures: ['typing_to_receive_p50_ms'] },
    unit: 'ms',
    most: 6,
  },
  {
    what: 'send to 100,000 subscribers against 10',
    scenario: 'audience',
    of: { group: 'audience', name: '100000 subscribers', figures: ['send_p50_ms'] },
    over: { group: 'audience', name: '10 subscribers', figures: ['send_p50_ms'] },
    unit: 'ms',
    most: 1.2,
  },
];

/** @returns for each goal of the result's scenario what was reached; nothing for goals whose cases were not run */
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
