import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { listMetricNames } from './metric-names.ts';
import { readAlerts, readPanels, readRecordings, withoutBound } from './monitoring.ts';

const alerts = readAlerts();
const recordings = readRecordings();
const panels = readPanels();
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...recordings.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];

test('every queried metric is exported by a service or recorded by a rule', () => {
  const known = new Set([...listMetricNames(), ...recordings.map(({ record }) => record)]);
  for (const expr of expressions)
    for (const [name] of expr.matchAll(/\bparley[_:][a-z0-9_:]+/g))
      expect(known.has(name.replace(/_(bucket|sum|count)$/, '')), `${name} of ${expr}`).toBe(true);
});

test('the metrics that must be measured are on the dashboard', () => {
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
  for (const name of [
    'parley_event_poll_hold_seconds',
    'parley_event_answer_events',
    'parley_event_queues',
    'parley_log_tail_bytes',
    'parley_log_lag_positions',
    'parley_log_repairs_total',
    'parley_log_hint_delay_seconds',
    'parley_event_queue_refusals_total',
    'nodejs_eventloop_lag_p99_seconds',
    'parley_database_requests_waiting',
  ])
    expect(shown).toContain(name);
});

test('every alert has a severity, a duration and its own section of the runbook', () => {
  const runbook = readFileSync(join(repositoryFolder, 'deploy', 'runbook.md'), 'utf8');
  const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading?.toLowerCase().replaceAll(' ', '-'),
  );
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  for (const { alert, expr, labels, annotations } of alerts) {
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(withoutBound(expr), `bound of ${alert}`).toBeDefined();
    const [file, anchor] = annotations['runbook']?.split('#') ?? [];
    expect(file).toBe('deploy/runbook.md');
    expect(headings, `headings for ${alert}`).toContain(anchor);
  }
});

test('panels have unique ids and places', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos } of panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(taken.has(`${x} ${y}`), `another panel lies under ${title}`).toBe(false);
        expect(x).toBeLessThan(24);
        taken.add(`${x} ${y}`);
      }
});
