import { join } from 'node:path';

import { environmentFile } from './data-folder.ts';
import type { Demo } from './demo-accounts.ts';
import type { FirstStart } from './first-start.ts';
import type { Launched } from './launch.ts';
import { quote } from './shell-quote.ts';

/**
 * The three commands to try: send, read, follow events. They need a POSIX shell, curl and sed.
 *
 * @param url the gateway
 * @param demo the accounts and the stream to use
 */
function describeCommands(url: string, demo: Demo): { title: string; command: string }[] {
  const [sender, reader] = [
    demo.accounts.find((account) => !account.is_bot),
    demo.accounts.findLast((account) => !account.is_bot && account.role !== 'guest'),
  ];
  if (sender === undefined || reader === undefined) return [];
  const login = (account: { email: string; api_key: string }): string =>
    `-u ${quote(`${account.email}:${account.api_key}`)}`;
  const api = `${url}/api/v1`;
  const { stream, topic } = demo.example;
  const narrow = JSON.stringify([
    { operator: 'stream', operand: stream },
    { operator: 'topic', operand: topic },
  ]);
  return [
    {
      title: 'Send a message:',
      command: [
        `curl -s ${login(sender)} ${api}/messages -d type=stream`,
        `--data-urlencode ${quote(`to=${stream}`)} --data-urlencode ${quote(`topic=${topic}`)}`,
        `--data-urlencode ${quote('content=Hello from **curl**')}`,
      ].join(' '),
    },
    {
      title: 'Read the newest messages:',
      command: [
        `curl -s ${login(reader)} -G ${api}/messages -d anchor=10000000000000000`,
        '-d num_before=5 -d num_after=0 -d apply_markdown=false',
        `--data-urlencode ${quote(`narrow=${narrow}`)}`,
      ].join(' '),
    },
    {
      title: 'Follow what happens (Ctrl-C ends it; send a message from another terminal):',
      command: [
        `R=$(curl -s ${login(reader)} ${api}/register -d 'event_types=["message"]');`,
        String.raw`Q=$(printf %s "$R" | sed 's/.*"queue_id": *"\([^"]*\)".*/\1/');`,
        String.raw`L=$(printf %s "$R" | sed 's/.*"last_event_id": *\(-*[0-9]*\).*/\1/');`,
        `while E=$(curl -sf ${login(reader)} -G ${api}/events -d "queue_id=$Q" -d "last_event_id=$L");`,
        String.raw`do printf '%s\n' "$E";`,
        // The id of the last event is the last field before the queue's own.
        String.raw`N=$(printf %s "$E" | sed -n 's/.*"id": *\([0-9]*\)}\], *"queue_id".*/\1/p');`,
        `L=\${N:-$L}; done`,
      ].join(' '),
    },
  ];
}

/** What `npm start -- --json` prints when everything is ready. */
export function describeReadyAsJson({ url, demo, firstStart, processes }: Launched) {
  const first = firstStart?.is_first_start === true ? [firstStart] : [];
  return { url, accounts: demo?.accounts ?? first, processes };
}

/**
 * The text that is shown when everything is ready.
 *
 * @param launched what runs
 * @param dataDir where the data and the logs are
 */
export function describeReady(launched: Launched, dataDir: string): string {
  const { url, demo } = launched;
  if (launched.isStoresAlone) return describeStores(dataDir);
  const isDemo = demo !== undefined && demo.accounts.length > 0;
  return [
    '',
    `Parley is ready at ${url}`,
    ...(isDemo ? describeDemo(url, demo) : describeOwn(launched)),
    '',
    describeMails(launched),
    '',
    "The operator's command, from another terminal in this folder (npx parley --help tells more):",
    `set -a; . ${quote(join(dataDir, environmentFile))}; set +a; npx parley check`,
    '',
    `The data and the logs are in ${dataDir}. Ctrl-C stops everything and keeps the data.`,
    '',
  ].join('\n');
}

function describeStores(dataDir: string): string {
  return [
    '',
    'The stores are ready. No service runs, and there is no organization if none was made before.',
    '',
    'Import one from another terminal in this folder (docs/import tells more), such as',
    `set -a; . ${quote(join(dataDir, environmentFile))}; set +a; npx parley import-from SOURCE FILE --administrator PERSON`,
    '',
    `Then end this with Ctrl-C, and start again without --stores. The data is in ${dataDir}.`,
    '',
  ].join('\n');
}

function describeDemo(url: string, demo: Demo): string[] {
  const widths = {
    email: Math.max(...demo.accounts.map((account) => account.email.length)),
    role: Math.max(...demo.accounts.map((account) => account.role.length), 'bot'.length),
    password: Math.max(...demo.accounts.map((account) => account.password?.length ?? 1)),
  };
  const lines = demo.accounts.map(
    (account) =>
      `  ${account.email.padEnd(widths.email)}  ${(account.is_bot ? 'bot' : account.role).padEnd(widths.role)}  ${(account.password ?? '-').padEnd(widths.password)}  ${account.api_key}`,
  );
  const heading = `  ${'email'.padEnd(widths.email)}  ${'role'.padEnd(widths.role)}  ${'password'.padEnd(widths.password)}  API key`;
  return [
    'Open it in a browser and sign in as one of these people with a click.',
    '',
    'Demo accounts:',
    heading,
    ...lines,
    ...describeCommands(url, demo).flatMap(({ title, command }) => ['', title, command]),
  ];
}

function describeOwn({ firstStart, isDevelopment }: Launched): string[] {
  return [
    ...describeFirstStart(firstStart),
    ...(isDevelopment
      ? [
          '',
          'This is development mode: whoever opens the address may be anybody with a click. PARLEY_MODE=production asks for passwords.',
        ]
      : []),
  ];
}

function describeFirstStart(firstStart: FirstStart | undefined): string[] {
  if (firstStart === undefined) return ['Open it in a browser and sign in.'];
  if (!firstStart.is_first_start)
    return [
      'Open it in a browser and sign in. There was an organization already; another one goes into a folder of its own (--data FOLDER).',
    ];
  return [
    `Open it in a browser and sign in as the administrator of ${firstStart.organization}:`,
    '',
    `  email     ${firstStart.email}`,
    `  password  ${firstStart.password}`,
    `  API key   ${firstStart.api_key}`,
    '',
    'This is shown once. Then invite people in the settings, under Invitations.',
  ];
}

function describeMails({ url, mails }: Launched): string {
  const where = {
    sent: 'Mails are sent by the server of PARLEY_SMTP_URL.',
    kept: `Mails are sent to nobody; read them at ${url}/dev/mails`,
    none: 'No mails are sent: set PARLEY_SMTP_URL and PARLEY_MAIL_FROM.',
  };
  return where[mails];
}
