/**
 * Outgoing-webhook bots: their services are called for messages, and the bots send the replies (reference facts, people 18). The called
 * bots are decided when a message is sent and named in its log entry; a call is a side effect of it.
 *
 * A call with a stored outcome is not repeated: after a crash only its replies are sent, under keys that make a repeat harmless. Without a
 * stored outcome it is repeated under its delivery key. The bot, its service and the message are those at the time of the call.
 */
import { ApiError, botTypes } from '@parley/api';
import { messageLink } from '@parley/markdown';
import type { MessagePlace } from '@parley/markdown';
import { snapshot } from '@parley/database';
import type { Pool } from '@parley/database';
import type { SideEffectHandlers, SideEffectRun } from '@parley/outgoing/jobs';
import { findBotServices, findUserById, getRealm, listMessageOfCall } from '@parley/store';
import type { KeySecrets } from '@parley/auth/secrets';
import type { BotService, Realm, User } from '@parley/store';
import type { CallResult, ServiceCall } from '@parley/outgoing';

import { renderedOf } from '../pages/message-body.ts';
import type { MessageBody } from '../pages/message-body.ts';
import { messageJsonWriter } from '../pages/message-json.ts';
import type { MessageNames } from '../pages/message-names.ts';
import type { PageReader, PageReads } from '../pages/page-reader.ts';
import type { SendRequest } from '../sending/send.ts';
import { errorBlock, outcomeOf, ownerNotice, slackRefusesPrivate } from './call-outcome.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallMetrics } from './call-metrics.ts';
import { writeCall } from './service-interfaces.ts';
import type { TriggeringMessage, Reply } from './service-interfaces.ts';

/** The client name of what these bots send (reference facts, people 18). */
const clientName = 'OutgoingWebhookResponse';
/** A legacy literal that services look for, with the level of the interface. */
const userAgent = 'ZulipOutgoingWebhook/2.1.4';
/** The same for all repeats of a call, so that a service can skip work that it has done. */
export const deliveryHeader = 'X-Parley-Delivery';

/** Waits before a call is repeated after a timeout or a connection error (decision 0018). */
const repeatAfterMs: readonly number[] = [0, 2_000, 10_000];

export type OutgoingWebhooksOptions = {
  readonly pool: Pool;
  readonly pages: PageReader;
  readonly keySecrets: KeySecrets;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly call: (call: ServiceCall, signal: AbortSignal) => Promise<CallResult>;
  readonly send: (request: SendRequest) => Promise<unknown>;
  readonly metrics: CallMetrics;
};

type Run = SideEffectRun<'outgoing-webhook'>;

/** The stored progress of a call: the number of failures, then the outcome. */
type Progress =
  | { readonly failures: number }
  | { readonly outcome: CallOutcome; readonly link: string; readonly place: MessagePlace };

type Called = {
  readonly realm: Realm;
  readonly bot: User;
  readonly service: BotService;
  readonly body: MessageBody;
  readonly names: MessageNames;
};

function placeOf(body: MessageBody, names: MessageNames): MessagePlace {
  const { streamId, topic } = body;
  if (streamId !== null)
    return { type: 'stream', streamId, streamName: names.streamName(streamId), topic };
  return { type: 'private', participantIds: names.listParticipants(body).map(({ id }) => id) };
}

class OutgoingWebhooks {
  readonly #options: OutgoingWebhooksOptions;
  readonly #reads: PageReads;

