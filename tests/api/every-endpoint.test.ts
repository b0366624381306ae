/**
 * Rules for every endpoint of every service (reference facts, people 2 to 4), tested through two gateways by the endpoint's
 * declaration. Every request here fails the tested check, so none has an effect.
 */
import { methodNotAllowed } from '@parley/api';
import { fittingPath } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { describe, expect, test } from 'vitest';

import type { Endpoint } from '@parley/api';
import { endpoints as declaredEndpoints } from '@parley/api/endpoints';
import { sendRaw } from '../support/send-raw.ts';
import type { RawAnswer } from '../support/send-raw.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';

const organization = useFixture(() => startSmallOrganization({ gateways: 2 }));

type Parameter = Endpoint['parameters'][number];

let turn = 0;

/** Uses the gateways in turn; parameters go into the query, which every method reads. */
function send(
  method: string,
  path: string,
  {
    who,
    headers = {},
    parameters = {},
  }: {
    readonly who?: PersonKey;
    readonly headers?: Readonly<Record<string, string>>;
    readonly parameters?: Readonly<Record<string, string>>;
  } = {},
): Promise<RawAnswer> {
  const { gatewayUrls } = organization.cluster;
  turn += 1;
  const query = new URLSearchParams(parameters).toString();
  return sendRaw(gatewayUrls[turn % gatewayUrls.length] ?? '', {
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: { ...organization.client(who).credentials, ...headers },
  });
}

function read({ status, text }: RawAnswer): JsonObject {
  return { status, ...(JSON.parse(text) as JsonObject) };
}

const uncoded = (status: number, msg: string): object => ({ status, result: 'error', msg });
const badRequest = (msg: string): object => ({ ...uncoded(400, msg), code: 'BAD_REQUEST' });

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Webhooks accept every method; the tests use the one that has a body. */
const allEndpoints = declaredEndpoints.map((endpoint) => ({
  ...endpoint,
  method: endpoint.method === 'ANY' ? 'POST' : endpoint.method,
}));

const byPath = [...Map.groupBy(declaredEndpoints, ({ below, path }) => `${below} ${path}`).values()]
  .flatMap((members) => {
    const [first] = members;
    return first === undefined
      ? []
      : [
          {
            path: fittingPath(first),
            isPrefix: first.matching === 'prefix',
            declared: members.flatMap(({ method }) => (method === 'ANY' ? methods : [method])),
          },
        ];
  })
  .map(({ path, isPrefix, declared }) => ({
    path,
    isPrefix,
    allowed: [...methods, 'HEAD'].filter((method) =>
      declared.includes(method === 'HEAD' ? 'GET' : method),
    ),
  }));

describe('a path', () => {
  test.each(byPath)(
    '$path lists its methods for OPTIONS, without credentials',
    async ({ path, allowed }) => {
      const answer = await send('OPTIONS', path, { headers: { authorization: 'Bearer x' } });
      expect([answer.status, answer.headers.allow, answer.text]).toEqual([
        204,
        allowed.toSorted().join(', '),
        '',
      ]);
    },
  );

  test.each(byPath)(
    '$path refuses other methods before it checks credentials, as JSON',
    async ({ path, allowed }) => {
      // On such a path the form may name the method, which the service reads.
      const takesAnyPost = ['PATCH', 'PUT', 'DELETE'].some((method) => allowed.includes(method));
      const method = methods.find((each) => !allowed.includes(each));
      if (method !== undefined) {
        const answer = await send(method, path);
        if (method === 'POST' && takesAnyPost) expect(answer.status).toBe(401);
        else {
          expect(answer.headers.allow).toBe(allowed.join(', '));
          expect(read(answer)).toEqual({ status: 405, ...methodNotAllowed(allowed).toBody() });
          expect(answer.headers['content-type']).toBe('application/json');
        }
      }
      if (!allowed.includes('GET')) expect((await send('HEAD', path)).status).toBe(405);
    },
  );

  test.each(byPath)('$path with a slash at its end is another path', async ({ path, isPrefix }) => {
    if (path.startsWith('/user_uploads') || isPrefix) return;
    expect(read(await send('GET', `${path}/`))).toEqual(uncoded(404, 'Not found'));
  });
});

const guarded = allEndpoints.filter(({ access }) => access.authentication === 'required');

