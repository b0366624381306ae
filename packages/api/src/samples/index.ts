export { languages } from './languages.ts';
export type { Language } from './languages.ts';
export { readRecordedCalls, recordedCallsFile } from './recorded-calls.ts';
export type { RecordedCall } from './recorded-calls.ts';
export { sampleRequestOf } from './sample-request.ts';
export type { SampleRequest } from './sample-request.ts';
