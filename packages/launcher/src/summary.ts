import { join } from 'node:path';

import { environmentFile } from './data-folder.ts';
import type { Demo } from './demo-accounts.ts';
import { quote } from './shell-quote.ts';

/**
 * The three commands to try: send, read, follow events. They need a POSIX shell, curl and sed.
 *
 * @param url the gateway
 * @param demo the accounts and the stream to use
 */
export function describeCommands(url: string, demo: Demo): { title: string; command: string }[] {
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

/**
 * The text that is shown when everything is ready.
 *
 * @param url the gateway
 * @param demo the demo organization
 * @param processes how many processes run, by service
 * @param dataDir where the data and the logs are
 */
export function describeReady(url: string, demo: Demo, dataDir: string): string {
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
    '',
    `Parley is ready at ${url}`,
    'Open it in a browser and sign in as one of these people with a click.',
    '',
    'Demo accounts:',
    heading,
    ...lines,
    ...describeCommands(url, demo).flatMap(({ title, command }) => ['', title, command]),
    '',
    "The operator's command, from another terminal in this folder (npx parley --help tells more):",
    `set -a; . ${quote(join(dataDir, environmentFile))}; set +a; npx parley check`,
    '',
    `The data and the logs are in ${dataDir}. Ctrl-C stops everything and keeps the data.`,
    '',
  ].join('\n');
}
