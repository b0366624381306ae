import { findMedian } from './summary.ts';

/** A prepared statement while some operation ran: how often, and its medians in microseconds. */
export type StatementTimes = {
  readonly statement: string;
  readonly calls: number;
  /** Of reading and planning it, and of running it. */
  readonly plan_us: number;
  readonly run_us: number;
};

/** Values of `log_min_duration_statement` with which Postgres logs how long every statement took, and none. */
export const logStatements = { on: '0', off: '-1' } as const;

const durationLine = /duration: ([\d.]+) ms {2}(parse|bind|execute) ([^:]+): /;
/** Some statements are named after their text. */
const hash = /-[0-9a-f]{40}$/;
const usPerMs = 1_000;

type Steps = { readonly parse: number[]; readonly bind: number[]; readonly execute: number[] };

function medianOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.round(findMedian(values));
}

/** Reads from Postgres' log, line by line, what each prepared statement took. */
export class StatementLog {
  #statements = new Map<string, Steps>();

  /** @param line of Postgres' log */
  read(line: string): void {
    const [, ms, step = '', name = ''] = durationLine.exec(line) ?? [];
    if (ms === undefined) return;
    const statement = name.replace(hash, '');
    const steps = this.#statements.get(statement) ?? { parse: [], bind: [], execute: [] };
    this.#statements.set(statement, steps);
    steps[step as keyof Steps].push(Number(ms) * usPerMs);
  }

  /** @returns what was read since the last call */
  take(): readonly StatementTimes[] {
    const taken = this.#statements;
    this.#statements = new Map();
    return [...taken].map(([statement, { bind, execute }]) => ({
      statement,
      calls: execute.length,
      // A statement is read once for each connection, and planned with its values when they are bound.
      plan_us: medianOf(bind),
      run_us: medianOf(execute),
    }));
  }
}