/** Endpoints that read a key parameter first have their own refusals: `webhooks.test.ts`. */
const takesKeyParameter = ({ access }: Pick<Endpoint, 'access'>): boolean =>
  access.authentication === 'required' && access.keyParameter === 'preferred';

describe('credentials', () => {
  test.each(guarded.filter((endpoint) => !takesKeyParameter(endpoint)))(
    'are needed for $method $path',
    async (endpoint) => {
      const { method, below } = endpoint;
      const path = fittingPath(endpoint);
      const nobody = await send(method, path);
      expect(read(nobody)).toEqual(
        uncoded(401, 'Not logged in: API authentication or user session required'),
      );
      expect(nobody.headers['www-authenticate']).toBe(
        `${below === 'api' ? 'Basic' : 'Session'} realm="zulip"`,
      );
      if (method === 'GET') expect((await send('HEAD', path)).status).toBe(401);
    },
  );

  test.each(guarded)(
    'of an incoming-webhook bot are for sending only: $method $path',
    async (endpoint) => {
      const { method, access } = endpoint;
      const refusal = await send(method, fittingPath(endpoint), { who: 'hookBot' });
      if (access.authentication === 'required' && access.incomingWebhookBots === 'allowed')
        expect(refusal.status).toBe(400);
      else
        expect(read(refusal)).toEqual(
          uncoded(401, 'This API is not available to incoming webhook bots.'),
        );
    },
  );
});

describe('roles are checked before parameters', () => {
  test.each(guarded)('of $method $path', async (endpoint) => {
    const { method, access } = endpoint;
    if (access.authentication !== 'required') return;
    const answerTo = async (who: PersonKey): Promise<JsonObject> =>
      read(await send(method, fittingPath(endpoint), { who }));
    if (access.administratorsOnly === true) {
      const refusal = {
        ...uncoded(400, 'Must be an organization administrator'),
        code: 'UNAUTHORIZED_PRINCIPAL',
      };
      for (const who of ['bob', 'gil', 'bobBot'] as const)
        expect(await answerTo(who)).toEqual(refusal);
      return;
    }
    if (access.guests === 'refused')
      expect(await answerTo('gil')).toEqual(badRequest('Not allowed for guest users'));
    if (access.bots === 'refused')
      expect(await answerTo('bobBot')).toEqual(
        uncoded(400, 'This endpoint does not accept bot requests.'),
      );
  });
});

/** A valid text, for parameters before the tested one. */
function sampleOf({ encoding, schema }: Parameter): string {
  if (schema.type === 'integer') return String(schema.enum?.[0] ?? 1);
  if (encoding === 'text') return 'x';
  if (schema.type === 'string') return '"x"';
  if (schema.type === 'array') return '[]';
  return schema.type === 'object' ? '{}' : 'true';
}

const ofOtherType: Readonly<Record<string, readonly [text: string, refusal: string]>> = {
  string: ['5', 'is not a string'],
  integer: ['"5"', 'is not an integer'],
  boolean: ['1', 'is not a boolean'],
  array: ['{}', 'is not a list'],
  object: ['[]', 'is not a dict'],
};

const inForm = allEndpoints.flatMap((endpoint) => {
  const declared: readonly Parameter[] = endpoint.parameters.filter(({ from }) => from === 'form');
  return declared.map((parameter, index) => ({
    endpoint,
    method: endpoint.method,
    path: endpoint.path,
    name: parameter.name,
    parameter,
    before: Object.fromEntries(
      declared
        .slice(0, index)
        .filter(({ required }) => required)
        .map((each) => [each.name, sampleOf(each)]),
    ),
  }));
});

type TestedParameter = (typeof inForm)[number];

async function askWith(
  { endpoint, before, name }: TestedParameter,
  text?: string,
): Promise<JsonObject> {
  const who = endpoint.access.authentication === 'required' ? { who: 'ann' as const } : {};
  const parameters = text === undefined ? before : { ...before, [name]: text };
  const headers: Record<string, string> = endpoint.opensSession
    ? { 'sec-fetch-site': 'same-origin' }
    : {};
  return read(await send(endpoint.method, fittingPath(endpoint), { ...who, headers, parameters }));
}

