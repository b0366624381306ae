/**
 * Keeps drafts on the server, for all devices of an account. Tabs of a browser share what it keeps: one of them hears of the server's drafts, and
 * whichever comes first sends what changed. Where there is no connection, or the person does not want it, drafts wait in the browser.
 */
import { ApiError } from '@parley/client';
import type { ParametersOf } from '@parley/client';
import { limits } from '@parley/api/limits';
import { computed, effect, untracked } from '@preact/signals';

import type { App } from './app.ts';
import { pause } from './event-groups.ts';
import { absent, asNew, isUnsynced, reconcile, settle, versionOf } from './draft-versions.ts';
import type { ServerDraft } from './draft-versions.ts';
import type { Draft, Drafts } from './drafts.ts';
import { partnersOf } from './narrow.ts';
import { changeRest } from './reducers/change.ts';
import type { Registered, State } from './state.ts';

/** How long after a change it is sent, with all that changed meanwhile. */
const sendAfterMs = 5_000;

/** Whoever signs out waits so long at most. */
const lastSendMs = 5_000;

type Written = ParametersOf<'PATCH /drafts/{draft_id}'>['draft'];

function writtenOf({ conversation, content, changedAt }: Draft): Written {
  const common = { content, timestamp: Math.floor(changedAt / 1_000) };
  return conversation.type === 'stream'
    ? { ...common, type: 'stream', to: [conversation.streamId], topic: conversation.topic }
    : { ...common, type: 'private', to: [...conversation.userIds], topic: '' };
}

/** Drafts of the server, but for those that say not where they go. */
function readDrafts(drafts: Registered['drafts'], { self }: State): readonly ServerDraft[] {
  return drafts.flatMap(({ id, type, to, topic, content, timestamp }): ServerDraft[] => {
    const common = { id, content, changedAt: timestamp * 1_000 };
    const [streamId] = to;
    if (content === '' || type === '') return [];
    if (type === 'stream')
      return streamId === undefined ? [] : [{ ...common, conversation: { type, streamId, topic } }];
    // Before anybody is chosen it is no note to oneself.
    const userIds = to.length === 0 ? [] : partnersOf(to, self.peek().user_id);
    return [{ ...common, conversation: { type, userIds } }];
  });
}

function isToSend({ refused }: Drafts, draft: Draft): boolean {
  return (
    isUnsynced(draft) &&
    draft.before === undefined &&
    !refused.has(versionOf(draft)) &&
    Array.from(draft.content).length <= limits.contentMaxCodePoints
  );
}

/** @throws ApiError or NoAnswerError */
async function send(app: App, draft: Draft): Promise<number | undefined> {
  const { id, content } = draft;
  if (id === undefined)
    return (await app.request('POST /drafts', { drafts: [writtenOf(draft)] })).ids[0];
  if (content === '') await app.request('DELETE /drafts/{draft_id}', { draft_id: id });
  else await app.request('PATCH /drafts/{draft_id}', { draft_id: id, draft: writtenOf(draft) });
  return id;
}

/** @returns false if there was no answer */
async function sendAndNote(app: App, draft: Draft): Promise<boolean> {
  const version = versionOf(draft);
  const { id, synced } = draft;
  const change = (isIt: (each: Draft) => boolean, next: (each: Draft) => readonly Draft[]): void =>
    app.drafts.stored.change((all) => all.flatMap((each) => (isIt(each) ? next(each) : [each])));
  // What is written meanwhile is the same draft.
  const isSent = (each: Draft): boolean =>
    id === undefined ? each.synced === version && each.before === absent : each.id === id;
  change(
    (each) => each.id === id && each.before === undefined && versionOf(each) === version,
    (each) => [{ ...each, synced: version, before: synced ?? absent }],
  );
  try {
    const sentId = await send(app, draft);
    if (draft.content === '') change(isSent, withoutId);
    else change(isSent, (each) => [{ ...each, id: sentId }]);
    return true;
  } catch (failure) {
    const isRefused = failure instanceof ApiError && failure.status < 500;
    const isThere = app.state.rest.peek().drafts.some((each) => each.id === id);
    if (isRefused && (id === undefined || isThere)) app.drafts.refused.add(version);
    if (isRefused && !isThere) change(isSent, withoutId);
    else change(isSent, (each) => [{ ...each, synced, before: undefined }]);
    return isRefused;
  }
}

