/** The languages in which the documentation shows calls of an endpoint. */
import { curlSample } from './curl-sample.ts';
import { javascriptSample } from './javascript-sample.ts';
import { pythonSample } from './python-sample.ts';
import type { SampleRequest } from './sample-request.ts';

export type Language = {
  readonly label: 'curl' | 'Python' | 'JavaScript';
  /** The name for code samples in OpenAPI documents. */
  readonly lang: string;
  readonly write: (request: SampleRequest) => string;
};

export const languages: readonly Language[] = [
  { label: 'curl', lang: 'Shell', write: curlSample },
  { label: 'Python', lang: 'Python', write: pythonSample },
  { label: 'JavaScript', lang: 'JavaScript', write: javascriptSample },
];
