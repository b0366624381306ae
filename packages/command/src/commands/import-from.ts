import { closeSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';

import { limits } from '@parley/api';
import { systemClock } from '@parley/clock';
import type { ServiceConfig } from '@parley/config';
import { migrate } from '@parley/database/migrate';
import type { Client, Pool } from '@parley/database';
import type { FileStore } from '@parley/files';
import {
  ImportFault,
  Ledger,
  importHistory,
  openMattermost,
  openSlack,
  openZulip,
  planHistoryImport,
} from '@parley/history-import';
import type {
  ImportedOrganization,
  LedgerLine,
  NotImported,
  SlackFetching,
  Source,
} from '@parley/history-import';
import { ImageDecoder } from '@parley/files/images';
import { AddressRules, findAddressesInDns } from '@parley/outgoing';
import { isEmailShaped } from '@parley/people';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { findRealm } from '@parley/store';

import { checkChoice } from '../command.ts';
import type { Call, Command, CommandContext, Report } from '../command.ts';
import { commandLogger, openFiles, openPool, readConfig } from '../connections.ts';
import { CommandFault, UsageFault } from '../faults.ts';
import { readSecretFile } from '../read-file.ts';
import { checkIdentifier } from '../transfer/catalog.ts';
import {
  beginImport,
  checkEmpty,
  removeLeftFiles,
  withImportLock,
} from '../transfer/empty-installation.ts';
import { clearSpoolFolder, findSpoolParent } from '../transfer/spool-folder.ts';
import { exportedTables } from '../transfer/tables.ts';

const sourceNames = ['zulip', 'slack', 'mattermost'] as const;

type SourceName = (typeof sourceNames)[number];

type Stores = { readonly config: ServiceConfig; readonly pool: Pool; readonly files: FileStore };

type Imported = {
  readonly imported: ImportedOrganization;
  readonly counted: ReadonlyMap<string, number>;
};

/** A file of one JSON line for each record that was not imported. */
type ReportFile = {
  readonly write: (record: NotImported) => void;
  /** @throws CommandFault if it cannot be written */
  readonly flush: () => void;
  readonly close: () => void;
};

/** Lines are gathered up to this length. */
const reportPieceLength = 64 * 1024;

function openReport(path: string | undefined): ReportFile {
  if (path === undefined)
    return { write: () => undefined, flush: () => undefined, close: () => undefined };
  const refusal = (error: unknown): CommandFault =>
    new CommandFault(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw refusal(error);
  }
  let lines = '';
  const flush = (): void => {
    const waiting = lines;
    lines = '';
    try {
      // Records come faster than a stream writes, and millions of them would wait in memory.
      writeFileSync(file, waiting);
    } catch (error) {
      throw refusal(error);
    }
  };
  return {
    write: (record) => {
      lines += `${JSON.stringify(record)}\n`;
      if (lines.length >= reportPieceLength) flush();
    },
    flush,
    close: () => {
      try {
        // What was found before an import failed says why.
        writeFileSync(file, lines);
      } catch {
        // It has failed already.
      }
      closeSync(file);
    },
  };
}

/** Faults of the archive are shown without a stack. */
async function withoutStack<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImportFault) throw new CommandFault(error.message, { cause: error });
    throw error;
  }
}

function describeLine({ outcome, kind, reason, count, places }: LedgerLine): string {
  const where = places.map(({ file, at }) => `${file}, ${at}`).join('; ');
  const example = where === '' ? '' : ` (${where}${count > places.length ? '; …' : ''})`;
  return `  ${kind}: ${count} ${outcome}${reason === '' ? '' : `, ${reason}`}${example}\n`;
}

/** How people get in: nobody has a password here. */
function describeDoors(config: ServiceConfig, administrator: string, emailDomain?: string): string {
  return [
    'Nobody has a password yet, and every bot has a new key. Start the services. This is how people get in:',
    `  The first administrator: parley user password ${administrator}`,
    config.mail === undefined
      ? '  Everybody else: configure mail (docs/settings.md), then people choose a password by "Forgot your password?"'
      : '  Everybody else: by "Forgot your password?" on the sign-in page, which sends a link to the own address',
    emailDomain === undefined
      ? '  People without an address of their own are deactivated; an administrator invites them anew or changes their address, or --email-domain makes one for each of them.'
      : `  People without an address have one at ${emailDomain} that is made from the name: parley user email changes it.`,
    '',
  ].join('\n');
}

function reportOf(
  { imported, counted }: Imported,
  ledger: Ledger,
  shown: {
    readonly isDryRun: boolean;
    readonly config: ServiceConfig;
    readonly emailDomain: string | undefined;
  },
): Report {
  const lines = ledger.lines();
  const { name, people, streams, messages } = imported;
  const what = `${name}: ${people} people, ${streams} streams, ${messages} messages`;
  const records = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const remarks = [...ledger.remarks].map(([text, count]) => `  ${count} × ${text}\n`);
  return {
    text: [
      shown.isDryRun ? `${what} would be imported. Nothing was kept.\n` : `${what} are imported.\n`,
      `Every record was accounted for, as an independent count of the archive confirms (${records} records):\n`,
      ...lines.map(describeLine),
      ...(remarks.length === 0 ? [] : ['Of what was imported:\n', ...remarks]),
      ...(shown.isDryRun
        ? []
        : [describeDoors(shown.config, imported.administrator, shown.emailDomain)]),
    ].join(''),
    json: {
      ...imported,
      dry_run: shown.isDryRun,
      records: lines,
      counted: Object.fromEntries(counted),
      remarks: Object.fromEntries(ledger.remarks),
    },
  };
}