/** The server has deleted it. What was written meanwhile is new to it. */
function withoutId(draft: Draft): readonly Draft[] {
  return draft.content === '' ? [] : [asNew(draft)];
}

/** Runs what only one tab may do at a time. */
async function alone(app: App, run: () => Promise<void>): Promise<void> {
  const name = `parley/drafts/${app.state.self.peek().user_id}`;
  if (globalThis.navigator?.locks === undefined) await run();
  else await navigator.locks.request(name, run);
}

function isSyncing({ state }: App): boolean {
  return state.settings.peek().enable_drafts_synchronization;
}

/** Sends what changed to the server; what has no answer is sent again later. */
export function pushDrafts(app: App): Promise<void> {
  const { stored } = app.drafts;
  return alone(app, async () => {
    const tried = new Set<string>();
    for (;;) {
      stored.reread();
      const next = stored.items
        .peek()
        .find((each) => isToSend(app.drafts, each) && !tried.has(`${each.id} ${versionOf(each)}`));
      if (next === undefined || !isSyncing(app)) return;
      tried.add(`${next.id} ${versionOf(next)}`);
      if (!(await sendAndNote(app, next))) return;
    }
  });
}

/**
 * Sends what is left before the browser forgets all drafts.
 *
 * @returns how many the server does not have
 */
export async function leaveDrafts(app: App): Promise<number> {
  await Promise.race([pushDrafts(app), pause(lastSendMs)]).catch(() => undefined);
  const { all } = app.drafts;
  return isSyncing(app) ? all.peek().filter(isUnsynced).length : all.peek().length;
}

/** Takes over what the server has. */
function takeOver(app: App, drafts: Registered['drafts']): void {
  const { stored } = app.drafts;
  const server = readDrafts(drafts, app.state);
  const changed = reconcile(stored.items.peek(), server);
  if (JSON.stringify(changed) !== JSON.stringify(stored.items.peek()))
    stored.change((all) => reconcile(all, server));
}

type FollowOptions = {
  /** Whether this tab hears of the server's drafts for all of the browser's. */
  readonly isLeader: () => boolean;
  /** Tells when the person turns to something else. */
  readonly page: EventTarget;
  readonly signal: AbortSignal;
};

/** Brings drafts to the server and from there, while the app is open. */
export function followDrafts(app: App, { isLeader, page, signal }: FollowOptions): void {
  const { drafts, state, connection } = app;
  const onServer = computed(() => state.rest.value.drafts);
  const isWanted = computed(() => state.settings.value.enable_drafts_synchronization);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const push = (): void => {
    clearTimeout(timer);
    timer = undefined;
    void pushDrafts(app).catch(() => undefined);
  };
  const pushSoon = (): void => {
    timer ??= setTimeout(push, sendAfterMs);
  };
  /** What became of what was sent before the connection broke, or the page was closed, nobody knows. */
  const begin = async (): Promise<void> => {
    if (!isWanted.peek()) return;
    if (isLeader())
      await alone(app, async () => {
        const server = readDrafts(onServer.peek(), state);
        drafts.stored.change((all) => reconcile(settle(all, server), server));
      });
    push();
  };
  // While it was off, no events told of the server's drafts.
  let wasWanted = isWanted.peek();
  const ends = [
    effect(() => {
      const { value } = onServer;
      if (isWanted.value && wasWanted && isLeader()) untracked(() => takeOver(app, value));
    }),
    effect(() => {
      const isNow = isWanted.value;
      if (isNow && !wasWanted)
        app
          .request('GET /drafts')
          .then(({ drafts: list }) => {
            wasWanted = true;
            changeRest(state, { drafts: list });
          })
          .catch(() => undefined);
      else wasWanted = isNow;
    }),
    effect(() => {
      if (drafts.stored.items.value.some((each) => isToSend(drafts, each)) && isWanted.value)
        pushSoon();
    }),
    connection.subscribe((now) => {
      if (now === 'live') void begin().catch(() => undefined);
    }),
  ];
  page.addEventListener('visibilitychange', push, { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    for (const end of ends) end();
  });
}
