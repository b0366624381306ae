/** Requests that no client makes, for every endpoint: first one for each kind of value in each parameter, then mixtures. */
import type { Parameter } from '@parley/api';

import { SeededRandom } from '../privacy/seeded-random.ts';
import type { Endpoint } from '@parley/api';
import { callers } from './hostile-world.ts';
import type { Caller, HostileWorld } from './hostile-world.ts';
import { encoded, hostileValues, kindNames } from './hostile-values.ts';
import type { Value } from './hostile-values.ts';
import { plausibleText } from './plausible.ts';
import type { RawRequest } from '../support/send-raw.ts';

/** A planned request. It is built when its turn comes, because only then its ids are known. */
export type Plan = {
  readonly seed: number;
  readonly endpoint: Endpoint;
  /** The kind of value in each parameter named; the others are plausible. */
  readonly spoiled: ReadonlyMap<string, string>;
  readonly shape: Shape;
};

export type Shape = (typeof shapes)[number];

/** How a request is encoded; the first is how clients do it. */
export const shapes = [
  'form',
  'query',
  'multipart',
  'json',
  'otherCharset',
  'gzip',
  'noType',
  'brokenMultipart',
  'otherMethod',
  'overriddenMethod',
  'brokenPath',
  'manyFields',
  'bodyOfBytes',
] as const;

export type PlannedRequest = RawRequest & { readonly caller: Caller };

/** Callers that do not make the request, because its success would end the run for all. */
const notAskedBy: Readonly<Record<string, { readonly caller: Caller; readonly because: string }>> =
  {
    'POST /realm/deactivate': { caller: 'admin', because: 'nobody is let in afterwards' },
  };

function titleOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** Each kind of value in each parameter, and each shape, once for every endpoint. */
export function systematicPlans(endpoints: readonly Endpoint[], random: SeededRandom): Plan[] {
  const seed = (): number => random.below(2 ** 31);
  return endpoints.flatMap((endpoint) => [
    ...endpoint.parameters.flatMap(({ name }) =>
      kindNames.map((kind): Plan => ({
        seed: seed(),
        endpoint,
        spoiled: new Map([[name, kind]]),
        shape: random.chance(0.7) ? 'form' : random.pick(['query', 'multipart'] as const),
      })),
    ),
    ...shapes.map((shape): Plan => ({ seed: seed(), endpoint, spoiled: new Map(), shape })),
  ]);
}

/** This many mixtures. */
export function randomPlans(
  endpoints: readonly Endpoint[],
  random: SeededRandom,
  count: number,
): Plan[] {
  // Endpoints with more parameters have more ways to fail.
  const weighted = endpoints.flatMap((endpoint) =>
    Array.from({ length: 1 + Math.min(6, endpoint.parameters.length) }, () => endpoint),
  );
  return Array.from({ length: count }, (): Plan => {
    const endpoint = random.pick(weighted);
    const some = random.sample(endpoint.parameters, 1 + random.below(3));
    return {
      seed: random.below(2 ** 31),
      endpoint,
      spoiled: new Map(some.map(({ name }) => [name, random.pick(kindNames)])),
      shape: random.chance(0.5)
        ? random.pick(['form', 'query', 'multipart'] as const)
        : random.pick(shapes),
    };
  });
}

/** Callers with the most permissions occur most often, because a caller that is always refused reaches nothing. */
const likelyCallers: readonly Caller[] = [
  ...callers,
  ...Array.from({ length: 9 }, (): Caller => 'admin'),
  ...Array.from({ length: 7 }, (): Caller => 'member'),
  'guest',
  'bot',
  'other',
];

function chooseCaller(endpoint: Endpoint, random: SeededRandom): Caller {
  const { access } = endpoint;
  const forAdmins = access.authentication === 'required' && access.administratorsOnly === true;
  const title = titleOf(endpoint);
  const caller = forAdmins && random.chance(0.7) ? 'admin' : random.pick(likelyCallers);
  return notAskedBy[title]?.caller === caller ? 'member' : caller;
}

