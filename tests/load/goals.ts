import { serviceNames } from '@parley/test-kit';

import { findCase } from './results.ts';
import type { ScenarioResult } from './results.ts';
import { findMedian, roundFigure } from './summary.ts';

/** What is measured of a case: a figure, or several that are added, with their bound. */
type CaseGoal = readonly [name: string, figures: string | readonly string[], bound: Bound];

type Bound = {
  readonly least?: number;
  readonly most?: number;
  /** The case, a control or another, over which the figure is judged in each run. */
  readonly over?: Measure;
};

type Measure = {
  readonly group: string;
  readonly name: string;
  readonly figures: readonly string[];
};

/** A limit of a ratio if there is something to compare with, otherwise of the figure. */
export type Goal = { readonly scenario: string; readonly of: Measure } & Bound;

export type Judgement = {
  readonly what: string;
  readonly value: number;
  /** The same for the control, if there is one. */
  readonly control: number | undefined;
  readonly ratio: number | undefined;
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
const tenSubscribers: Measure = {
  group: 'audience',
  name: '10 subscribers',
  figures: ['send_p50_ms'],
};
const gatewayAndNode = ['cpu_gateway_us_per_delivery', 'cpu_events_us_per_delivery'];
const newest = '100 newest of a stream';
const office = '2002 people, 500 requests a second';
const memory = [['idle', 'memory_kib_per_poll', { most: 16 }]] as const;

/** The goals, by scenario and group, for all processes together unless the figure names one. */
const declared: Readonly<Record<string, Readonly<Record<string, readonly CaseGoal[]>>>> = {
  send: {
    send: ['one topic', '200 topics'].flatMap((topics): CaseGoal[] => [
      [`64 in flight, ${topics}`, 'sends_per_s', { least: 0.45, over: pgbench }],
      [`64 in flight, ${topics}`, 'cpu_us_per_send', { most: 300 }],
      [`64 in flight, ${topics}`, 'cpu_postgres_us_per_send', { most: 200 }],
      [`1 in flight, ${topics}`, 'cpu_us_per_send', { most: 1_200 }],
      [`1 in flight, ${topics}`, 'cpu_postgres_us_per_send', { most: 1_500 }],
    ]),
  },
  chat: {
    '100 followers': [
      ['5 messages a second', 'send_to_receive_p50_ms', { most: 5 }],
      ['5 messages a second', 'send_to_receive_p99_ms', { most: 10 }],
    ],
    '1000 followers': [['100 messages a second', 'send_to_receive_p50_ms', { most: 80 }]],
    '1000 streams': [
      ['100 messages a second', 'send_to_receive_p50_ms', { most: 30 }],
      ['100 messages a second', 'send_to_receive_p99_ms', { most: 90 }],
      ['20 messages a second', gatewayAndNode, { most: 12 }],
    ],
    '9000 followers': [['one message at a time', gatewayAndNode, { most: 4, over: nchan }]],
  },
  audience: {
    audience: [['100000 subscribers', 'send_p50_ms', { most: 1.2, over: tenSubscribers }]],
  },
  history: {
    'a history of 1000000 messages': [
      [newest, 'cpu_us_per_request', { most: 900 }],
      [`${newest}, 8 in flight`, 'cpu_us_per_request', { most: 600 }],
      [newest, 'request_p50_ms', { most: 5 }],
      ['search for a word that is rare', 'request_p50_ms', { most: 10 }],
      ['search for a word that is common', 'request_p50_ms', { most: 10 }],
    ],
  },
  typing: { typing: [['1 reader', 'typing_to_receive_p50_ms', { most: 6 }]] },
  reads: {
    'a cheap endpoint': ['GET of a small file', 'GET over the link of a node'].map((name) => [
      name,
      'cpu_gateway_us_per_request',
      { most: 1.3, over: expressHop },
    ]),
    presence: [['2000 people, gzip', 'cpu_us_per_request', { most: 300 }]],
    register: [['1000 people, 200 streams', 'cpu_us_per_request', { most: 5_000 }]],
    'register with unread': [['45000 unread, 1 in flight', 'cpu_us_per_request', { most: 25_000 }]],
    'mark all as read': [['100000 unread', 'mark_p50_ms', { most: 10 }]],
  },
  office: {
    office: [
      [office, 'cpu_us_per_request', { most: 900 }],
      [office, 'send_to_receive_p99_ms', { most: 25 }],
      // No handler keeps an event loop busy for longer, apart from garbage collections and waiting for a core.
      ...serviceNames.map((service): CaseGoal => [office, `loop_${service}_p999_ms`, { most: 5 }]),
    ],
  },
  steady: { steady: [['200 sends a second for 600 s', 'send_max_ms', { most: 100 }]] },
  idle: { '1000 held polls': memory, '9000 held polls': memory },
  'idle-streams': { '1000 open streams': memory, '9000 open streams': memory },
  storm: {
    storm: ['events only', 'events and own state'].map((name) => [
      `5000 clients, ${name}`,
      'refused_per_thousand',
      { most: 0 },
    ]),
  },
};

export const goals: readonly Goal[] = Object.entries(declared).flatMap(([scenario, groups]) =>
  Object.entries(groups).flatMap(([group, cases]) =>
    cases.map(([name, figures, bound]) => ({
      scenario,
      of: { group, name, figures: [figures].flat() },
      ...bound,
    })),
  ),
);

/** @returns the reached value for each goal of the result's scenario; none for goals whose cases were not run */
export function judgeGoals(result: ScenarioResult): readonly Judgement[] {
  return goals.flatMap(({ scenario, of, over, least = -Infinity, most = Infinity }) => {
    if (scenario !== result.scenario) return [];
    const ours = readMeasure(result, of);
    const others = over === undefined ? undefined : readMeasure(result, over);
    if (ours.length === 0) return [];
    const ratios = others?.flatMap((other, index) => {
      const own = ours[index];
      return own === undefined || other === 0 ? [] : [own / other];
    });
    if (ratios?.length === 0) return [];
    const value = findMedian(ours);
    const ratio = ratios === undefined ? undefined : findMedian(ratios);
    const judged = ratio ?? value;
    const bound = least > -Infinity ? `at least ${least}` : `at most ${most}`;
    return [
      {
        what: `${of.group}, ${of.name}: ${of.figures.join(' + ')}`,
        value: roundFigure(value),
        control: others === undefined ? undefined : roundFigure(findMedian(others)),
        ratio: ratio === undefined ? undefined : roundFigure(ratio),
        bound: ratio === undefined ? bound : `${bound} ×`,
        isReached: judged >= least && judged <= most,
      },
    ];
  });
}

/** @returns the sum of the figures in each run that has them all */
function readMeasure(result: ScenarioResult, measure: Measure): readonly number[] {
  return (findCase(result, measure)?.samples ?? []).flatMap((sample) => {
    const values = measure.figures.map((figure) => sample[figure]);
    const known = values.filter((value) => value !== undefined);
    return known.length === values.length ? [known.reduce((sum, value) => sum + value, 0)] : [];
  });
}
