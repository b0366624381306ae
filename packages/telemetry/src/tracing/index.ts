export * from './start-traces.ts';
export * from './tracer.ts';
export { asksForTraces, tracingVariables } from './variables.ts';
