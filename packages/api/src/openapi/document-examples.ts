/** Puts examples into an OpenAPI document: values of parameters, bodies, recorded answers, and calls in each language. */
import { ExampleVariable } from '../declare/endpoint-example.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { ExampleValue } from '../declare/endpoint-example.ts';

import { languages } from '../samples/languages.ts';
import { readRecordedCalls } from '../samples/recorded-calls.ts';
import type { RecordedCall } from '../samples/recorded-calls.ts';
import { sampleRequestOf } from '../samples/sample-request.ts';
import type { SampleRequest } from '../samples/sample-request.ts';
import type { Json } from './named-schemas.ts';

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** A value as it was sent when the example was recorded; undefined if unknown. */
function sent(value: ExampleValue, { values }: RecordedCall): unknown {
  if (value instanceof ExampleVariable) return values[value.name];
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each: ExampleValue) => sent(each, { values }));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, sent(member, { values })]),
  );
}

function withExample(parameter: Json, example: unknown): Json {
  if (example === undefined) return parameter;
  const media = objectOf(parameter['content'])['application/json'];
  return media === undefined
    ? { ...parameter, example }
    : { ...parameter, content: { 'application/json': { ...objectOf(media), example } } };
}

function headerParameters({ headers }: SampleRequest): Json[] {
  return Object.entries(headers).map(([name, example]) => ({
    name,
    in: 'header',
    required: true,
    description: 'What happened',
    schema: { type: 'string' },
    example,
  }));
}

function bodyWithExample(body: Json, example: Json | ExampleValue | undefined): Json {
  if (example === undefined) return body;
  const content = Object.entries(objectOf(body['content'])).map(([type, media]) => [
    type,
    { ...objectOf(media), example },
  ]);
  return { ...body, content: Object.fromEntries(content) as Json };
}

function withAnswer(responses: Json, answer: unknown): Json {
  const success = objectOf(responses['200']);
  const media = objectOf(success['content'])['application/json'];
  if (answer === undefined || media === undefined) return responses;
  return {
    ...responses,
    '200': {
      ...success,
      content: { 'application/json': { ...objectOf(media), example: answer } },
    },
  };
}

function operationWithExamples(operation: Json, endpoint: Endpoint, call: RecordedCall): Json {
  const request = sampleRequestOf(endpoint);
  const values = new Map<unknown, unknown>(
    [...request.path, ...request.query, ...request.form].map(([name, value]) => [
      name,
      sent(value, call),
    ]),
  );
  const listed = Array.isArray(operation['parameters']) ? (operation['parameters'] as Json[]) : [];
  const parameters = [
    ...listed.map((parameter) => withExample(parameter, values.get(parameter['name']))),
    ...headerParameters(request),
  ];
  const form = Object.fromEntries(request.form.map(([name]) => [name, values.get(name)]));
  const body = request.json === undefined ? form : sent(request.json, call);
  const isEmpty = request.json === undefined && request.form.length === 0;
  return {
    ...operation,
    ...(parameters.length > 0 && { parameters }),
    ...(operation['requestBody'] !== undefined && {
      requestBody: bodyWithExample(
        objectOf(operation['requestBody']),
        isEmpty ? undefined : (body as Json),
      ),
    }),
    responses: withAnswer(objectOf(operation['responses']), call.answer),
    'x-codeSamples': languages.map(({ label, lang, write }) => ({
      lang,
      label,
      source: write(request),
    })),
  };
}

/** @returns the document with the examples of these endpoints */
export function withExamples(document: Json, endpoints: readonly Endpoint[]): Json {
  const recorded = readRecordedCalls();
  const byName = new Map<unknown, Endpoint>(endpoints.map((each) => [each.name, each]));
  const paths = Object.entries(objectOf(document['paths'])).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(objectOf(item)).map(([method, operation]) => {
        const name = objectOf(operation)['operationId'];
        const endpoint = byName.get(name);
        return endpoint === undefined || endpoint.clients === 'pages'
          ? [method, operation]
          : [
              method,
              operationWithExamples(
                objectOf(operation),
                endpoint,
                recorded.get(endpoint.name) ?? { values: {} },
              ),
            ];
      }),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as Json };
}
