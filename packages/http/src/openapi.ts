import { errorCatalogue } from '@parley/contracts';
import type { ErrorCode } from '@parley/contracts';

import { apiPathPrefix } from './api-app.ts';
import type { Endpoint, EndpointAccess, EndpointMethod } from './endpoint.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Parameter } from './parameters.ts';

/** The OpenAPI 3.1 document, made from the declarations alone. */

type Json = Readonly<Record<string, unknown>>;

export type OpenApiInfo = {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
};

// Every endpoint may answer these; a declaration lists the others.
const commonErrors: readonly ErrorCode[] = ['BAD_REQUEST', 'SERVICE_UNAVAILABLE'];

function schemaOf(parameter: Parameter): JsonSchema {
  const { defaultValue } = parameter;
  return defaultValue === undefined
    ? parameter.schema
    : { ...parameter.schema, default: defaultValue };
}

function isJsonText(parameter: Parameter): boolean {
  return parameter.encoding === 'json' && parameter.schema.type !== 'string';
}

function describeName(parameter: Parameter): string {
  const { aliases, description } = parameter;
  return aliases.length === 0
    ? description
    : `${description} Also accepted as ${aliases.map((name) => `\`${name}\``).join(', ')}.`;
}

function parameterObject(parameter: Parameter): Json {
  const common = {
    name: parameter.name,
    in: parameter.from === 'path' ? 'path' : 'query',
    required: parameter.required,
    description: describeName(parameter),
  };
  return isJsonText(parameter)
    ? { ...common, content: { 'application/json': { schema: schemaOf(parameter) } } }
    : { ...common, schema: schemaOf(parameter) };
}

function formBody(parameters: readonly Parameter[]): Json {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter) => [
        parameter.name,
        { ...schemaOf(parameter), description: describeName(parameter) },
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
  const encoding = Object.fromEntries(
    parameters.filter(isJsonText).map(({ name }) => [name, { contentType: 'application/json' }]),
  );
  const media = { schema, ...(Object.keys(encoding).length > 0 && { encoding }) };
  return {
    required: required.length > 0,
    content: { 'application/x-www-form-urlencoded': media, 'multipart/form-data': media },
  };
}

function requestOf(parameters: readonly Parameter[], isQueryOnly: boolean): Json {
  const inBody = parameters.filter(({ from }) => from === 'body');
  const inForm =
    isQueryOnly || inBody.length > 0 ? [] : parameters.filter(({ from }) => from === 'form');
  const listed = parameters.filter(
    (parameter) => !inBody.includes(parameter) && !inForm.includes(parameter),
  );
  const body = inBody[0];
  return {
    ...(listed.length > 0 && { parameters: listed.map(parameterObject) }),
    ...(inForm.length > 0 && { requestBody: formBody(inForm) }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        description: body.description,
        content: { 'application/json': { schema: body.schema } },
      },
    }),
  };
}

const fileBody: Json = {
  required: true,
  description: 'Exactly one file, in a part of any name',
  content: {
    'multipart/form-data': {
      schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
    },
  },
};

function successOf<Context>({ rawResponse, response }: Endpoint<Context>): Json {
  if (rawResponse === undefined) {
    return {
      description: 'Success',
      content: { 'application/json': { schema: successSchema(response) } },
    };
  }
  const { contentType, description } = rawResponse;
  return {
    description,
    content: { [contentType]: { schema: { type: 'string', format: 'binary' } } },
  };
}

function successSchema(response: JsonSchema): Json {
  return {
    ...response,
    type: 'object',
    properties: { result: { const: 'success' }, msg: { type: 'string' }, ...response.properties },
    required: ['result', 'msg', ...(response.required ?? [])],
  };
}

function errorResponses(codes: readonly ErrorCode[], isAuthenticated: boolean): Json {
  const forms = [...new Set([...commonErrors, ...codes])].flatMap((code) =>
    errorCatalogue[code].map((form) => ({ code, ...form })),
  );
  const byStatus = Map.groupBy(forms, ({ status }) => String(status));
  const responses: Record<string, unknown> = {};
  for (const [status, group] of byStatus) {
    responses[status] = {
      description: group.map(({ code, when }) => `\`${code}\`: ${when}`).join('; '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  if (isAuthenticated) {
    responses['401'] = { $ref: '#/components/responses/NotAuthenticated' };
    responses['429'] = { $ref: '#/components/responses/TooManyRequests' };
  }
  return responses;
}

function securityOf(access: EndpointAccess): Json[] {
  if (access.authentication === 'none') return [];
  return access.keyParameter === 'accepted' ? [{ apiKey: [] }, { basic: [] }] : [{ basic: [] }];
}

function operationOf<Context>(endpoint: Endpoint<Context>, method: string): Json {
  const isAuthenticated = endpoint.access.authentication === 'required';
  return {
    operationId:
      method === 'get' || endpoint.method !== 'ANY' ? endpoint.name : `${endpoint.name}-${method}`,
    summary: endpoint.summary,
    ...(endpoint.description !== '' && { description: endpoint.description }),
    security: securityOf(endpoint.access),
    ...requestOf(endpoint.parameters, method === 'get' || endpoint.takesFile),
    ...(endpoint.takesFile && { requestBody: fileBody }),
    responses: {
      '200': successOf(endpoint),
      ...errorResponses(endpoint.errors, isAuthenticated),
    },
  };
}

function methodsOf(method: EndpointMethod): readonly string[] {
  return method === 'ANY' ? ['post'] : [method.toLowerCase()];
}

function errorSchema(): Json {
  return {
    type: 'object',
    properties: {
      result: { const: 'error' },
      msg: { type: 'string' },
      code: { enum: Object.keys(errorCatalogue) },
    },
    required: ['result', 'msg'],
  };
}

/** @returns an OpenAPI 3.1 document of plain JSON values */
export function openApiDocument(
  endpoints: readonly Endpoint<never>[],
  info: OpenApiInfo,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const prefix = endpoint.below === 'api' ? apiPathPrefix : '';
    const path = prefix + endpoint.path.replaceAll(/[:*]([A-Za-z_]\w*)/g, '{$1}');
    const operations = (paths[path] ??= {});
    for (const method of methodsOf(endpoint.method))
      operations[method] = operationOf(endpoint, method);
  }
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'Email address and API key' },
        apiKey: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The key alone' },
      },
      schemas: { Error: errorSchema() },
      responses: {
        NotAuthenticated: { description: 'Credentials are missing or wrong', content: error },
        TooManyRequests: { description: 'Repeat after the seconds in Retry-After', content: error },
      },
    },
  };
}
