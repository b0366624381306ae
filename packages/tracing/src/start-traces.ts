import type { ChildOptions, Span, Tracer } from './tracer.ts';

export type TracesOptions = {
  /** The process's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly service: string;
  readonly nodeId: string;
  readonly version: string;
  /** Called with how many spans the collector did not take. */
  readonly onLost: (spans: number) => void;
};

// One for the process, as its variables are; undefined unless they ask for traces.
let tracer: Tracer | undefined;

/** The tracer of this process; undefined, and nothing of the SDK loaded, unless its environment asks for traces. */
export function findTracer(): Tracer | undefined {
  return tracer;
}

/**
 * Loads the SDK and begins to trace. Call it once, where `asksForTraces` says so, before connections are opened.
 *
 * @returns ends tracing: sends what is left, for at most two seconds
 * @throws Error when a variable of the SDK cannot be used
 */
export async function startTraces(options: TracesOptions): Promise<() => Promise<void>> {
  if (tracer !== undefined) throw new Error('a process traces once');
  // The only import of the SDK, so that who does not trace does not load it.
  const { createTracer } = await import('./otlp-tracer.ts');
  const created = createTracer(options);
  tracer = created.tracer;
  return async () => {
    tracer = undefined;
    await created.stop();
  };
}

async function runToEnd<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end(error instanceof Error ? error.name : 'thrown');
    throw error;
  }
}

/** Runs work as a child of the span that the code runs in; without one it just runs. */
export function inChildSpan<Result>(
  name: string,
  work: () => Promise<Result>,
  options?: ChildOptions,
): Promise<Result> {
  const span = tracer?.findSpan()?.openChild(name, options);
  return span === undefined ? work() : runToEnd(span, work);
}
