export * from './languages.ts';
export * from './recorded-calls.ts';
export { sampleRequestOf } from './sample-request.ts';
export type { SampleRequest } from './sample-request.ts';