async function withStores<Result>(
  context: CommandContext,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(context.env);
  const files = await openFiles(config);
  const pool = openPool({ ...config.database, statementTimeoutMs: 0 });
  try {
    return await work({ config, pool, files });
  } finally {
    await pool.end();
    files.close();
  }
}

/** Imports in one transaction, which a dry run takes back. */
async function importInto(
  client: Client,
  { config, pool, files }: Stores,
  parts: {
    readonly call: Call;
    readonly context: CommandContext;
    readonly source: Source;
    readonly ledger: Ledger;
    readonly decoder: ImageDecoder;
    readonly emailDomain: string | undefined;
    readonly report: ReportFile;
  },
): Promise<Imported> {
  const { call, context, source, ledger, decoder, emailDomain, report } = parts;
  const isDryRun = call.isSet('dry-run');
  const startPosition = await planHistoryImport(pool);
  try {
    await beginImport(client);
    const done = await importHistory({
      client,
      pool,
      files,
      decoder,
      keySecrets: deriveKeySecrets(config.keySecret.reveal(), config.keySecretPrevious?.reveal()),
      publicUrl: config.publicUrl,
      source,
      ledger,
      administrator: call.get('administrator'),
      emailDomain,
      startPosition,
      isDryRun,
      step: (label, total) => context.progress.start(label, total),
      signal: context.signal,
    });
    context.signal.throwIfAborted();
    // A report that is not whole would be noticed too late after it.
    report.flush();
    await client.query(isDryRun ? 'ROLLBACK' : 'COMMIT');
    return done;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    // If the outcome of the commit is unknown, the rows may exist and need their files.
    if ((await findRealm(pool).catch(() => undefined)) === undefined)
      await removeLeftFiles(pool, files).catch(() => undefined);
    throw error;
  }
}

/** What can be in a header, and nothing else that may be in a file given by mistake. */
const tokenPattern = /^[\w.-]{1,500}$/;

type FetchingParts = Pick<ServiceConfig, 'outgoingWebhooks'> & { readonly spoolFolder: string };

/**
 * @returns how files of Slack are fetched, or why they are not
 * @throws CommandFault if the file has no token
 */
async function readFetching(
  call: Call,
  { outgoingWebhooks, spoolFolder }: FetchingParts,
  { readInput, progress, signal }: CommandContext,
): Promise<SlackFetching | string> {
  const tokenFile = call.find('token-file');
  if (tokenFile === undefined) return 'no token was given';
  const token = (await readSecretFile(tokenFile, readInput)).trim();
  if (!tokenPattern.test(token)) throw new CommandFault(`${tokenFile} has no token of Slack`);
  if (call.isSet('dry-run')) return 'a dry run fetches nothing';
  return {
    clock: systemClock,
    token,
    rules: new AddressRules(outgoingWebhooks.allowedNetworks),
    findAddresses: findAddressesInDns,
    spoolFolder,
    step: (label, total) => progress.start(label, total),
    signal,
  };
}

async function openSource(
  name: SourceName,
  call: Call,
  parts: {
    readonly config: ServiceConfig;
    readonly ledger: Ledger;
    readonly context: CommandContext;
    readonly spoolFolder: string;
  },
): Promise<Source> {
  const { config, ledger, context, spoolFolder } = parts;
  const { signal } = context;
  const file = call.word(1);
  switch (name) {
    case 'zulip':
      return openZulip({
        file,
        spoolFolder,
        sourceUrl: call.find('source-url'),
        publicUrl: config.publicUrl,
        ledger,
        signal,
      });
    case 'mattermost':
      return openMattermost({
        file,
        team: call.find('team'),
        channelTopic: checkTopic(call.find('channel-topic') ?? 'chat'),
        publicUrl: config.publicUrl,
        ledger,
      });
    case 'slack':
      return openSlack({
        file,
        name: checkName(call.find('name') ?? basename(file).replace(/\..*$/s, '')),
        channelTopic: checkTopic(call.find('channel-topic') ?? 'chat'),
        publicUrl: config.publicUrl,
        fetching: await readFetching(
          call,
          { outgoingWebhooks: config.outgoingWebhooks, spoolFolder },
          context,
        ),
        ledger,
      });
  }
}

/** @throws UsageFault for a name that an organization cannot have */
function checkName(name: string): string {
  const { organizationNameMaxCodePoints: max } = limits;
  if (name.trim() === '' || Array.from(name).length > max)
    throw new UsageFault(`--name has 1 to ${max} characters`);
  return name.trim();
}

/**
 * How much garbage may gather, relative to what is kept, before it is collected: of a large directory V8 would let gather as much again.
 * It costs a tenth of the processor time.
 */
