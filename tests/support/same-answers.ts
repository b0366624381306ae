/** Compares two installations of one organization by everything that clients can read. */
import type { Endpoint } from '@parley/api';
import { endpoints } from '@parley/api/endpoints';
import { ApiClient } from '@parley/test-kit';
import type { Cluster, TestAccount } from '@parley/test-kit';
import { expect } from 'vitest';

import type { WholeOrganization } from './whole-organization.ts';

const gets: readonly Endpoint[] = endpoints.filter(({ method }) => method === 'GET');

/** Endpoints that are not compared, and why. */
const leftOut: Readonly<Record<string, string>> = {
  'get-events': 'event queues are not carried',
  'stream-events': 'event queues are not carried',
  'get-realm-presence': 'presence is not carried',
  'get-user-presence': 'presence is not carried',
  'get-export-file': 'archives of the public data are not carried',
};

/** Members of answers that differ, and why. */
const differing: Readonly<Record<string, string>> = {
  client_id: 'random on every call',
  queue_id: 'a new queue',
  last_event_id: 'positions jump with the new epoch',
  presences: 'presence is not carried',
  public_key: 'each installation draws its own keys for push services',
  server_timestamp: 'the time of the answer',
  realm_bot_domain: "made of the installation's address",
};

type Values = Readonly<Record<string, readonly unknown[]>>;
type Query = Readonly<Record<string, unknown>>;

const narrows = [
  [],
  [['stream', 'general']],
  [['stream', 'archive']],
  [['stream', 'vault']],
  [
    ['stream', 'general'],
    ['topic', 'moved'],
  ],
  [['is', 'private']],
  [['is', 'starred']],
  [['is', 'mentioned']],
  [['is', 'alerted']],
  [['is', 'unread']],
  [['in', 'home']],
  [['has', 'attachment']],
  [['search', 'hello']],
  [['pm-with', 'cat.moe@example.com']],
  [['sender', 'bob.ray@example.com']],
];

/** Optional parameters of the requests. */
const queries: Readonly<Record<string, readonly Query[]>> = {
  'get-messages': narrows.flatMap((narrow) => [
    { narrow, anchor: 'newest', num_before: 200, num_after: 0 },
    { narrow, use_first_unread_anchor: true, num_before: 2, num_after: 3, apply_markdown: false },
  ]),
  'list-users': [{}, { include_custom_profile_fields: true, client_gravatar: true }],
  'get-user': [{ include_custom_profile_fields: true }],
  'list-streams': [{}, { include_all_active: true }, { include_default: true }],
  'list-subscriptions': [{}, { include_subscribers: true }],
  'matches-narrow': narrows.slice(0, 5).map((narrow) => ({ narrow })),
};

/** Every combination of one value for each name. */
function combinations(names: readonly string[], values: Values): Query[] {
  return names.reduce<Query[]>(
    (found, name) =>
      found.flatMap((query) => (values[name] ?? []).map((value) => ({ ...query, [name]: value }))),
    [{}],
  );
}

/** The parameters of a path, by their names. */
function pathNames(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g), ([, name = '']) => name);
}

/** Each request to an endpoint: its path and its query. */
function requestsOf(endpoint: Endpoint, values: Values): { path: string; query: Query }[] {
  const inPath = pathNames(endpoint.path);
  const variants = queries[endpoint.name] ?? [{}];
  const given = new Set(variants.flatMap((query) => Object.keys(query)));
  const needed = endpoint.parameters
    .filter(({ name, required }) => required && !inPath.includes(name) && !given.has(name))
    .map(({ name }) => name);
  for (const name of [...inPath, ...needed]) {
    if (values[name] === undefined)
      throw new Error(`GET ${endpoint.path} needs values of ${name}: add some to valuesOf`);
  }
  return combinations(inPath, values).flatMap((fill) => {
    const path = endpoint.path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, (_all, name: string) =>
      name === 'path' ? String(fill[name]) : encodeURIComponent(String(fill[name])),
    );
    const prefix = endpoint.below === 'root' ? '' : '/api/v1';
    return combinations(needed, values).flatMap((more) =>
      variants.map((query) => ({ path: prefix + path, query: { ...query, ...more } })),
    );
  });
}

export function clientOf(cluster: Cluster, { email, apiKey }: TestAccount): ApiClient {
  return new ApiClient({ urls: cluster.gatewayUrls, email, apiKey });
}

type Comparison = {
  readonly source: Cluster;
  readonly target: Cluster;
  readonly publicUrls: { readonly source: string; readonly target: string };
  readonly whole: WholeOrganization;
};

type Seen = { readonly status: number; readonly type: string | null; readonly body: unknown };

