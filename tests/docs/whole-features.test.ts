/** Whoever adds a table, an event or a list of `register` learns here, without a store, in which other places it is still missing. */
import { globSync, readFileSync } from 'node:fs';

import { anyEventSchema, registerQueueEndpoint } from '@parley/api/events';
import { excludedTables, exportedTables } from '@parley/command/tables';
import { readFunctions } from '@parley/database';
import { deleteMessages } from '@parley/store';
import { repositoryFolder } from '@parley/test-kit';
import { reducers } from '@parley/web/data/reducers/index';
import { convertedNames } from '@parley/web/data/state';
import { expect, test } from 'vitest';

import { folds, stateless } from '../integration/state-and-events/apply-event.ts';
import { operationsOfEvents } from '../integration/state-and-events/operations.ts';
import { migrationsLine, schemaPagePath } from './schema-page.ts';

const read = (path: string): string => readFileSync(`${repositoryFolder}/${path}`, 'utf8');

const schema = read(schemaPagePath);

/** By names of tables, the lines with their columns and constraints. */
const tables = new Map(
  Array.from(
    schema.matchAll(/^CREATE TABLE (\w+) \(\n(.*?)\n\)/gms),
    ([, name = '', lines = '']) => [name, lines],
  ),
);

const tablesWithMessages = [...tables].flatMap(([name, lines]) =>
  name === 'messages' || /^ +\w*message_ids? bigint/m.test(lines) ? [name] : [],
);

const tablesWithSecrets = [...tables].flatMap(([name, lines]) =>
  /_(?:encrypted|sealed) bytea/.test(lines) ? [name] : [],
);

async function findTablesOfDeletion(): Promise<string[]> {
  const statements: string[] = [];
  const client = {
    query: ({ text }: { readonly text: string }) => {
      statements.push(text);
      return Promise.resolve({ rows: [{ id: 1 }] });
    },
  };
  await deleteMessages(client as never, [1]);
  return Array.from(statements.join('\n').matchAll(/DELETE FROM (\w+)/g), ([, name = '']) => name);
}

type Declared = { readonly properties: Readonly<Record<string, { readonly type?: unknown }>> };

const eventTypes = (anyEventSchema as unknown as { readonly oneOf: readonly Declared[] }).oneOf.map(
  ({ properties }) => (properties['type'] as { readonly const: string }).const,
);

const registerLists = Object.entries((registerQueueEndpoint.success as Declared).properties)
  .filter(([, { type }]) => type === 'array' || type === 'object')
  .map(([name]) => name);

const reducerSources = globSync('packages/web/src/data/reducers/*.ts', { cwd: repositoryFolder })
  .map(read)
  .join('\n');

const readOnly = 'only a new release changes it';
const position = 'a position, from which nothing is read';
const worked = 'a task, which ends by itself when it does not find the message';

