import { findCase } from './results.ts';
import type { ScenarioResult } from './results.ts';
import { roundFigure } from './summary.ts';

export type ComparedFigure = {
  readonly group: string;
  readonly name: string;
  readonly figure: string;
  readonly before: number;
  readonly now: number;
  readonly ratio: number;
  /** Whether the samples before and after do not overlap, so that the difference is more than their spread. */
  readonly isClear: boolean;
};

/** @returns the medians of both, for each figure that both have */
export function compareResults(
  before: ScenarioResult,
  now: ScenarioResult,
): readonly ComparedFigure[] {
  return now.cases.flatMap((each) => {
    const earlier = findCase(before, each);
    if (earlier === undefined) return [];
    return Object.entries(each.summary).flatMap(([figure, spread]) => {
      const then = earlier.summary[figure];
      if (then === undefined || then.median === 0) return [];
      return [
        {
          group: each.group,
          name: each.name,
          figure,
          before: then.median,
          now: spread.median,
          ratio: roundFigure(spread.median / then.median),
          isClear: spread.min > then.max || spread.max < then.min,
        },
      ];
    });
  });
}

/** @returns the comparison as text, with a mark at figures whose samples do not overlap */
export function describeComparison(compared: readonly ComparedFigure[]): string {
  const lines: string[] = [];
  let last = '';
  for (const { group, name, figure, before, now, ratio, isClear } of compared) {
    const title = `${group}: ${name}`;
    if (title !== last) lines.push('', `${title}, now against before`);
    last = title;
    lines.push(
      `  ${figure.padEnd(36)} ${roundFigure(now)} / ${roundFigure(before)} = ${ratio}${isClear ? ' *' : ''}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
