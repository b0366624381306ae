import { judgeGoals } from './goals.ts';
import type { CaseResult, ScenarioResult } from './results.ts';
import { roundFigure } from './summary.ts';
import type { Spread } from './summary.ts';

/** @returns the result as text for a terminal: each case with the medians and spreads of its figures */
export function describeResult(result: ScenarioResult): string {
  const { machine } = result;
  const lines = [
    '',
    `${result.scenario}: ${result.command}`,
    `commit ${result.commit}, ${result.taken_at}`,
    `${machine.cores} processors (${machine.processor}), ${machine.memory_gib} GiB, Node ${machine.node}`,
    `Postgres: ${Object.entries(machine.postgres)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
    `${result.repeats} runs of ${result.seconds} s each; median (least to most)`,
  ];
  for (const each of result.cases) lines.push('', ...describeCase(each));
  const judged = judgeGoals(result);
  if (judged.length > 0)
    lines.push(
      '',
      'Goals',
      ...judged.map(({ what, value, control, ratio, bound, isReached }) => {
        const against = ratio === undefined ? '' : `, ${ratio} × the ${control} beside it`;
        return `  ${isReached ? 'reached' : 'MISSED '} ${what} ${value}${against} (${bound})`;
      }),
    );
  if (result.warnings.length > 0)
    lines.push('', ...result.warnings.map((text) => `Beware: ${text}`));
  return `${lines.join('\n')}\n`;
}

function describeCase({ group, name, isControl, summary }: CaseResult): string[] {
  const entries = Object.entries(summary);
  const width = Math.max(...entries.map(([figure]) => figure.length));
  return [
    `${isControl ? 'Control' : group}: ${name}`,
    ...entries.map(([figure, spread]) => `  ${figure.padEnd(width)}  ${describeSpread(spread)}`),
  ];
}

function describeSpread({ median, min, max }: Spread): string {
  const middle = String(roundFigure(median));
  return min === max ? middle : `${middle} (${roundFigure(min)} to ${roundFigure(max)})`;
}
