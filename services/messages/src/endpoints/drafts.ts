/** Drafts of the caller (decision 0082). Each change is an event for the account's own queues, and commits with it. */
import { lockOwnAccount } from '@parley/store/access';
import { badRequest, limits } from '@parley/api';
import type { Caller } from '@parley/api';
import {
  addDraftsEndpoint,
  changeDraftEndpoint,
  deleteDraftEndpoint,
  listDraftsEndpoint,
} from '@parley/api/messages';
import type { ApiEvent } from '@parley/api/events';
import { CallerReads } from '@parley/database';
import type { Client } from '@parley/database';
import { ownEventsEntry } from '@parley/event-log';
import { draftJson } from '@parley/store/objects';
import { implement } from '@parley/server';
import {
  addDraft,
  listDrafts,
  measureDrafts,
  removeDraft,
  replaceDraft,
  userSettings,
} from '@parley/store';
import type { WrittenDraft } from '@parley/store';

import type { MessagesContext } from '../context.ts';

type GivenDraft = {
  readonly type: WrittenDraft['type'];
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly timestamp?: number | undefined;
};

/** As of the columns of ids. */
const idMax = 2_147_483_647;

function cut(text: string, codePointsMax: number): string {
  return Array.from(text).slice(0, codePointsMax).join('');
}

/** @throws ApiError for recipients that no message has */
function readDraft(
  { type, to, topic, content, timestamp }: GivenDraft,
  nowMs: number,
): WrittenDraft {
  if (type === 'stream' && to.length !== 1)
    throw badRequest('Must specify exactly 1 stream ID for stream messages');
  if (to.length > limits.participantsStoredMax) throw badRequest('Too many recipients');
  if (to.some((id) => id < 0 || id > idMax)) throw badRequest('Invalid recipients');
  if (timestamp !== undefined && timestamp < 0) throw badRequest('Timestamp must not be negative.');
  return {
    type,
    recipientIds: type === '' ? [] : to,
    topic: type === 'stream' ? cut(topic, limits.topicMaxCodePoints) : '',
    content: cut(content, limits.contentMaxCodePoints),
    writtenAtSecs: timestamp ?? Math.floor(nowMs / 1_000),
  };
}

const unknownDraft = () => badRequest('Draft does not exist');

/** Changes drafts of the caller, who is locked, so that the bounds hold. */
function changeDrafts<Result>(
  context: MessagesContext,
  caller: Caller,
  change: (
    client: Client,
    userId: number,
  ) => Promise<{ readonly result: Result; readonly event: ApiEvent }>,
): Promise<Result> {
  return context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    if (!userSettings(user).enable_drafts_synchronization)
      throw badRequest('User has disabled synchronizing drafts.');
    const { result, event } = await change(client, user.id);
    const { count, bytes } = await measureDrafts(client, user.id);
    if (event.type === 'drafts' && event.op !== 'remove') {
      if (count > limits.draftsMax)
        throw badRequest(`Too many drafts (limit: ${limits.draftsMax}).`);
      if (count > 1 && bytes > limits.draftTextsMaxBytes)
        throw badRequest(`Drafts may have at most ${limits.draftTextsMaxBytes} bytes together.`);
    }
    return { result, append: { entries: [ownEventsEntry(user.id, [event])] } };
  });
}

/** GET drafts. */
export const listDraftsHandler = implement(
  listDraftsEndpoint,
  async (context: MessagesContext, { caller, signal }) => {
    const drafts = await listDrafts(new CallerReads(context.pool, signal), caller.userId);
    return { count: drafts.length, drafts: drafts.map(draftJson) };
  },
);

/** POST drafts. */
export const addDraftsHandler = implement(
  addDraftsEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const written = parameters.drafts.map((each) => readDraft(each, context.clock.nowMs()));
    if (written.length === 0) return { ids: [] };
    return changeDrafts(context, caller, async (client, userId) => {
      const drafts = [];
      for (const each of written) drafts.push(draftJson(await addDraft(client, userId, each)));
      return {
        result: { ids: drafts.map(({ id }) => id) },
        event: { type: 'drafts', op: 'add', drafts },
      };
    });
  },
);

/** PATCH drafts/{draft_id}. */
export const changeDraftHandler = implement(
  changeDraftEndpoint,
  (context: MessagesContext, { caller, parameters: { draft_id: id, draft } }) => {
    const written = readDraft(draft, context.clock.nowMs());
    return changeDrafts(context, caller, async (client, userId) => {
      const replaced = await replaceDraft(client, userId, { id, ...written });
      if (replaced === undefined) throw unknownDraft();
      return { result: {}, event: { type: 'drafts', op: 'update', draft: draftJson(replaced) } };
    });
  },
);

/** DELETE drafts/{draft_id}. */
export const deleteDraftHandler = implement(
  deleteDraftEndpoint,
  (context: MessagesContext, { caller, parameters: { draft_id } }) =>
    changeDrafts(context, caller, async (client, userId) => {
      if (!(await removeDraft(client, userId, draft_id))) throw unknownDraft();
      return { result: {}, event: { type: 'drafts', op: 'remove', draft_id } };
    }),
);
