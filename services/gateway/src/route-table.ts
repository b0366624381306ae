/**
 * Which service answers which endpoint: the only list of upstreams, in the order of the architecture's table. A path that is
 * not here is 404, a method that is not here is 405, both before authentication (reference facts, people 2.1 and 2.6).
 */
import { limits } from '@parley/contracts';
import type { ServiceName } from '@parley/placement';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * How a reply that broke off before its headers is treated. `repeat`: the request goes again to another replica under the same
 * request id, because it reads, or its effect is the same when done twice. `keyed-send`: the same, and the request id is the
 * send's key; its refusal needs a known outcome. `once`: answered 503.
 */
export type AfterLoss = 'repeat' | 'keyed-send' | 'once';

export type Endpoint = {
  /** `gateway`: it answers itself, with the page of this path. */
  readonly service: ServiceName | 'gateway';
  /**
   * `basic-or-key` takes the key from the query too, as pages do that show a file (reference facts, people 4). `key-or-basic` takes it
   * from query or form, and Basic where there is none (reference facts, people 16.1).
   */
  readonly authentication: 'basic' | 'basic-or-key' | 'key-or-basic' | 'none';
  /** Counted for the rate limit of its caller (reference facts, people 6). */
  readonly isLimited: boolean;
  /** It judges a password: of the account that it names, or where it is authenticated of its caller. */
  readonly judgesPassword: boolean;
  /** Its body is a file, with a bound and an answer at the bound of its own. */
  readonly takesFile: boolean;
  /** Incoming-webhook bots may only send messages (reference facts, people 4). */
  readonly incomingWebhookBots: 'allowed' | 'refused';
  readonly afterLoss: AfterLoss;
  /** Longest time that the service lets it wait for its turn, beside what any answer may take; mostly 0. */
  readonly waitMaxMs: number;
  /** The answer may be held until an event comes. */
  readonly isLongPoll: boolean;
  /** The answer is a stream of events, which ends when either side ends it. */
  readonly isStream: boolean;
  /** It goes over the link to its node. Uploads, webhooks and streams of events are proxied. */
  readonly isLinked: boolean;
  /** The request belongs to an event queue named by `queue_id` in query or body, and goes to that queue's holder. */
  readonly goesToHolder: boolean;
};

export type Route = {
  /** As in the contract, for logs and metrics: no value of a request in it. */
  readonly pattern: string;
  /** In declared order; HEAD is not listed. */
  readonly methods: ReadonlyMap<Method, Endpoint>;
};

type Row = readonly [
  pattern: string,
  service: Endpoint['service'],
  methods: Partial<Record<Method, Partial<Omit<Endpoint, 'service'>>>>,
  /** `prefix`: the path with a trailing slash, or anything below it, is the same route. */
  matching?: 'exact' | 'prefix',
];

const open = { authentication: 'none' } as const;
const repeat = { afterLoss: 'repeat' } as const;
const proxied = { isLinked: false } as const;

/** What pages and mail show by its address. */
const shown = { authentication: 'basic-or-key', isLimited: false } as const;

const webhook = {
  authentication: 'key-or-basic',
  incomingWebhookBots: 'allowed',
  afterLoss: 'keyed-send',
  ...proxied,
} as const;

/** Webhooks dispatch every method (reference facts, people 16.1). */
const webhookMethods = {
  GET: webhook,
  POST: webhook,
  PUT: webhook,
  PATCH: webhook,
  DELETE: webhook,
};

/** The incoming webhooks (reference facts, people 16.4 and 17). */
const integrationNames = [
  'helloworld',
  'github',
  'gitlab',
  'travis',
  'circleci',
  'sentry',
  'alertmanager',
  'ifttt',
  'zapier',
  'slack',
  'heroku',
  'zabbix',
  'splunk',
] as const;

/**
 * `{name}` matches one segment, `{name:int}` one of digits, `{name:rest}` all to the end. A literal segment is preferred to a
 * parameter. A pattern with a slash before it begins at the root, others below `/api/v1`.
 */