  constructor(options: OutgoingWebhooksOptions) {
    this.#options = options;
    const { pool } = options;
    this.#reads = {
      query: (statement) => pool.query(statement),
      snapshot: (read) => snapshot(pool, read),
    };
  }

  async run(run: Run): Promise<void | { readonly againInMs: number }> {
    const progress = run.progress as Progress | undefined;
    if (progress !== undefined && 'outcome' in progress) {
      await this.#say(run, progress);
      return undefined;
    }
    const called = await this.#find(run);
    if (called === undefined) {
      this.#options.metrics.skipped();
      return undefined;
    }
    const failures = progress?.failures ?? 0;
    return this.#callOnce(run, called, failures);
  }

  /** @returns undefined if the call is no longer due */
  async #find({ effect }: Run): Promise<Called | undefined> {
    const { pool, keySecrets } = this.#options;
    const [realm, bot, services] = await Promise.all([
      getRealm(pool),
      findUserById(pool, effect.target),
      findBotServices(pool, keySecrets, [effect.target]),
    ]);
    const service = services.get(effect.target);
    if (realm.isDeactivated || bot?.isActive !== true || service === undefined) return undefined;
    if (bot.botType !== botTypes.outgoingWebhook) return undefined;
    const { messages, names } = await this.#options.pages.read(
      this.#reads,
      (db) => listMessageOfCall(db, bot.id, effect.messageId),
      { anchor: effect.messageId, texts: 'both' },
    );
    const [body] = messages;
    return body === undefined ? undefined : { bot, service, body, names, realm };
  }

  async #callOnce(
    run: Run,
    { bot, service, body, names, realm }: Called,
    failures: number,
  ): Promise<void | { readonly againInMs: number }> {
    const { publicUrl, metrics, call } = this.#options;
    const write = messageJsonWriter(names, { clientGravatar: false, showEditHistory: false });
    const message = JSON.parse(write(body, {})) as TriggeringMessage['message'];
    const place = placeOf(body, names);
    const link = messageLink(publicUrl, body.id, place);
    const finish = async (outcome: CallOutcome): Promise<void> => {
      const done = { outcome, link, place };
      await run.saveProgress(done);
      await this.#say(run, done);
    };
    const written = writeCall(service.interface, {
      bot,
      token: service.token ?? '',
      message,
      stream: place.type === 'stream' ? { id: place.streamId, name: place.streamName } : undefined,
      renderedContent: renderedOf(body).renderedContent,
      realmStringId: realm.stringId,
    });
    if (written === undefined) return finish(slackRefusesPrivate);
    const result = await metrics.measure(() =>
      call(
        {
          url: service.baseUrl,
          headers: { 'user-agent': userAgent, [deliveryHeader]: run.deliveryKey },
          ...written,
        },
        run.signal,
      ),
    );
    if (result.kind === 'called-off') return { againInMs: 0 };
    if (result.kind === 'timeout' || result.kind === 'connection') {
      const againInMs = repeatAfterMs[failures];
      if (againInMs !== undefined) {
        await run.saveProgress({ failures: failures + 1 });
        return { againInMs };
      }
    }
    return finish(outcomeOf(result, service.interface, link));
  }

  /** Sends the messages about a call. A repeat sends nothing twice. */
  async #say(
    run: Run,
    { outcome, link, place }: Extract<Progress, { readonly outcome: CallOutcome }>,
  ): Promise<void> {
    const { reply, notice } = outcome;
    const refusal = reply && (await this.#reply(run, reply, place));
    if (refusal !== undefined && notice === undefined)
      await this.#notifyOwner(
        run,
        ownerNotice(link, [errorBlock(refusal.code ?? '', refusal.message)]),
      );
    if (notice !== undefined) await this.#notifyOwner(run, notice);
  }

  /** @returns why the reply may not be sent, for the owner */
  async #reply(run: Run, reply: Reply, place: MessagePlace): Promise<ApiError | undefined> {
    const botId = run.effect.target;
    const to =
      place.type === 'stream'
        ? { type: 'stream', ids: [place.streamId], topic: place.topic }
        : {
            type: 'private',
            ids: place.participantIds.filter((id) => id !== botId),
            topic: undefined,
          };
    try {
      await this.#send(run, 'reply', { ...to, ...reply });
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      this.#options.metrics.replyRefused();
      // If the bot may not send to the stream, the send itself notifies the owner.
      return error.code === 'STREAM_DOES_NOT_EXIST' ? undefined : error;
    }
  }

  async #notifyOwner(run: Run, content: string): Promise<void> {
    const { pool } = this.#options;
    const bot = await findUserById(pool, run.effect.target);
    if (bot?.isActive !== true || bot.botOwnerId === null) return;
    const owner = await findUserById(pool, bot.botOwnerId);
    if (owner?.isActive !== true) return;
    await this.#send(run, 'notice', {
      type: 'private',
      ids: [owner.id],
      topic: undefined,
      content,
    }).catch((error: unknown) => {
      // The owner or the bot was deactivated just now.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
    });
  }

  async #send(
    { effect, key }: Run,
    what: 'reply' | 'notice',
    message: Reply & {
      readonly type: string;
      readonly ids: readonly number[];
      readonly topic: string | undefined;
    },
  ): Promise<void> {
    const { ids, ...rest } = message;
    await this.#options.send({
      ...rest,
      senderId: effect.target,
      to: { kind: 'ids', ids },
      clientName,
      requestId: `${key}-${what}`,
      idempotencyKey: undefined,
      queueId: undefined,
      localId: undefined,
    });
  }
}

/** @returns the handler of each call in the log */
export function outgoingWebhooks(
  options: OutgoingWebhooksOptions,
): Pick<SideEffectHandlers, 'outgoing-webhook'> {
  const webhooks = new OutgoingWebhooks(options);
  return { 'outgoing-webhook': async (run) => webhooks.run(run) };
}