/** These have their own rules and tests. */
const hasOwnRules = new Set([
  'narrow',
  'anchor',
  'field_data',
  'message_retention_days',
  'zoom_user_id',
  'zoom_api_key',
  'zoom_api_secret',
]);

/** Older clients send these JSON-encoded and newer ones raw, so every text is valid (reference facts, people 2.5). */
const encodedOrRaw = new Set([
  'PATCH /users/{user_id} full_name',
  'POST /bots payload_url',
  'POST /bots service_name',
  'PATCH /bots/{bot_id} service_payload_url',
  'PATCH /settings/display default_language',
  'PATCH /settings/display emojiset',
  'PATCH /settings/display timezone',
  'PATCH /settings/notifications notification_sound',
  'POST /users/me/hotspots hotspot',
  'PATCH /realm name',
  'PATCH /realm description',
  'PATCH /realm default_language',
  'PATCH /realm google_hangouts_domain',
  'POST /realm/domains domain',
  'PATCH /streams/{stream_id} description',
  'PATCH /streams/{stream_id} new_name',
  'PATCH /default_stream_groups/{group_id} new_group_name',
  'PATCH /default_stream_groups/{group_id} new_description',
]);
const keyOf = ({ method, path, name }: TestedParameter): string => `${method} ${path} ${name}`;

describe('a parameter', () => {
  test.each(inForm.filter(({ parameter }) => parameter.required))(
    'that is missing is named: $method $path $name',
    async (tested) => {
      expect(await askWith(tested)).toEqual({
        ...uncoded(400, `Missing '${tested.name}' argument`),
        code: 'REQUEST_VARIABLE_MISSING',
        var_name: tested.name,
      });
    },
  );

  const encoded = inForm.filter(
    (tested) =>
      tested.parameter.encoding === 'json' &&
      !hasOwnRules.has(tested.name) &&
      !encodedOrRaw.has(keyOf(tested)),
  );
  test.each(encoded)('that is not JSON is refused: $method $path $name', async (tested) => {
    expect(await askWith(tested, 'True')).toEqual(
      badRequest(`Argument "${tested.name}" is not valid JSON.`),
    );
  });

  test.each(encoded.filter(({ parameter }) => String(parameter.schema.type) in ofOtherType))(
    'of another JSON type is refused: $method $path $name',
    async (tested) => {
      const [text = '', refusal = ''] = ofOtherType[String(tested.parameter.schema.type)] ?? [];
      expect(await askWith(tested, text)).toEqual(badRequest(`${tested.name} ${refusal}`));
    },
  );

  const numbers = inForm.filter(
    ({ parameter, name }) =>
      parameter.encoding === 'text' &&
      parameter.schema.type === 'integer' &&
      !hasOwnRules.has(name),
  );
  test.each(numbers)('that is not a number is refused: $method $path $name', async (tested) => {
    expect(await askWith(tested, '1.0')).toEqual({
      ...uncoded(400, `Bad value for '${tested.name}': 1.0`),
      code: 'REQUEST_VARIABLE_INVALID',
      var_name: tested.name,
      bad_value: '1.0',
    });
  });

  const named = inForm.filter(({ parameter }) => parameter.aliases.length > 0);
  test.each(named)('under two names is refused: $method $path $name', async (tested) => {
    const [alias = ''] = tested.parameter.aliases;
    const both = { ...tested, before: { ...tested.before, [alias]: 'x' } };
    expect(await askWith(both, 'x')).toEqual({
      ...uncoded(400, `Can't decide between '${tested.name}' and '${alias}' arguments`),
      code: 'REQUEST_CONFUSING_VAR',
      var_name1: tested.name,
      var_name2: alias,
    });
  });

  test('is accepted JSON-encoded or raw if clients send both', () => {
    const strings = inForm.filter(
      ({ parameter }) => parameter.encoding === 'json' && parameter.schema.type === 'string',
    );
    expect(new Set(strings.filter(({ name }) => !hasOwnRules.has(name)).map(keyOf))).toEqual(
      encodedOrRaw,
    );
  });

  test('in JSON may be null if it is optional', () => {
    const optional = inForm.filter(
      ({ parameter }) => parameter.encoding === 'json' && !parameter.required,
    );
    expect(optional.filter(({ parameter }) => !parameter.nullMeansAbsent).map(keyOf)).toEqual([]);
  });
});