const rows: readonly Row[] = [
  [
    'messages',
    'messages',
    { GET: {}, POST: { incomingWebhookBots: 'allowed', afterLoss: 'keyed-send' } },
  ],
  ['messages/matches_narrow', 'messages', { GET: {} }],
  ['messages/flags', 'messages', { POST: repeat }],
  ['messages/{message_id:int}', 'messages', { GET: {}, PATCH: {}, DELETE: {} }],
  ['messages/{message_id:int}/history', 'messages', { GET: {} }],
  ['messages/render', 'messages', { POST: repeat }],
  ['messages/{message_id:int}/reactions', 'messages', { POST: {}, DELETE: {} }],
  // The events of a deletion are made where messages are.
  ['streams/{stream_id:int}/delete_topic', 'messages', { POST: repeat }],
  ['submessage', 'messages', { POST: {} }],
  ['mark_all_as_read', 'messages', { POST: repeat }],
  ['mark_stream_as_read', 'messages', { POST: repeat }],
  ['mark_topic_as_read', 'messages', { POST: repeat }],
  ['users/me/alert_words', 'messages', { GET: {}, POST: repeat, DELETE: repeat }],
  ['users/me/pointer', 'messages', { GET: {}, POST: repeat, PUT: repeat }],
  ['user_uploads', 'messages', { POST: { takesFile: true, ...proxied } }],
  ['/user_uploads/{realm_id:int}/{path:rest}', 'messages', { GET: shown }],
  ['/thumbnail', 'messages', { GET: shown }],
  ['attachments', 'messages', { GET: {} }],
  ['attachments/{attachment_id:int}', 'messages', { DELETE: {} }],
  ...integrationNames.map((name): Row => [
    `external/${name}`,
    'messages',
    webhookMethods,
    'prefix',
  ]),

  ['streams', 'subscriptions', { GET: {} }],
  ['get_stream_id', 'subscriptions', { GET: {} }],
  ['streams/{stream_id:int}', 'subscriptions', { PATCH: {}, DELETE: {} }],
  ['streams/{stream_id:int}/members', 'subscriptions', { GET: {} }],
  ['streams/{stream_id:int}/email_address', 'subscriptions', { GET: {} }],
  ['users/me/{stream_id:int}/topics', 'subscriptions', { GET: {} }],
  ['users/{user_id:int}/subscriptions/{stream_id:int}', 'subscriptions', { GET: {} }],
  ['default_streams', 'subscriptions', { POST: repeat, DELETE: repeat }],
  ['default_stream_groups/create', 'subscriptions', { POST: {} }],
  ['default_stream_groups/{group_id:int}', 'subscriptions', { PATCH: {}, DELETE: {} }],
  ['default_stream_groups/{group_id:int}/streams', 'subscriptions', { PATCH: {} }],
  ['users/me/subscriptions', 'subscriptions', { GET: {}, POST: {}, PATCH: {}, DELETE: {} }],
  ['users/me/subscriptions/properties', 'subscriptions', { POST: repeat }],
  ['users/me/subscriptions/muted_topics', 'subscriptions', { PATCH: {} }],
  ['users/me/subscriptions/{stream_id:int}', 'subscriptions', { PATCH: repeat }],

  ['server_settings', 'presence', { GET: open }],
  ['fetch_api_key', 'presence', { POST: { ...open, judgesPassword: true } }],
  ['dev_fetch_api_key', 'presence', { POST: open }],
  ['dev_list_users', 'presence', { GET: open, POST: open }],
  ['users', 'presence', { GET: {}, POST: {} }],
  ['users/me', 'presence', { GET: {}, DELETE: {} }],
  ['users/me/presence', 'presence', { POST: repeat }],
  ['users/{email}/presence', 'presence', { GET: {} }],
  ['realm/presence', 'presence', { GET: {} }],
  ['users/me/status', 'presence', { POST: {} }],
  ['users/me/avatar', 'presence', { POST: {}, DELETE: {} }],
  ['users/me/profile_data', 'presence', { PATCH: repeat, DELETE: repeat }],
  ['users/me/enter-sends', 'presence', { POST: repeat }],
  ['users/me/api_key/regenerate', 'presence', { POST: {} }],
  ['users/{user_id:int}', 'presence', { GET: {}, PATCH: {}, DELETE: {} }],
  ['users/{user_id:int}/reactivate', 'presence', { POST: repeat }],
  ['settings', 'presence', { PATCH: { judgesPassword: true } }],
  ['settings/display', 'presence', { PATCH: {} }],
  ['settings/notifications', 'presence', { PATCH: {} }],
  ['bots', 'presence', { GET: {}, POST: {} }],
  ['bots/{bot_id:int}', 'presence', { PATCH: {}, DELETE: repeat }],
  ['bots/{bot_id:int}/api_key/regenerate', 'presence', { POST: {} }],
  ['bot_storage', 'presence', { GET: {}, PUT: repeat, DELETE: {} }],
  ['/avatar/{email_or_id}', 'presence', { GET: shown }],
  ['/avatar/{email_or_id}/medium', 'presence', { GET: shown }],
  ['/user_avatars/{realm_id:int}/{file}', 'presence', { GET: open }],
  ['/static/images/default-avatar.png', 'presence', { GET: open }],
  ['/static/images/default-avatar-medium.png', 'presence', { GET: open }],
  ['generate_204', 'presence', { GET: open }],
  ['realm', 'presence', { PATCH: {} }],
  ['realm/deactivate', 'presence', { POST: {} }],
  ['realm/domains', 'presence', { GET: {}, POST: {} }],
  ['realm/domains/{domain}', 'presence', { PATCH: {}, DELETE: {} }],
  ['realm/icon', 'presence', { GET: {}, POST: {}, DELETE: {} }],
  ['realm/logo', 'presence', { GET: {}, POST: {}, DELETE: {} }],
  ['/user_avatars/{realm_id:int}/realm/{file}', 'presence', { GET: open }],
  ['/static/images/logo/parley-logo.png', 'presence', { GET: open }],
  ['/static/images/logo/parley-logo-night.png', 'presence', { GET: open }],
  ['realm/emoji', 'presence', { GET: {} }],
  ['realm/emoji/{emoji_name}', 'presence', { POST: {}, DELETE: {} }],
  ['/user_avatars/{realm_id:int}/emoji/images/{file}', 'presence', { GET: open }],
  ['realm/filters', 'presence', { GET: {}, POST: {} }],
  ['realm/filters/{filter_id:int}', 'presence', { DELETE: {} }],
  ['user_groups', 'presence', { GET: {} }],
  ['user_groups/create', 'presence', { POST: {} }],
  ['user_groups/{group_id:int}', 'presence', { PATCH: {}, DELETE: {} }],
  ['user_groups/{group_id:int}/members', 'presence', { POST: {} }],
  ['realm/profile_fields', 'presence', { GET: {}, POST: {}, PATCH: {} }],
  ['realm/profile_fields/{field_id:int}', 'presence', { PATCH: {}, DELETE: {} }],

  ['register', 'events', { POST: { waitMaxMs: limits.registerWaitMaxMs } }],
  [
    'events/stream',
    'events',
    { GET: { isLongPoll: true, isStream: true, goesToHolder: true, ...proxied } },
  ],
  ['typing', 'events', { POST: repeat }],
  [
    'events',
    'events',
    { GET: { isLongPoll: true, goesToHolder: true }, DELETE: { goesToHolder: true } },
  ],
];