type Field = { readonly name: string; readonly value: Value };

function multipartBody(fields: readonly Field[], boundary: string, withFile: boolean): Buffer {
  const parts = fields.map(({ name, value }) => {
    const text = 'encoded' in value ? value.encoded : value.text.toWellFormed();
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  });
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="\u0000../a\u202e.png"\r\nContent-Type: image/png\r\n\r\n\u0089PNG\r\n\r\n`;
  return Buffer.from(`${parts.join('')}${withFile ? file : ''}--${boundary}--\r\n`, 'utf8');
}

function urlencoded(fields: readonly Field[]): string {
  return fields.map(({ name, value }) => `${name}=${encoded(value)}`).join('&');
}

/** The longest request line that is accepted; Node's own limit for all headers together is 16 KiB. */
const queryMaxChars = 12_000;

/** @returns the request of a plan, with ids that exist now */
export function makeRequest(plan: Plan, world: HostileWorld): PlannedRequest {
  const random = new SeededRandom(plan.seed);
  const { endpoint, shape } = plan;
  const caller = chooseCaller(endpoint, random);
  const valuesOf = (parameter: Parameter): readonly Value[] => {
    const plausible = plausibleText(parameter, world, random, endpoint.path);
    const kind = plan.spoiled.get(parameter.name);
    // Optional parameters are mostly omitted.
    if (kind === undefined)
      return parameter.required || random.chance(0.3) ? [{ text: plausible }] : [];
    return hostileValues(kind, { parameter, plausible, random, existing: world.everything });
  };
  const inPath = new Map<string, string>();
  const fields: Field[] = [];
  let jsonBody: Buffer | undefined;
  for (const parameter of endpoint.parameters) {
    const values = valuesOf(parameter);
    if (parameter.from === 'path')
      inPath.set(parameter.name, values.map(encoded).join('/').slice(0, queryMaxChars));
    else if (parameter.from === 'body') {
      jsonBody = Buffer.from(
        values.map((value) => ('text' in value ? value.text : value.encoded)).join(''),
      );
    } else {
      const alias = random.pick([parameter.name, parameter.name, ...parameter.aliases]);
      fields.push(...values.map((value): Field => ({ name: alias, value })));
    }
  }
  const path =
    (endpoint.below === 'root' ? '' : '/api/v1') +
    endpoint.path.replaceAll(
      /\{(\w+)(?:\.\.\.)?\}/g,
      (_all, name: string) => inPath.get(name) ?? '',
    );
  const authorization = world.authorizationOf(caller);
  const common = {
    'user-agent': random.pick(['Hostile/1.0', 'x'.repeat(300), 'ZulipPython/0.6 (x; y)', '/', '(']),
    ...(authorization === undefined ? {} : { authorization }),
    // Only event streams read this header.
    ...(random.chance(0.9)
      ? {}
      : { 'last-event-id': random.pick(['-1', '0', 'x', '9'.repeat(300), '\u00ff', ' ', '1e3']) }),
    // Browsers send these two.
    ...(random.chance(0.5)
      ? {}
      : { 'sec-fetch-site': random.pick(['same-origin', 'cross-site', 'none', 'x']) }),
    ...(random.chance(0.9)
      ? {}
      : {
          cookie: random.pick([
            `parley-session-9991=${'a'.repeat(43)}`,
            'parley-session-9991=x; parley-session-9991=y',
            'parley-session-9991',
            '; =;;\u00ff=',
            'x'.repeat(3_000),
          ]),
        }),
  };
  // Services that put the kind of event into a header send these.
  const event = random.pick(['push', 'pull_request', 'Push Hook', 'Note Hook', 'x', '__proto__']);
  const eventHeaders =
    jsonBody === undefined || random.chance(0.2)
      ? {}
      : { 'x-github-event': event, 'x-gitlab-event': event };
  const method = endpoint.method === 'ANY' ? 'POST' : endpoint.method;
  const written = write(shape, { method, path, fields, random, hasFile: isFileLike(endpoint) });
  const headers = { ...common, ...eventHeaders, ...written.headers };
  if (jsonBody === undefined || !bodyShapes.has(shape)) return { ...written, headers, caller };
  const query = urlencoded(fields).slice(0, queryMaxChars);
  return { ...written, path: `${path}?${query}`, body: jsonBody, headers, caller };
}

/** In these shapes the webhook's body is valid JSON, whatever its content type; in the others the body itself is hostile. */
const bodyShapes: ReadonlySet<Shape> = new Set(['form', 'query', 'multipart', 'json', 'noType']);

function isFileLike({ file, path, method }: Endpoint): boolean {
  return file === 'streamed' || (method === 'POST' && /avatar|icon|logo|emoji/.test(path));
}

type Ingredients = {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly Field[];
  readonly random: SeededRandom;
  readonly hasFile: boolean;
};

const form = { 'content-type': 'application/x-www-form-urlencoded' };

function write(shape: Shape, ingredients: Ingredients): RawRequest {
  const { method, path, fields, random, hasFile } = ingredients;
  const text = urlencoded(fields);
  const inQuery: RawRequest = {
    method,
    path: `${path}?${text.slice(0, queryMaxChars)}`,
    headers: {},
    body: undefined,
  };
  const withBody = (
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    as = method,
  ): RawRequest => ({ method: as, path, headers, body: Buffer.from(body) });
  const boundary = `b${random.below(1_000_000)}`;
  const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  switch (shape) {
    case 'form':
      if (method === 'GET') return inQuery;
      return hasFile
        ? withBody(multipart, multipartBody(fields, boundary, true))
        : withBody(form, text);
    case 'query':
      return inQuery;
    case 'multipart':
      return method === 'GET'
        ? inQuery
        : withBody(multipart, multipartBody(fields, boundary, hasFile));
    case 'json':
      return withBody(
        { 'content-type': 'application/json' },
        JSON.stringify(Object.fromEntries(fields.map(({ name, value }) => [name, encoded(value)]))),
      );
    case 'otherCharset':
      return withBody(
        {
          'content-type': `application/x-www-form-urlencoded; charset=${random.pick(['utf-16', 'utf-7', 'shift_jis', 'x-user-defined', '"', 'none', 'latin1'])}`,
        },
        Buffer.from(text, random.pick(['utf16le', 'latin1'])),
      );
    case 'gzip':
      return withBody(
        { ...form, 'content-encoding': random.pick(['gzip', 'br', 'deflate', 'x']) },
        text,
      );
    case 'noType':
      return withBody(random.chance(0.5) ? {} : { 'content-type': ';;,=' }, text);
    case 'brokenMultipart':
      return withBody(
        random.pick([
          multipart,
          { 'content-type': 'multipart/form-data' },
          { 'content-type': 'multipart/form-data; boundary="' },
          { 'content-type': `multipart/form-data; boundary=${'b'.repeat(200)}` },
        ]),
        multipartBody(fields, boundary, random.chance(0.5)).subarray(0, random.below(400)),
      );
    case 'otherMethod':
      return {
        ...inQuery,
        method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE']),
      };
    case 'overriddenMethod':
      return withBody(
        form,
        `${text}&method=${random.pick(['PATCH', 'DELETE', 'PUT', 'GET', 'X', '', '__proto__'])}`,
        'POST',
      );
    case 'brokenPath':
      return {
        ...inQuery,
        path: random.pick([
          `${path}/`,
          `${path}%`,
          `${path}%00`,
          `${path}%2f`,
          `${path}/..`,
          `/${path}`.replaceAll('/', '//'),
          `${path}\u00ff?%`,
          path.toUpperCase(),
          `http://example.com${path}`,
        ]),
      };
    case 'manyFields':
      return withBody(
        form,
        `${text}&${Array.from({ length: 1_100 }, (_, n) => `f${n}=1`).join('&')}`,
      );
    case 'bodyOfBytes':
      return withBody(
        random.chance(0.5) ? form : multipart,
        Buffer.from(Array.from({ length: 300 }, () => random.below(256))),
      );
  }
}
