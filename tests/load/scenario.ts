import type { Latencies } from './latencies.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import type { LoadOptions } from './load-options.ts';
import type { Measured, Rig } from './rig.ts';
import type { Sample } from './summary.ts';

/** The result of one run of a case. */
export type Shot = {
  /** The unit of work, in the singular: `send`, `delivery`. Figures are named after it. */
  readonly operation: string;
  /** How many of them there were during the measurement. */
  readonly operations: number;
  readonly measured: Measured;
  /** Further figures; the unit is the last part of the name. */
  readonly figures: Sample;
  /** Each named after what was timed. */
  readonly latencies: Readonly<Record<string, Latencies>>;
};

export type Case = {
  readonly name: string;
  /** Another program, measured beside the system so that ratios are valid on any machine. */
  readonly isControl?: boolean;
  /**
   * Runs it once, after a warm-up.
   *
   * @throws Error if anything is not as it must be; then the run gives no figures
   */
  readonly run: () => Promise<Shot>;
};

/** Cases with a common set-up. They are run in turn, as often as requested. */
export type Group = {
  readonly name: string;
  /** Creates the set-up of the cases. The rig releases what must be released afterwards. */
  readonly open: (rig: Rig) => Promise<readonly Case[]>;
};

/** The declaration of a scenario that is measured. */
export type MeasuredScenario = {
  readonly name: string;
  /** One line for the usage. */
  readonly summary: string;
  /** The differences of the separate system from the usual one. */
  readonly ownSystem?: (options: LoadOptions) => OwnSystemOptions;
  /** How long one run measures by default. */
  readonly secs: number;
  readonly groups: (system: LoadSystem, options: LoadOptions) => readonly Group[];
};
