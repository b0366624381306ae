/** The example of an endpoint as a request, independent of a language. */
import { rawResponsesOf } from '../declare/endpoint.ts';
import { ExampleVariable } from '../declare/endpoint-example.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { ExampleCaller, ExampleValue } from '../declare/endpoint-example.ts';

export type NamedValue = readonly [name: string, value: ExampleValue];

export type SampleRequest = {
  /** The name in the document and the client: `POST /messages`. */
  readonly operation: string;
  readonly method: string;
  /** From the root, with `{name}` for parameters. */
  readonly pathTemplate: string;
  readonly path: readonly NamedValue[];
  readonly query: readonly NamedValue[];
  readonly form: readonly NamedValue[];
  readonly json: ExampleValue | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of a file to send. */
  readonly file: string | undefined;
  readonly as: ExampleCaller;
  readonly answer: 'json' | 'file' | 'stream' | 'nothing';
  readonly savedAs: string;
  /** Each once, in the order of their use in the request. */
  readonly variables: readonly ExampleVariable[];
};

function callerOf({ access, example }: Endpoint): ExampleCaller {
  if (example.as !== undefined) return example.as;
  if (access.authentication !== 'required') return 'nobody';
  return access.administratorsOnly === true ? 'administrator' : 'member';
}

function answerOf(endpoint: Endpoint): SampleRequest['answer'] {
  const rawResponses = rawResponsesOf(endpoint);
  if (rawResponses.length === 0) return 'json';
  if (rawResponses.some(({ contentType }) => contentType === 'text/event-stream')) return 'stream';
  return rawResponses.every(({ status }) => status === 204) ? 'nothing' : 'file';
}

/** @returns the variables within a value, also those in lists and objects */
function variablesIn(value: ExampleValue): readonly ExampleVariable[] {
  if (value instanceof ExampleVariable) return [value];
  return typeof value === 'object' && value !== null
    ? Object.values<ExampleValue>(value).flatMap(variablesIn)
    : [];
}

/** @returns the example of an endpoint as a request */
export function sampleRequestOf(endpoint: Endpoint): SampleRequest {
  const { example, parameters, file } = endpoint;
  const method = endpoint.method === 'ANY' ? 'POST' : endpoint.method;
  const below = endpoint.path.replaceAll('...}', '}');
  const given = (from: 'path' | 'form' | 'body'): NamedValue[] =>
    parameters.flatMap((parameter): NamedValue[] => {
      const value = example.parameters?.[parameter.name];
      return parameter.from === from && value !== undefined ? [[parameter.name, value]] : [];
    });
  const path = given('path');
  const inForm = given('form');
  const [body] = given('body');
  const isInQuery =
    method === 'GET' || file === 'streamed' || body !== undefined || example.file !== undefined;
  const values = [...path, ...inForm, ...(body === undefined ? [] : [body])];
  return {
    operation: `${method} ${below}`,
    method,
    pathTemplate: `${endpoint.below === 'api' ? '/api/v1' : ''}${below}`,
    path,
    query: isInQuery ? inForm : [],
    form: isInQuery ? [] : inForm,
    json: body?.[1],
    headers: example.headers ?? {},
    file: example.file,
    as: callerOf(endpoint),
    answer: answerOf(endpoint),
    savedAs: example.savedAs ?? 'answer',
    variables: [...new Set(values.flatMap(([, value]) => variablesIn(value)))],
  };
}

/** The first lines of a sample, for readers who adapt it. */
export function remarksOf({ as, variables, file }: SampleRequest): readonly string[] {
  return [
    ...(as === 'member' || as === 'nobody' ? [] : [`As ${as === 'bot' ? 'a' : 'an'} ${as}`]),
    ...(file === undefined ? [] : [`${file} is a picture of yours`]),
    ...variables.map(({ name, from }) => `${name}: ${from}`),
  ];
}

/** The pieces of a value in the form of parameters: texts unchanged, all other values as JSON. */
export function piecesOf(value: ExampleValue): readonly (string | ExampleVariable)[] {
  if (typeof value === 'string') return [value];
  return value instanceof ExampleVariable ? [value] : jsonPieces(value);
}

function jsonPieces(value: ExampleValue): readonly (string | ExampleVariable)[] {
  if (value instanceof ExampleVariable)
    return value.type === 'integer' ? [value] : ['"', value, '"'];
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const isList = Array.isArray(value);
  const members = Object.entries(value as Readonly<Record<string, ExampleValue>>).map(
    ([key, member]) => [...(isList ? [] : [`${JSON.stringify(key)}: `]), ...jsonPieces(member)],
  );
  const between = members.flatMap((member, index) => (index === 0 ? member : [', ', ...member]));
  return isList ? ['[', ...between, ']'] : ['{', ...between, '}'];
}

/** The pieces of the JSON of a whole body. */
export const bodyPiecesOf = jsonPieces;
