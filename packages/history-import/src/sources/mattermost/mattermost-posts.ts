/** What posts and replies have in common. */
import { limits } from '@parley/api';

import { RecordFault } from '../../import-fault.ts';
import type { Place } from '../../ledger.ts';
import { cleanName } from '../../reading/names.ts';
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
const firstMs = 100_000_000_000;

const droppedTypes = new Set(['warn_metric_status', 'add_bot_teams_channels']);

export function reasonToDrop(row: Row): string | undefined {
  const type = row.findText('type') ?? '';
  return type.startsWith('system_') || droppedTypes.has(type) ? `notices: ${type}` : undefined;
}

export function timeOf(row: Row): number {
  const time = row.number('create_at');
  if (time < firstMs) throw new RecordFault('create_at is no time in milliseconds');
  return time;
}

const noNames: MattermostNames = { person: () => undefined, channel: () => undefined };

export function firstLine(row: Row): string {
  const post = { message: row.findText('message') ?? '', props: row.value('props') };
  const line =
    translatePost(post, noNames)
      .split('\n')
      .find((part) => part.trim() !== '') ?? '';
  const plain = line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[*`~]+|^[>#]+\s?/g, '');
  return cleanName(plain, limits.topicMaxCodePoints);
}

export function repliesOf(row: Row): Row[] {
  return row
    .list('replies')
    .filter(isRecord)
    .map((reply) => new Row(reply));
}

export function attachmentsOf(row: Row): string[] {
  return row
    .list('attachments')
    .filter(isRecord)
    .map(({ path }) => (typeof path === 'string' ? path : ''));
}
