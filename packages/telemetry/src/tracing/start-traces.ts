import type { ChildOptions, Span, Tracer, TracesOptions } from './tracer.ts';

// One for the process, like its variables; undefined unless they request traces.
let tracer: Tracer | undefined;

/** The tracer of this process. It is undefined, and nothing of the SDK is loaded, unless the environment requests traces. */
export function findTracer(): Tracer | undefined {
  return tracer;
}

/**
 * Loads the SDK and starts to trace. Call it once, if `asksForTraces` returns true, before connections are opened.
 *
 * @returns a function that ends tracing: it sends the remaining spans, for at most two seconds
 * @throws Error if a variable of the SDK cannot be used
 */
export async function startTraces(options: TracesOptions): Promise<() => Promise<void>> {
  if (tracer !== undefined) throw new Error('traces can be started only once in a process');
  // The only import of the SDK, so that processes without traces do not load it.
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

/** Runs work in a child of the current span; without a current span it just runs. */
export function inChildSpan<Result>(
  name: string,
  work: () => Promise<Result>,
  options?: ChildOptions,
): Promise<Result> {
  const span = tracer?.findSpan()?.openChild(name, options);
  return span === undefined ? work() : runToEnd(span, work);
}