/** What the gateway answers itself, with files of its own (`api-reference.ts`); asked by GET, by anybody. */
export const pagePaths = [
  '/api/v1/openapi.json',
  '/api/docs',
  '/api/docs/page.mjs',
  '/api/docs/page.css',
  '/api/docs/swagger-ui-bundle.js',
  '/api/docs/swagger-ui.css',
] as const;

export type PagePath = (typeof pagePaths)[number];

const prefix = '/api/v1/';

type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'int' }
  | { readonly kind: 'rest' };

type CompiledRoute = {
  readonly route: Route;
  readonly segments: readonly Segment[];
  readonly isPrefix: boolean;
};

function compileSegment(text: string): Segment {
  if (!text.startsWith('{')) return { kind: 'literal', text };
  if (text.endsWith(':rest}')) return { kind: 'rest' };
  return { kind: text.endsWith(':int}') ? 'int' : 'any' };
}

function compileRow([pattern, service, methods, matching]: Row): CompiledRoute {
  const endpoints = (Object.entries(methods) as [Method, Partial<Endpoint>][]).map(
    ([method, given]): [Method, Endpoint] => [
      method,
      {
        service,
        authentication: 'basic',
        isLimited: true,
        judgesPassword: false,
        takesFile: false,
        incomingWebhookBots: 'refused',
        afterLoss: method === 'GET' ? 'repeat' : 'once',
        waitMaxMs: 0,
        isLongPoll: false,
        isStream: false,
        isLinked: true,
        goesToHolder: false,
        ...given,
      },
    ],
  );
  const fromRoot = pattern.startsWith('/') ? pattern : prefix + pattern;
  return {
    route: { pattern: fromRoot, methods: new Map(endpoints) },
    segments: fromRoot.slice(1).split('/').map(compileSegment),
    isPrefix: matching === 'prefix',
  };
}

