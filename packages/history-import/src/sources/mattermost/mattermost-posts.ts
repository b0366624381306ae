/** What posts and replies have in common. */
import { limits } from '@parley/api';

import { RecordFault } from '../../import-fault.ts';
import type { Place } from '../../ledger.ts';
import { cleanName, cutTo } from '../../reading/names.ts';
import { Row, isRecord } from '../../reading/row.ts';
import { translatePost } from './mattermost-text.ts';
import type { MattermostNames } from './mattermost-text.ts';

/** A post or a reply, with its place. */
export type Post = {
  readonly row: Row;
  readonly place: Place;
  /** Unique: the line, and the number of the reply. */
  readonly key: string;
  /** The line of the thread, and whether it has replies. */
  readonly root: Row;
  readonly thread: string | undefined;
  readonly isReply: boolean;
  readonly to: { readonly channel: string } | { readonly members: readonly string[] };
};

/** Times in milliseconds of this century are above, those in seconds below. */
const firstSecs = 100_000_000;

const droppedTypes = new Set(['warn_metric_status', 'add_bot_teams_channels']);

export function reasonToDrop(row: Row): string | undefined {
  const type = row.findText('type') ?? '';
  return type.startsWith('system_') || droppedTypes.has(type) ? `notices: ${type}` : undefined;
}

/** @returns Unix time of a field in milliseconds, as all times are there; undefined if it is none */
export function findTimeMs(row: Row, name: string): number | undefined {
  return row.findTime(name, 1000);
}

/** @returns Unix time */
export function timeOf(row: Row): number {
  const time = findTimeMs(row, 'create_at');
  if (time === undefined || time < firstSecs)
    throw new RecordFault('create_at is no time in milliseconds');
  return time;
}

const noNames: MattermostNames = {
  person: () => undefined,
  channel: () => undefined,
  emoji: (name) => `:${name}:`,
};

export function firstLine(row: Row): string {
  const post = { message: row.findText('message') ?? '', props: row.value('props') };
  const line =
    translatePost(post, noNames)
      .split('\n')
      .find((part) => part.trim() !== '') ?? '';
  // Longer than any topic with its links; the pattern's time grows with the square.
  const plain = cutTo(line, 2_000)
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`~]+|^[>#]+\s?/g, '');
  return cleanName(plain, limits.topicMaxCodePoints);
}

export function repliesOf(row: Row): Row[] {
  return row.list('replies').map((reply) => new Row(isRecord(reply) ? reply : {}));
}

export function attachmentsOf(row: Row): string[] {
  return row
    .list('attachments')
    .map((file) => (isRecord(file) && typeof file['path'] === 'string' ? file['path'] : ''));
}
