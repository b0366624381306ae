import type { Latencies } from './latencies.ts';
import type { LoadSystem, OwnSystemOptions } from './load-system.ts';
import type { LoadOptions } from './load-options.ts';
import type { Measured, Rig } from './rig.ts';
import type { Sample } from './summary.ts';

/** What one run of a case found. */
export type Shot = {
  /** What is counted, in the singular: `send`, `delivery`. Figures are named for it. */
  readonly operation: string;
  /** How many of them there were while it was measured. */
  readonly operations: number;
  readonly measured: Measured;
  /** Further figures, with their unit last. */
  readonly figures: Sample;
  /** Named for what was waited for. */
  readonly latencies: Readonly<Record<string, Latencies>>;
};

export type Case = {
  readonly name: string;
  /** Another program, measured side by side so that ratios hold across machines. */
  readonly isControl?: boolean;
  /**
   * Runs it once, a warm-up first.
   *
   * @throws Error when anything was not as it has to be: the run then gives no figures
   */
  readonly run: () => Promise<Shot>;
};

/** Cases that share what they work on. They are run in turn, as often as asked for. */
export type Group = {
  readonly name: string;
  /** Makes what the cases need. What has to be let go of afterwards is given to the rig. */
  readonly open: (rig: Rig) => Promise<readonly Case[]>;
};

/** How a scenario that is measured is declared. */
export type MeasuredScenario = {
  readonly name: string;
  /** One line for the usage. */
  readonly summary: string;
  /** The differences of the separate system from the usual one. */
  readonly ownSystem?: (options: LoadOptions) => OwnSystemOptions;
  /** How long one run measures, unless told otherwise. */
  readonly secs: number;
  readonly groups: (system: LoadSystem, options: LoadOptions) => readonly Group[];
};
