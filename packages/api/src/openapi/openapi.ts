import { isRaw } from '../declare/endpoint.ts';
import { errorCatalogue } from '../error-catalogue.ts';

import { apiPathPrefix } from '../declare/api-path.ts';
import { errorCodesOf, sharedStatusesOf } from './declared-refusals.ts';
import type { Endpoint, EndpointMethod, RawResponse, Refusal } from '../declare/endpoint.ts';
import { endpointTags } from '../declare/endpoint-tags.ts';
import { errorSchemaOf, plainError, refusalSchema } from './error-schemas.ts';
import type { JsonSchema } from '../declare/json-schema.ts';
import {
  jsonContent,
  oneOfThese,
  rateLimitHeaders,
  sharedHeaders,
  sharedResponses,
  sharedStatuses,
} from './openapi-components.ts';
import { NamedSchemas } from './named-schemas.ts';
import type { Json } from './named-schemas.ts';
import type { Parameter } from '../declare/parameters.ts';

/** The OpenAPI 3.1 document, made from the declarations alone. */

export type OpenApiInfo = {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
};

function schemaOf(parameter: Parameter, schemas: NamedSchemas): Json {
  const { defaultValue } = parameter;
  const schema = schemas.ofRequest(parameter.schema);
  return defaultValue === undefined ? schema : { ...schema, default: defaultValue };
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

function parameterObject(parameter: Parameter, schemas: NamedSchemas): Json {
  const common = {
    name: parameter.name,
    in: parameter.from === 'path' ? 'path' : 'query',
    required: parameter.required,
    description: describeName(parameter),
  };
  return isJsonText(parameter)
    ? { ...common, content: { 'application/json': { schema: schemaOf(parameter, schemas) } } }
    : { ...common, schema: schemaOf(parameter, schemas) };
}

function formBody(parameters: readonly Parameter[], schemas: NamedSchemas): Json {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter) => [
        parameter.name,
        { ...schemaOf(parameter, schemas), description: describeName(parameter) },
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

function requestOf(
  parameters: readonly Parameter[],
  isQueryOnly: boolean,
  schemas: NamedSchemas,
): Json {
  const inBody = parameters.filter(({ from }) => from === 'body');
  const inForm =
    isQueryOnly || inBody.length > 0 ? [] : parameters.filter(({ from }) => from === 'form');
  const listed = parameters.filter(
    (parameter) => !inBody.includes(parameter) && !inForm.includes(parameter),
  );
  const body = inBody[0];
  return {
    ...(listed.length > 0 && {
      parameters: listed.map((parameter) => parameterObject(parameter, schemas)),
    }),
    ...(inForm.length > 0 && { requestBody: formBody(inForm, schemas) }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        description: body.description,
        content: { 'application/json': { schema: schemas.ofRequest(body.schema) } },
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

/** The request of an operation whose form may also contain a file: only multipart forms can. */
function withFormFile({ file }: Endpoint, { requestBody, ...rest }: Json): Json {
  if (file === 'none' || file === 'streamed')
    return { ...rest, ...(requestBody !== undefined && { requestBody }) };
  const { content, required } = (requestBody ?? {}) as { content?: Json; required?: boolean };
  const media = (content?.['multipart/form-data'] ?? {}) as { schema?: JsonSchema };
  const names = [...(media.schema?.required ?? []), ...(file === 'required' ? ['file'] : [])];
  const schema = {
    type: 'object',
    properties: { ...media.schema?.properties, file: { type: 'string', format: 'binary' } },
    ...(names.length > 0 && { required: names }),
  };
  return {
    ...rest,
    requestBody: {
      required: file === 'required' || required === true,
      content: {
        ...(file === 'optional' && content),
        'multipart/form-data': { ...media, schema },
      },
    },
  };
}

function successSchema(response: JsonSchema): JsonSchema {
  return {
    ...response,
    type: 'object',
    properties: {
      result: { const: 'success' },
      msg: { const: '' },
      ...response.properties,
    },
    required: ['result', 'msg', ...(response.required ?? [])],
  };
}

function rawResponseObject(
  { contentType, description, event, headers = {} }: RawResponse,
  schemas: NamedSchemas,
): Json {
  const media = event === undefined ? {} : { schema: { type: 'string' } };
  return {
    description,
    ...(Object.keys(headers).length > 0 && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, about]) => [
          name,
          { description: about, required: true, schema: { type: 'string' } },
        ]),
      ),
    }),
    ...(contentType !== undefined && { content: { [contentType]: media } }),
    // OpenAPI 3.1 cannot describe the events of a stream.
    ...(event !== undefined && { 'x-parley-event': schemas.ofAnswer(event) }),
  };
}

function successesOf(endpoint: Endpoint, schemas: NamedSchemas): Json {
  const { access, success } = endpoint;
  if (isRaw(success)) {
    return Object.fromEntries(
      success.map((raw) => [String(raw.status ?? 200), rawResponseObject(raw, schemas)]),
    );
  }
  return {
    '200': {
      description: 'Success',
      ...(access.authentication === 'required' && { headers: rateLimitHeaders }),
      content: jsonContent(schemas.ofAnswer(successSchema(success))),
    },
  };
}