const compiledServices = rows.map(compileRow);
const compiled = [
  ...compiledServices,
  ...pagePaths.map((path) => compileRow([path, 'gateway', { GET: open }])),
];
const literalRoutes = new Map(
  compiled
    .filter(({ segments }) => segments.every((segment) => segment.kind === 'literal'))
    .map(({ route }) => [route.pattern, route]),
);
/** Those with a parameter come last, so that a literal segment is preferred. */
const byPreference = [
  ...compiled.filter(({ route }) => literalRoutes.has(route.pattern)),
  ...compiled.filter(({ route }) => !literalRoutes.has(route.pattern)),
];

/** All routes of services, for documents and tests. */
export const routes: readonly Route[] = compiledServices.map(({ route }) => route);

/**
 * One spelling for a path: doubled slashes mean one (reference facts, people 2.6), and percent escapes are those that the services
 * expect. A slash that is escaped stays so: it is part of a segment.
 *
 * @returns undefined when an escape is broken
 */
export function canonicalPath(path: string): string | undefined {
  const merged = path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path;
  if (!merged.includes('%')) return merged;
  try {
    return merged
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/');
  } catch {
    return undefined;
  }
}

function matches(segment: Segment, text: string): boolean {
  switch (segment.kind) {
    case 'literal':
      return segment.text === text;
    case 'any':
    case 'rest':
      return text !== '';
    case 'int':
      return /^\d+$/.test(text);
  }
}

/**
 * Finds the route of a path in its canonical spelling. A trailing slash makes another, unknown path, but for webhooks.
 *
 * @param path without query
 */
export function findRoute(path: string): Route | undefined {
  const literal = literalRoutes.get(path);
  if (literal !== undefined) return literal;
  if (!path.startsWith('/')) return undefined;
  const texts = path.slice(1).split('/');
  return byPreference.find(
    ({ segments, isPrefix }) =>
      (segments.length === texts.length ||
        (segments.length < texts.length && (isPrefix || segments.at(-1)?.kind === 'rest'))) &&
      segments.every((segment, index) => matches(segment, texts[index] ?? '')),
  )?.route;
}

/** The methods of a path as a refusal lists them: in declared order, HEAD last where GET exists. */
export function allowedMethods(route: Route): string[] {
  const methods: string[] = [...route.methods.keys()];
  if (route.methods.has('GET')) methods.push('HEAD');
  return methods;
}

const overridable: readonly Method[] = ['PATCH', 'PUT', 'DELETE'];

/**
 * The endpoint that a method means on a path. HEAD is GET. A POST to a path that has PATCH, PUT or DELETE passes, because a
 * form field `method` may mean one of those; the service decides that (reference facts, people 2.2).
 */
export function findEndpoint(route: Route, method: string): Endpoint | undefined {
  const found = route.methods.get((method === 'HEAD' ? 'GET' : method) as Method);
  if (found !== undefined || method !== 'POST') return found;
  const overridden = overridable.find((candidate) => route.methods.has(candidate));
  return overridden && route.methods.get(overridden);
}
