/** Writes a team as Mattermost exports it in bulk: roots with their replies in one line, not in the order of time. */
import {
  channelName,
  personEmail,
  personName,
  planMessages,
  readUpToMs,
  writeText,
} from './export-plan.ts';
import type { ExportSize, PlannedMessage } from './export-plan.ts';
import { ZipWriter } from './zip-writer.ts';

const team = 'measured';
const username = (number: number): string => `p${number}`;

const form = {
  bold: '**',
  person: (number: number) => `@${username(number)}`,
  channel: (number: number) => `~${channelName(number)}`,
  link: (url: string, label: string) => `[${label}](${url})`,
};

function postOf({ sender, text, sentAtMs, reactions }: PlannedMessage): object {
  return {
    user: username(sender),
    type: '',
    message: writeText(text, form),
    props: {},
    create_at: sentAtMs,
    edit_at: 0,
    reactions: reactions.map(({ person, emoji }) => ({
      user: username(person),
      emoji_name: emoji,
      create_at: sentAtMs + 1_000,
    })),
  };
}

const lineOf = (type: string, content: object): string =>
  `${JSON.stringify({ type, [type]: content })}\n`;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

function* directoryOf(size: ExportSize): Generator<string> {
  yield `${JSON.stringify({ type: 'version', version: 1 })}\n`;
  yield lineOf('team', { name: team, display_name: 'Measured', type: 'O', description: '' });
  for (const number of numbers(size.channels))
    yield lineOf('channel', {
      team,
      name: channelName(number),
      display_name: channelName(number),
      type: 'O',
      header: '',
      purpose: '',
    });
  for (const number of numbers(size.people))
    yield lineOf('user', {
      username: username(number),
      email: personEmail(number),
      nickname: personName(number),
      roles: number === 0 ? 'system_admin system_user' : 'system_user',
      delete_at: 0,
      teams: [
        {
          name: team,
          roles: 'team_user',
          channels: numbers(size.channels).map((channel) => ({
            name: channelName(channel),
            roles: 'channel_user',
            last_viewed_at: readUpToMs(size, number),
          })),
        },
      ],
    });
}

function* linesOf(size: ExportSize): Generator<string> {
  yield* directoryOf(size);
  for (const messages of planMessages(size)) {
    const isReply = ({ number, root }: PlannedMessage): boolean =>
      root !== undefined && root !== number;
    const replies = Map.groupBy(messages.filter(isReply), ({ root }) => root);
    const roots = messages.filter((message) => !isReply(message));
    // By random ids, as it were.
    for (const root of roots.toSorted(
      (a, b) => ((a.number * 7919) % 1009) - ((b.number * 7919) % 1009),
    ))
      yield lineOf('post', {
        team,
        channel: channelName(root.channel),
        ...postOf(root),
        replies: (replies.get(root.number) ?? []).map(postOf),
      });
  }
}

export async function writeMattermostExport(file: string, size: ExportSize): Promise<void> {
  const zip = new ZipWriter(file);
  await zip.add('import.jsonl', linesOf(size));
  await zip.close();
}
