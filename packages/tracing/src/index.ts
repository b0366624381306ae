export { findTracer, inChildSpan, startTraces } from './start-traces.ts';
export type { TracesOptions } from './start-traces.ts';
export type { ChildOptions, ServerSpanOptions, Span, SpanAttributes, Tracer } from './tracer.ts';
export { asksForTraces, tracingVariables } from './variables.ts';