/** Removes values that differ for a reason. */
function withoutDiffering(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDiffering);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !Object.hasOwn(differing, name))
      .map(([name, member]) => [name, withoutDiffering(member)]),
  );
}

async function ask(
  { publicUrls }: Comparison,
  cluster: Cluster,
  account: TestAccount,
  method: string,
  path: string,
  query: Query,
): Promise<Seen> {
  const url = new URL(path, cluster.url);
  const form = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  if (method === 'GET') url.search = form.toString();
  const basic = Buffer.from(`${account.email}:${account.apiKey}`).toString('base64');
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { authorization: `Basic ${basic}` },
    ...(method === 'GET' ? {} : { body: form }),
  });
  const type = answer.headers.get('content-type');
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (type?.startsWith('application/json') !== true)
    return { status: answer.status, type, body: bytes.toString('base64') };
  const text = bytes.toString('utf8').replaceAll(publicUrls.target, publicUrls.source);
  return { status: answer.status, type, body: withoutDiffering(JSON.parse(text)) };
}

/** Values for paths and queries: for every kind the existing ones, and one that does not exist. */
async function valuesOf({ source, whole }: Comparison): Promise<Values> {
  const { ann } = whole.accounts;
  if (ann === undefined) throw new Error('there is no Ann');
  const all = clientOf(source, ann);
  const { streams } = await all.get('streams', { include_all_active: true });
  const { users } = { users: Object.values(whole.accounts) };
  const { messages } = await all.get('messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
  });
  const ids = (messages as { id: number }[]).map(({ id }) => id);
  const names = (streams as { name: string }[]).map(({ name }) => name);
  const { emoji } = await all.get('realm/emoji');
  const emojiFiles = Object.values(emoji as Record<string, { source_url: string }>).map(
    ({ source_url: url }) => url.replace(/.*\//, ''),
  );
  const { members } = await all.get('users');
  const avatars = (members as { avatar_url: string }[])
    .map(({ avatar_url: url }) => /^\/user_avatars\/1\/([^?]+)/.exec(url)?.[1])
    .filter((name) => name !== undefined);
  return {
    message_id: [...ids, 999_999],
    msg_ids: [ids],
    stream_id: [...(streams as { stream_id: number }[]).map(({ stream_id: id }) => id), 999_999],
    stream: [...names, 'nothing'],
    user_id: [...users.map(({ id }) => id), 999_999],
    email_or_id: users.map(({ email }) => email),
    realm_id: [1],
    path: whole.fileUrls.map((url) => url.replace('/user_uploads/1/', '')),
    file: [...emojiFiles, ...avatars, 'icon.png', 'logo.png', 'night_logo.png', 'none.png'],
    url: whole.fileUrls.map((url) => url.slice(1)),
    size: ['thumbnail', 'full'],
    night: [true, false],
    email: users.map(({ email }) => email),
  };
}

const askedAtOnce = 6;

/**
 * Makes every GET request of every account to both installations, and reads the whole state from register.
 *
 * @returns how many requests were compared
 */
export async function expectSameAnswers(comparison: Comparison): Promise<number> {
  const { source, target, whole } = comparison;
  const names = new Set(gets.map(({ name }) => name));
  expect(Object.keys(leftOut).filter((name) => !names.has(name))).toEqual([]);
  const values = await valuesOf(comparison);
  const requests = gets
    .filter(({ name }) => !Object.hasOwn(leftOut, name))
    .flatMap((endpoint) =>
      requestsOf(endpoint, values).map((request) => ({ name: endpoint.name, ...request })),
    );
  const all = Object.values(whole.accounts).flatMap((account) => [
    { name: 'register', account, method: 'POST', path: '/api/v1/register', query: {} },
    {
      name: 'register',
      account,
      method: 'POST',
      path: '/api/v1/register',
      query: { include_subscribers: true, client_gravatar: true, all_public_streams: true },
    },
    ...requests.map((request) => ({ account, method: 'GET', ...request })),
  ]);
  const answered = new Set<string>();
  const pending = all[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const { name, account, method, path, query } of pending) {
      const [before, after] = await Promise.all(
        [source, target].map((cluster) => ask(comparison, cluster, account, method, path, query)),
      );
      const what = `${account.email}: ${method} ${path} ${JSON.stringify(query)}`;
      expect({ what, ...after }).toEqual({ what, ...before });
      expect({ what, isFault: (before?.status ?? 500) >= 500 }).toEqual({ what, isFault: false });
      if (before !== undefined && before.status < 400) answered.add(name);
    }
  };
  await Promise.all(Array.from({ length: askedAtOnce }, worker));
  // Each request was answered for somebody, and not refused for everybody.
  const never = requests.map(({ name }) => name).filter((name) => !answered.has(name));
  expect([...new Set(never)]).toEqual([]);
  return all.length;
}
