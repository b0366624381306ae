import { compareResults } from './comparison.ts';
import { judgeGoals } from './goals.ts';
import type { CaseResult, ScenarioResult } from './results.ts';
import { roundFigure } from './summary.ts';
import { escapeHtml, plotBars, plotDistributions, plotStacks } from './svg-plots.ts';

const style = `body{font:14px/1.4 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.15rem .6rem;border-bottom:1px solid #ddd;text-align:left}
td.number{text-align:right;font-variant-numeric:tabular-nums}figure{margin:1.5rem 0}figcaption{font-weight:600}
svg{font:11px system-ui,sans-serif;max-width:100%}.beware{background:#fff3d6;padding:.3rem .6rem}.missed{color:#b00}`;

/** @returns a page without external resources: no script, style sheet or picture from elsewhere */
export function renderReport(result: ScenarioResult, before?: ScenarioResult): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<title>Load: ${escapeHtml(result.scenario)}</title><style>${style}</style></head><body>`,
    `<h1>Load: ${escapeHtml(result.scenario)}</h1>`,
    renderFacts(result),
    ...result.warnings.map((text) => `<p class="beware">Beware: ${escapeHtml(text)}</p>`),
    renderGoals(result),
    renderPlots(result.cases),
    ...result.cases.map(renderCase),
    before === undefined ? '' : renderComparison(before, result),
    '</body></html>',
    '',
  ].join('\n');
}

function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cell = (value: string | number): string =>
    typeof value === 'number'
      ? `<td class="number">${roundFigure(value)}</td>`
      : `<td>${escapeHtml(value)}</td>`;
  return [
    `<table><thead><tr>${head.map((text) => `<th>${escapeHtml(text)}</th>`).join('')}</tr></thead><tbody>`,
    ...rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`),
    '</tbody></table>',
  ].join('\n');
}

function renderFacts(result: ScenarioResult): string {
  const { machine } = result;
  return renderTable(
    ['', ''],
    [
      ['command', result.command],
      ['commit', result.commit],
      ['taken at', result.taken_at],
      [
        'machine',
        `${machine.cores} processors (${machine.processor}), ${machine.memory_gib} GiB, Node ${machine.node}`,
      ],
      [
        'Postgres',
        Object.entries(machine.postgres)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
      ],
      ['runs', `${result.repeats} of ${result.seconds} s each`],
    ],
  );
}

function renderGoals(result: ScenarioResult): string {
  const judged = judgeGoals(result);
  if (judged.length === 0) return '';
  return `<h2>Goals</h2>\n${renderTable(
    ['what', 'ours', '', 'control', 'ratio', 'goal', ''],
    judged.map(({ what, value, unit, control, ratio, bound, isReached }) => [
      what,
      value,
      unit,
      control ?? '',
      ratio ?? '',
      bound,
      isReached ? 'reached' : 'missed',
    ]),
  )}`;
}

function labelOf({ group, name, isControl }: CaseResult, groups: number): string {
  if (isControl) return `control: ${name}`.slice(0, 52);
  return (groups > 1 ? `${group}, ${name}` : name).slice(0, 52);
}

function renderPlots(cases: readonly CaseResult[]): string {
  const groups = new Set(cases.map(({ group }) => group)).size;
  const figures = [...new Set(cases.flatMap(({ summary }) => Object.keys(summary)))];
  const rates = figures.filter((figure) => figure.endsWith('_per_s'));
  const bars = rates.map((figure) =>
    plotBars(
      figure,
      cases.flatMap((each) => {
        const spread = each.summary[figure];
        return spread === undefined
          ? []
          : [{ label: labelOf(each, groups), spread, isControl: each.isControl }];
      }),
    ),
  );
  const operations = [...new Set(cases.map(({ operation }) => operation))];
  const stacks = operations.map((operation) => {
    const part = new RegExp(`^cpu_(.+)_us_per_${operation}$`);
    return plotStacks(
      `processor time for each ${operation}, µs`,
      cases
        .filter((each) => each.operation === operation)
        .map((each) => ({
          label: labelOf(each, groups),
          parts: Object.entries(each.summary).flatMap(([figure, { median }]) => {
            const name = part.exec(figure)?.[1];
            return name === undefined ? [] : [{ name, value: median }];
          }),
        })),
    );
  });
  const kinds = [...new Set(cases.flatMap(({ distributions }) => Object.keys(distributions)))];
  const distributions = kinds.map((kind) =>
    plotDistributions(
      `${kind}, over percentiles`,
      cases.flatMap((each) => {
        const points = each.distributions[kind];
        return points === undefined ? [] : [{ label: labelOf(each, groups), points }];
      }),
    ),
  );
  return [...bars, ...stacks, ...distributions].join('\n');
}

function renderCase({ group, name, isControl, summary, samples }: CaseResult): string {
  return [
    `<h2>${escapeHtml(isControl ? `Control: ${name}` : `${group}: ${name}`)}</h2>`,
    renderTable(
      ['figure', 'median', 'least', 'most', ...samples.map((_, n) => `run ${n + 1}`)],
      Object.entries(summary).map(([figure, { median, min, max }]) => [
        figure,
        median,
        min,
        max,
        ...samples.map((sample) => sample[figure] ?? ''),
      ]),
    ),
  ].join('\n');
}

function renderComparison(before: ScenarioResult, now: ScenarioResult): string {
  return `<h2>Against commit ${escapeHtml(before.commit)}, ${escapeHtml(before.taken_at)}</h2>\n${renderTable(
    ['case', 'figure', 'before', 'now', 'ratio', ''],
    compareResults(before, now).map((each) => [
      `${each.group}: ${each.name}`,
      each.figure,
      each.before,
      each.now,
      each.ratio,
      each.isClear ? 'beyond the spread' : '',
    ]),
  )}`;
}
