/** Writes a workspace as Slack exports it. */
import { channelName, personEmail, personName, planMessages, writeText } from './export-plan.ts';
import type { ExportSize, PlannedMessage } from './export-plan.ts';
import { ZipWriter } from './zip-writer.ts';

const personId = (number: number): string => `U${number}`;
const channelId = (number: number): string => `C${number}`;

/** Unique in its channel, and a time. */
function stampOf({ number, sentAtMs }: Pick<PlannedMessage, 'number' | 'sentAtMs'>): string {
  const micros = String((sentAtMs % 1000) * 1000 + (number % 1000)).padStart(6, '0');
  return `${Math.floor(sentAtMs / 1000)}.${micros}`;
}

const form = {
  bold: '*',
  person: (number: number) => `<@${personId(number)}>`,
  channel: (number: number) => `<#${channelId(number)}|${channelName(number)}>`,
  link: (url: string, label: string) => `<${url}|${label}>`,
};

function recordOf(message: PlannedMessage, stamps: ReadonlyMap<number, string>): object {
  const { sender, text, root, reactions } = message;
  const byEmoji = Map.groupBy(reactions, ({ emoji }) => emoji);
  return {
    type: 'message',
    user: personId(sender),
    text: writeText(text, form),
    ts: stampOf(message),
    ...(root !== undefined && { thread_ts: stamps.get(root) }),
    ...(reactions.length > 0 && {
      reactions: [...byEmoji].map(([name, of]) => ({
        name,
        count: of.length,
        users: of.map(({ person }) => personId(person)),
      })),
    }),
  };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

function directoryOf({ people, channels }: ExportSize): readonly (readonly [string, unknown])[] {
  return [
    [
      'users.json',
      numbers(people).map((number) => ({
        id: personId(number),
        name: `p${number}`,
        is_owner: number === 0,
        profile: { real_name: personName(number), email: personEmail(number), fields: [] },
      })),
    ],
    [
      'channels.json',
      numbers(channels).map((number) => ({
        id: channelId(number),
        name: channelName(number),
        created: 1_499_000_000,
        is_general: number === 0,
        members: numbers(people).map(personId),
      })),
    ],
  ];
}

export async function writeSlackExport(file: string, size: ExportSize): Promise<void> {
  const zip = new ZipWriter(file);
  for (const [name, rows] of directoryOf(size)) await zip.add(name, JSON.stringify(rows));
  let day = '';
  const ofDay = new Map<number, object[]>();
  const endDay = async (): Promise<void> => {
    for (const [channel, records] of ofDay)
      await zip.add(`${channelName(channel)}/${day}.json`, JSON.stringify(records));
    ofDay.clear();
  };
  for (const messages of planMessages(size)) {
    const stamps = new Map(messages.map((message) => [message.number, stampOf(message)]));
    for (const message of messages) {
      const today = new Date(message.sentAtMs).toISOString().slice(0, 10);
      if (today !== day) await endDay();
      day = today;
      const records = ofDay.get(message.channel) ?? [];
      records.push(recordOf(message, stamps));
      ofDay.set(message.channel, records);
    }
  }
  await endDay();
  await zip.close();
}
