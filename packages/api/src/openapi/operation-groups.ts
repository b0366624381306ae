/** The chapters of the reference: which operations are shown together. */
import type { Json } from './named-schemas.ts';

type Group = { readonly name: string; readonly description: string; readonly paths: RegExp };

/** The first whose paths match counts. */
const groups: readonly Group[] = [
  {
    name: 'Messages',
    description: 'Sending, reading, editing, flags and reactions',
    paths:
      /^\/(messages|submessage|mark_|typing|streams\/\{stream_id\}\/delete_topic|users\/me\/(pointer|alert_words))/,
  },
  {
    name: 'Files',
    description: 'Uploads, and pictures of them',
    paths: /^\/(user_uploads|attachments|thumbnail)/,
  },
  {
    name: 'Streams and subscriptions',
    description: 'Streams, their topics, and who is subscribed to what',
    paths:
      /^\/(streams|get_stream_id|default_stream|users\/me\/\{stream_id\}|users\/me\/subscriptions|users\/\{user_id\}\/subscriptions)/,
  },
  {
    name: 'Events',
    description: 'Queues of what happens, by long polls or as a stream',
    paths: /^\/(register|events)/,
  },
  {
    name: 'Own account',
    description: 'Profile, settings, status and key of who calls',
    paths: /^\/(users\/me(\/(?!presence)|$)|settings)/,
  },
  { name: 'Bots', description: 'Bots and what they keep', paths: /^\/bot/ },
  {
    name: 'People',
    description: 'Accounts, presence, groups and pictures',
    paths:
      /^\/(users|realm\/presence|user_groups|avatar|user_avatars\/\{realm_id\}\/\{file\}|static\/images\/default)/,
  },
  {
    name: 'Organization',
    description: 'Settings, emoji, linkifiers, profile fields and logos',
    paths: /^\/(realm|user_avatars|static)/,
  },
  {
    name: 'Incoming webhooks',
    description: 'What other services post to',
    paths: /^\/external\//,
  },
  {
    name: 'Server',
    description: 'What the server is, and keys for those who sign in',
    paths: /^\//,
  },
];

function groupOf(path: string): string {
  const below = path.replace(/^\/api\/v1/, '');
  const found = groups.find(({ paths }) => paths.test(below));
  if (found === undefined) throw new Error(`${path} is in no group`);
  return found.name;
}

function isOperation(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

/** @returns the document, with each operation in its group */
export function withGroups(document: Json): Json {
  const paths = Object.entries(document['paths'] as Json).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item as Json).map(([key, value]) => [
        key,
        isOperation(value) ? { tags: [groupOf(path)], ...value } : value,
      ]),
    ),
  ]);
  return {
    ...document,
    tags: groups.map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(paths) as Json,
  };
}