test.each<{
  readonly what: string;
  /** The names that must be there, and those that are. */
  readonly needed: Iterable<string>;
  readonly present: Iterable<string> | Promise<Iterable<string>>;
  /** Names that need not be there, with the reasons. */
  readonly except?: Readonly<Record<string, string>>;
  /** For a name: what is missing, and what to do. */
  readonly fault: (name: string) => string;
}>([
  {
    what: 'schema.sql is of these migrations',
    needed: [migrationsLine()],
    present: schema.split('\n'),
    fault: (line) => `${schemaPagePath} has no line "${line}": run npm run docs`,
  },
  {
    what: 'schema.sql has every function',
    needed: readFunctions().map(({ name }) => name),
    present: Array.from(schema.matchAll(/^-- (\w+)\(/gm), ([, name = '']) => name),
    fault: (name) => `${schemaPagePath} has no function ${name}: run npm run docs`,
  },
  {
    what: 'an export knows every table',
    needed: tables.keys(),
    present: [...exportedTables.map(({ name }) => name), ...Object.keys(excludedTables)],
    fault: (name) =>
      `the table ${name} is in no list of packages/command/src/transfer/tables.ts: add it to exportedTables, or with the reason to excludedTables`,
  },
  {
    what: 'an export has secrets only under its passphrase',
    needed: tablesWithSecrets,
    present: [
      ...exportedTables.filter(({ secrets }) => secrets !== undefined).map(({ name }) => name),
      ...Object.keys(excludedTables),
    ],
    fault: (name) =>
      `the table ${name} has encrypted columns, and no "secrets" in packages/command/src/transfer/tables.ts: write what an export has in their place`,
  },
  {
    what: 'another key secret replaces the one of every encrypted column',
    needed: tablesWithSecrets,
    present: Array.from(
      read('packages/store/src/people/stored-secrets.ts').matchAll(/^ {2}(\w+): \{/gm),
      ([, name = '']) => name,
    ),
    except: { sessions: 'sealed under the token of the session' },
    fault: (name) =>
      `the table ${name} has encrypted columns, and is not in packages/store/src/people/stored-secrets.ts: add it there, or the reason to "except" here`,
  },
  {
    what: 'the deletion of messages empties every table with a column message_id',
    needed: tablesWithMessages,
    present: findTablesOfDeletion(),
    except: {
      changes: position,
      conversation_newest: 'a bound of the newest id, which may be too high',
      conversation_newest_upto: position,
      log_entries: position,
      log_head: position,
      mails: worked,
      mentions_added: worked,
      messages_to_mail: worked,
      messages_to_push: worked,
      read_stream_floors: position,
      read_watermarks: position,
      send_keys: 'a repeated send answers the id of the deleted message',
      stream_first_messages: 'what clients were told of the first message stays',
      told_upto: position,
    },
    fault: (name) =>
      `the table ${name} has ids of messages, and deleteMessages of packages/store/src/messages/deletions.ts does not delete from it: delete there, or add the reason to "except" here`,
  },
  {
    what: 'every type of event is folded into a state',
    needed: eventTypes,
    present: [...Object.keys(folds), ...stateless],
    fault: (type) =>
      `the event ${type} has no fold in tests/integration/state-and-events/fold-*.ts: write one, or add the type to "stateless" in apply-event.ts if it changes nothing of register's answer`,
  },
  {
    what: 'an operation makes every event that is folded',
    needed: Object.keys(folds),
    present: Object.keys(operationsOfEvents),
    fault: (type) =>
      `no operation makes the event ${type}: write one in tests/integration/state-and-events/operations-of-*.ts, and name it in "operationsOfEvents" of operations.ts`,
  },
  {
    what: 'the web client reduces every type of event',
    needed: eventTypes,
    present: Object.keys(reducers),
    except: {
      attachment: 'the list of own files is read when it is shown',
      heartbeat: 'is about the connection alone',
      hotspots: 'the client shows no tips',
      pointer: 'the client goes by what is unread',
    },
    fault: (type) =>
      `the event ${type} has no reducer in packages/web/src/data/reducers: write one, or add the reason to "except" here`,
  },
  {
    what: 'the web client changes every list of register by an event',
    needed: registerLists,
    present: [
      ...convertedNames,
      ...registerLists.filter((name) => new RegExp(String.raw`\b${name}\b`).test(reducerSources)),
    ],
    except: {
      available_notification_sounds: readOnly,
      custom_profile_field_types: readOnly,
      emojiset_choices: readOnly,
      hotspots: 'the client shows no tips',
      realm_authentication_methods: 'changeRealm changes it under its name without realm_',
      realm_available_video_chat_providers: readOnly,
      realm_default_external_accounts: readOnly,
      realm_embedded_bots: readOnly,
      realm_incoming_webhook_bots: readOnly,
      stop_words: readOnly,
    },
    fault: (name) =>
      `register answers ${name}, which nothing in packages/web/src/data/reducers changes: change it by its event, or add the reason to "except" here`,
  },
])('$what', async ({ needed, present, except = {}, fault }) => {
  const there = new Set(await present);
  const all = new Set(needed);
  expect(all.size).toBeGreaterThan(0);
  const missing = [...all].filter((name) => !there.has(name));
  const idle = Object.keys(except).filter((name) => !missing.includes(name));
  expect([
    ...missing.filter((name) => !(name in except)).map(fault),
    ...idle.map((name) => `${name} needs no exception: remove it from "except" here`),
  ]).toEqual([]);
});