const heapGrowthPercent = 20;
const usualHeapGrowthPercent = 0;

/** For the whole process. */
function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** @throws UsageFault for a text that no address can have */
function findEmailDomain(call: Call): string | undefined {
  const domain = call.find('email-domain')?.replace(/^@/, '').toLowerCase();
  if (domain !== undefined && !isEmailShaped(`name@${domain}`))
    throw new UsageFault('--email-domain is the part of an address after the @');
  return domain;
}

/** @throws UsageFault for a text that cannot be a topic */
function checkTopic(topic: string): string {
  if (topic.trim() === '' || Array.from(topic).length > limits.topicMaxCodePoints)
    throw new UsageFault(`--channel-topic has 1 to ${limits.topicMaxCodePoints} characters`);
  return topic.trim();
}

/** Only some archives are unpacked, or have files fetched to the folder. */
function chooseSpoolParent(source: SourceName, call: Call): string | Promise<string> {
  const given = call.find('spool');
  if (given !== undefined) return given;
  const tokenFile = call.find('token-file');
  const isNeeded = source === 'zulip' || tokenFile !== undefined;
  return isNeeded ? findSpoolParent([dirname(resolve(call.word(1))), tmpdir()]) : tmpdir();
}

async function run(call: Call, context: CommandContext): Promise<Report> {
  const sourceName = checkChoice('The source', call.word(0), sourceNames);
  const emailDomain = findEmailDomain(call);
  const tokenFile = call.find('token-file');
  if (tokenFile !== undefined && sourceName !== 'slack')
    throw new UsageFault('--token-file is for slack: other archives have their files');
  const spoolParent = await chooseSpoolParent(sourceName, call);
  const reportFile = openReport(call.find('report'));
  const ledger = new Ledger({ isStrict: call.isSet('strict'), write: reportFile.write });
  const decoder = new ImageDecoder({ clock: systemClock, log: commandLogger() });
  setHeapGrowth(heapGrowthPercent);
  try {
    return await withStores(context, async (stores) => {
      const { config, pool, files } = stores;
      const done = await withImportLock(pool, async (client) => {
        await migrate(config.database.url.reveal());
        await checkEmpty(client);
        await removeLeftFiles(pool, files);
        const spoolFolder = await clearSpoolFolder(client, spoolParent);
        return withoutStack(async () => {
          const source = await openSource(sourceName, call, {
            config,
            ledger,
            context,
            spoolFolder,
          });
          try {
            return await importInto(client, stores, {
              call,
              context,
              source,
              ledger,
              decoder,
              emailDomain,
              report: reportFile,
            });
          } finally {
            await source.close();
          }
        });
      });
      const isDryRun = call.isSet('dry-run');
      if (!isDryRun)
        for (const { name } of exportedTables) await pool.query(`ANALYZE ${checkIdentifier(name)}`);
      return reportOf(done, ledger, { isDryRun, config, emailDomain });
    });
  } finally {
    setHeapGrowth(usualHeapGrowthPercent);
    decoder.close();
    reportFile.close();
  }
}

export const importFromCommand: Command = {
  name: 'import-from',
  summary: 'Import an organization with its history from another system',
  positionals: ['SOURCE', 'FILE'],
  options: {
    administrator: {
      value: 'PERSON',
      help: 'the address, user name or full name of somebody in the archive: the first administrator here',
      required: true,
    },
    'email-domain': {
      value: 'DOMAIN',
      help: 'where people without an address get one that is made from the name; otherwise they are deactivated',
    },
    name: {
      value: 'NAME',
      help: 'the name of the organization, where the archive has none (slack); by default that of the file',
    },
    'channel-topic': {
      value: 'TOPIC',
      help: 'the topic of messages outside of threads (slack, mattermost); by default chat',
    },
    team: { value: 'NAME', help: 'the team to import, if the archive has several (mattermost)' },
    'token-file': {
      value: 'FILE',
      help: 'a file with a token of Slack: files and avatars, of which its archives have links, are fetched (slack); - for standard input',
    },
    'dry-run': { help: 'read and check everything, and keep nothing' },
    strict: { help: 'stop at the first record that cannot be read' },
    report: {
      value: 'FILE',
      help: 'a new file for a line about each record that is not imported',
    },
    'source-url': {
      value: 'URL',
      help: "the organization's former address: links with it are mended too",
    },
    spool: {
      value: 'DIR',
      help: 'where the archive is unpacked and files are fetched to meanwhile; by default the folder of FILE, or that for temporary files',
    },
  },
  details: [
    `SOURCE is ${sourceNames.join(' or ')}, FILE the archive that it exported. docs/import/ says for each source, field by field, what becomes what.`,
    '',
    'The database must be empty, or migrated without an organization, and services must not run. All of it is imported or nothing: an',
    'interrupted import can be started again. No event, notification or mail is made, and no address in a text is fetched, except files',
    "on Slack's own hosts if a token is given. People keep what they could read, and nobody reads more. Every record of the archive is",
    'accounted for, and an independent count confirms it.',
  ].join('\n'),
  run,
};
