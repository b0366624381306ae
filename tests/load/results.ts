import type { Sample, Spread } from './summary.ts';

/** The content of a file of results, which can be compared with a later one. */
export type CaseResult = {
  readonly group: string;
  readonly name: string;
  readonly isControl: boolean;
  readonly operation: string;
  /** In the order in which they were taken. */
  readonly samples: readonly Sample[];
  readonly summary: Readonly<Record<string, Spread>>;
};

export type Machine = {
  readonly cores: number;
  readonly processor: string;
  readonly memory_gib: number;
  readonly node: string;
  /** Settings that Postgres reports. */
  readonly postgres: Readonly<Record<string, string>>;
};

export type ScenarioResult = {
  readonly scenario: string;
  /** The command line, without anything that names this machine. */
  readonly command: string;
  readonly commit: string;
  readonly taken_at: string;
  readonly machine: Machine;
  readonly repeats: number;
  readonly seconds: number;
  readonly warnings: readonly string[];
  readonly cases: readonly CaseResult[];
};

// Beyond a third of the machine, the generators take processor time that the system would use.
const generatorsPercentMax = 100 / 3;
const othersPercentMax = 5;

/** @returns reasons why the figures may be worse than those of the system alone */
export function findWarnings(cases: readonly CaseResult[]): readonly string[] {
  return cases.flatMap(({ name, summary }) => {
    const most = (figure: string): number => summary[figure]?.max ?? 0;
    const generators = most('generators_percent');
    const others = most('others_percent');
    return [
      ...(generators > generatorsPercentMax
        ? [`${name}: the generators took ${Math.round(generators)} % of the machine`]
        : []),
      ...(others > othersPercentMax
        ? [`${name}: something else took ${Math.round(others)} % of the machine`]
        : []),
    ];
  });
}

/** Cases with the same name in two results, in the order of the newer. */
export function findCase(
  result: ScenarioResult,
  like: Pick<CaseResult, 'group' | 'name'>,
): CaseResult | undefined {
  return result.cases.find(({ group, name }) => group === like.group && name === like.name);
}
