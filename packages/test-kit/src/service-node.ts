import type { Clock } from '@parley/clock';
import type { ServiceName } from '@parley/config';

/** How a node ended. */
export type NodeEnd = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
};

/** What a node runs: one service, or all of them together. */
export type NodeKind = ServiceName | 'together';

/** One running node of one service: a separate process, or in the test's process. A separate process may run all services. */
export type ServiceNode = {
  readonly service: NodeKind;
  readonly nodeId: string;
  /** The base address of this node for other nodes. */
  readonly url: string;
  /** The base address of `/health/live`, `/health/ready` and `/metrics`. */
  readonly internalUrl: string;
  /** How the node ended; undefined while it runs. */
  readonly end: NodeEnd | undefined;
  /** Whether the node ended without being asked to. */
  readonly endedByItself: boolean;
  /** The node's log, oldest line first, at most the last 200 lines. */
  readonly output: readonly string[];
  /** The node's log lines of level error or worse, at most the first 100 lines. */
  readonly faultLines: readonly string[];
  /** Answers that deviate from their declaration or the OpenAPI document, each once. */
  readonly answerFaults: readonly string[];
  /**
   * Ends the node and waits for its end.
   *
   * @param signal `SIGTERM` lets it stop in good order
   */
  readonly kill: (signal?: NodeJS.Signals) => Promise<NodeEnd>;
  /**
   * Does what is due by now.
   *
   * @returns the names of what had something to do
   * @throws Error if the node is a separate process, which keeps its own time
   */
  readonly settle: () => Promise<readonly string[]>;
  /** Reads the value of a metric, summed over its labels; 0 if it was never counted. */
  readonly readMetric: (name: string) => Promise<number>;
  readonly describe: () => string;
  /** The last output, for error messages. */
  readonly describeOutput: () => string;
  /** Gives every later line of the node to a watcher, without a bound. */
  readonly watchOutput: (watch: (line: string) => void) => void;
};

/** Starts a node and waits until it is ready. */
export type StartNode<Node extends ServiceNode> = (
  service: NodeKind,
  nodeId: string,
  environment: Readonly<Record<string, string>>,
  options: {
    readonly clock: Clock;
    readonly watchAnswers: boolean;
    readonly logFile: string | undefined;
  },
) => Promise<Node>;

/** Reads the value of a metric from the internal address of a node, summed over its labels. */
export async function readMetricAt(internalUrl: string, name: string): Promise<number> {
  const response = await fetch(`${internalUrl}/metrics`);
  const lines = (await response.text()).split('\n');
  return lines
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
