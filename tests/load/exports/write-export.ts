/** Exports of other systems, as large as wanted, from the options of a load run. */
import { readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import type { ExportSize } from './export-plan.ts';
import { writeMattermostExport } from './write-mattermost-export.ts';
import { writeSlackExport } from './write-slack-export.ts';
import { writeZulipExport } from './write-zulip-export.ts';

const writers = {
  zulip: writeZulipExport,
  slack: writeSlackExport,
  mattermost: writeMattermostExport,
} as const;

export type ExportSource = keyof typeof writers;

const messagesMax = 10_000_000;
const peopleMax = 10_000;

/** @throws Error unless the options name a source */
export function readExportSource({ source }: LoadOptions): ExportSource {
  const found = (Object.keys(writers) as ExportSource[]).find((name) => name === source);
  if (found === undefined) throw new Error(`--source is one of ${Object.keys(writers).join(', ')}`);
  return found;
}

/** @throws Error if a number is out of bounds */
export function readExportSize(values: LoadOptions): ExportSize {
  const messages = readCount(values.messages ?? '1000000', 'messages', messagesMax);
  return {
    people: readCount(values.people ?? '50', 'people', peopleMax),
    channels: 20,
    messages,
    threads: Math.ceil(messages / 20),
    reactions: Math.ceil(messages / 10),
    seed: readCount(values.seed, 'seed', 2 ** 31),
  };
}

export function writeExport(source: ExportSource, file: string, size: ExportSize): Promise<void> {
  return writers[source](file, size);
}