function refusedWith(refusals: readonly Refusal[], schemas: NamedSchemas): Json {
  const json = refusals.filter(({ contentType }) => contentType === undefined);
  const pages = refusals.flatMap(({ contentType }) => contentType ?? []);
  return {
    description: refusals.map(({ description }) => description).join('; '),
    content: {
      ...(json.length > 0 &&
        jsonContent(
          oneOfThese(
            json.map(({ fields }) =>
              schemas.ofAnswer(fields === undefined ? plainError : refusalSchema(fields)),
            ),
          ),
        )),
      ...Object.fromEntries(pages.map((contentType) => [contentType, {}])),
    },
  };
}

/** All refusals with a code, and plain ones beside them, by status. */
function refusedWithCodes(endpoint: Endpoint, schemas: NamedSchemas): Json {
  const forms = [...errorCodesOf(endpoint)].flatMap((code) =>
    errorCatalogue[code].map((form) => ({ code, ...form })),
  );
  const own = endpoint.refusals.filter(({ status }) => !sharedStatuses.has(status));
  const statuses = new Set([...forms, ...own].map(({ status }) => status));
  // Only authentication answers 401.
  statuses.delete(401);
  return Object.fromEntries(
    [...statuses].map((status) => {
      const group = forms.filter((form) => form.status === status);
      const plain = own.filter((refusal) => refusal.status === status);
      if (group.length === 0) return [String(status), refusedWith(plain, schemas)];
      const isPlain = status === 400 || plain.some(({ fields }) => fields === undefined);
      const shapes = [
        ...(isPlain ? [plainError] : []),
        ...plain.flatMap(({ fields }) => (fields === undefined ? [] : [refusalSchema(fields)])),
        ...new Set(group.map(({ code }) => errorSchemaOf(code, status))),
      ];
      return [
        String(status),
        {
          description: [
            ...group.map(({ code, when }) => `\`${code}\`: ${when}`),
            ...plain.map(({ description }) => description),
          ].join('; '),
          content: jsonContent(oneOfThese(shapes.map((shape) => schemas.ofAnswer(shape)))),
        },
      ];
    }),
  );
}

function errorResponses(endpoint: Endpoint, schemas: NamedSchemas): Json {
  const { access, errors, refusals } = endpoint;
  const shared = new Set([
    ...sharedStatusesOf(endpoint),
    ...refusals.flatMap(({ contentType, status }) =>
      contentType === undefined && sharedStatuses.has(status) ? [status] : [],
    ),
  ]);
  const pages = refusals.filter(
    ({ contentType, status }) => contentType !== undefined && sharedStatuses.has(status),
  );
  return {
    ...refusedWithCodes(endpoint, schemas),
    ...(access.authentication === 'required' && {
      '401': {
        $ref: `#/components/responses/${errors.includes('INVALID_API_KEY') ? 'NotAuthenticatedOrKey' : 'NotAuthenticated'}`,
      },
    }),
    ...Object.fromEntries(
      [...shared].map((status) => [
        String(status),
        { $ref: `#/components/responses/${sharedStatuses.get(status)}` },
      ]),
    ),
    ...Object.fromEntries(
      pages.map((page) => [
        String(page.status),
        refusedWith(
          shared.has(page.status)
            ? [page, { status: page.status, description: 'There is nothing at this path' }]
            : [page],
          schemas,
        ),
      ]),
    ),
  };
}

function securityOf({ access, errors }: Endpoint): Json[] {
  if (access.authentication === 'none') return [];
  return errors.includes('INVALID_API_KEY') ? [{ apiKey: [] }, { basic: [] }] : [{ basic: [] }];
}

function operationOf(endpoint: Endpoint, method: string, schemas: NamedSchemas): Json {
  return {
    tags: [endpoint.tag],
    operationId: endpoint.name,
    summary: endpoint.summary,
    ...(endpoint.description !== '' && { description: endpoint.description }),
    security: securityOf(endpoint),
    ...withFormFile(
      endpoint,
      requestOf(endpoint.parameters, method === 'get' || endpoint.file === 'streamed', schemas),
    ),
    ...(endpoint.file === 'streamed' && { requestBody: fileBody }),
    responses: { ...successesOf(endpoint, schemas), ...errorResponses(endpoint, schemas) },
  };
}

function documentMethod(method: EndpointMethod): string {
  return method === 'ANY' ? 'post' : method.toLowerCase();
}

/** How a path is matched, where OpenAPI does not express it. */
function matchingOf({ matching, method, path }: Endpoint): Json {
  return {
    ...(method === 'ANY' && { 'x-parley-any-method': true }),
    ...((matching === 'prefix' || path.includes('...}')) && { 'x-parley-prefix': true }),
  };
}

/** @returns an OpenAPI 3.1 document of plain JSON values */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  info: OpenApiInfo,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas = new NamedSchemas();
  for (const endpoint of endpoints) {
    const prefix = endpoint.below === 'api' ? apiPathPrefix : '';
    const path = prefix + endpoint.path.replaceAll('...}', '}');
    const operations = (paths[path] ??= {});
    Object.assign(operations, matchingOf(endpoint));
    const method = documentMethod(endpoint.method);
    operations[method] = operationOf(endpoint, method, schemas);
  }
  const responses = sharedResponses(schemas);
  return {
    openapi: '3.1.0',
    info,
    tags: Object.entries(endpointTags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'Email address and API key' },
        apiKey: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The key alone' },
      },
      schemas: schemas.components,
      responses,
      headers: sharedHeaders,
    },
  };
}
