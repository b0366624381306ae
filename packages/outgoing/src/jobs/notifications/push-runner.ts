/** Pushes what is due to the subscriptions of the database (decision 0053): at least once, each attempt judged anew. */
import type { Clock, Timer } from '@parley/clock';
import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import type { CallResult, ServiceCall } from '../../index.ts';
import type { PushPayload } from '@parley/api/notification-rules';
import type { KeySecrets } from '@parley/auth/secrets';
import {
  claimPushes,
  countPushSubscriptions,
  getPushKeys,
  listNotificationFacts,
  releasePush,
  removePushSubscription,
} from '@parley/store/notifications';
import type { ClaimedPush, PushKeys, NotificationFacts } from '@parley/store/notifications';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import webPush from 'web-push';

import { byConversation, isOld, judge, leftSecs } from './judge.ts';
import { pushCall, pushPayload, shortened } from './push-message.ts';
import { PushServices } from './push-services.ts';
import type { PushEnd } from './push-services.ts';
import { retryAfterSecs } from './retry-after.ts';

export type PushRunnerOptions = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly keySecrets: KeySecrets;
  /** An https or mailto address of the operator, for push services. */
  readonly subject: string;
  readonly call: (call: ServiceCall, signal: AbortSignal) => Promise<CallResult>;
  readonly log: Logger;
  readonly registry: Registry;
};

const lookIntervalMs = 300;
const measureIntervalMs = 10_000;
const claimsPerStep = 32;
/** Longer than two requests may take; after a crash a subscription waits this long. */
const claimSecs = 90;
const firstDelaySecs = 5;
const delayMaxSecs = 3_600;
/** Together half a day. */
const failuresMax = 20;
const stopTimeoutMs = 1_500;

/** What is to be done for a claimed subscription. */
type Plan = {
  /** The next conversation: what is new in it, and what is still shown of it. */
  readonly messages: readonly NotificationFacts[];
  readonly isUrgent: boolean;
  readonly newIds: readonly number[];
  /** Pushed before, and no longer to be shown. */
  readonly gone: readonly number[];
  readonly kept: readonly number[];
  /** Whether some of what is kept was not pushed, and is not to be yet. */
  readonly isWaiting: boolean;
  /** When to look again at what is kept. */
  readonly againInSecs: number | undefined;
};

/** @param facts of the claim's person */
function planOf(claim: ClaimedPush, facts: readonly NotificationFacts[], nowMs: number): Plan {
  const byId = new Map(facts.map((each) => [each.messageId, each]));
  const unread = claim.messages.flatMap(({ id, wasPushed }) => {
    const found = byId.get(id);
    return found === undefined ? [] : [{ found, wasPushed }];
  });
  const shown = unread.filter(({ wasPushed }) => wasPushed).map(({ found }) => found);
  const fresh = unread
    .filter(({ found, wasPushed }) => !wasPushed && !isOld(found, nowMs))
    .map(({ found }) => found);
  const now = fresh.filter((each) => judge(each).push !== undefined);
  const later = fresh.filter(
    (each) => judge(each).push === undefined && judge(each, true).push !== undefined,
  );
  const [next = [], ...others] = byConversation(now);
  const conversationId = next[0]?.message.place.conversationId;
  const messages = [...shown, ...next]
    .filter(({ message }) => message.place.conversationId === conversationId)
    .toSorted((a, b) => a.messageId - b.messageId);
  const waits = [
    ...(others.length > 0 ? [0] : []),
    ...later.map(({ recipient }) => recipient.activeSecs),
  ];
  return {
    messages,
    isUrgent: next.some(
      ({ message }) => message.place.type === 'private' || message.flags.length > 0,
    ),
    newIds: next.map(({ messageId }) => messageId),
    gone: claim.messages
      .filter(({ id, wasPushed }) => wasPushed && !byId.has(id))
      .map(({ id }) => id),
    kept: [...shown, ...others.flat(), ...later].map(({ messageId }) => messageId),
    isWaiting: later.length > 0,
    againInSecs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

type Outcome = 'sent' | 'gone' | 'too large' | 'refused' | 'failed';

/** `failed` is the service's fault, `refused` that of the subscription (RFC 8030, 5, 7.2 and 8.4). */
function outcomeOf(result: CallResult): Outcome {
  if (result.kind !== 'answer') return 'failed';
  const { status } = result;
  if (status >= 200 && status < 300) return 'sent';
  if (status === 404 || status === 410) return 'gone';
  if (status === 413) return 'too large';
  return status === 429 || status >= 500 ? 'failed' : 'refused';
}

/** How long the service asked to be left alone. */
function askedRestSecs(result: CallResult, nowMs: number): number {
  return result.kind === 'answer' ? retryAfterSecs(result.retryAfter, nowMs) : 0;
}

export class PushRunner {
  readonly #options: PushRunnerOptions;
  readonly #services = new PushServices();
  readonly #running = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #outcomes: Counter<'outcome'>;
  readonly #repeats: Counter;
  readonly #subscriptions: Gauge<'state'>;
  #keys: PushKeys | undefined;
  #timers: Timer[] = [];
  #looking: Promise<number | undefined> | undefined;
  #measuring: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: PushRunnerOptions) {
    this.#options = options;
    const registers = [options.registry];
    this.#outcomes = new Counter({
      name: 'parley_pushes_total',
      help: 'Attempts to push, by outcome (sent, gone with the subscription, refused or failed and to be retried, given up with the subscription)',
      labelNames: ['outcome'],
      registers,
    });
    this.#repeats = new Counter({
      name: 'parley_push_repeats_total',
      help: 'Pushes that were sent although an earlier attempt may have succeeded',
      registers,
    });
    this.#subscriptions = new Gauge({
      name: 'parley_push_subscriptions',
      help: 'Subscriptions to pushes of the whole installation, by state (all, due, failing)',
      labelNames: ['state'],
      registers,
    });
  }

  /** Makes the keys at the first start, too. */
  start(): void {
    const { clock, pool } = this.#options;
    const measure = async (): Promise<void> => {
      const counts = await countPushSubscriptions(pool);
      for (const state of ['all', 'due', 'failing'] as const)
        this.#subscriptions.set({ state }, counts[state]);
    };
    const beginToMeasure = (): void => {
      this.#measuring ??= measure()
        .catch((error: unknown) => this.#warn(error))
        .finally(() => {
          this.#measuring = undefined;
        });
    };
    void this.#lookOnce();
    this.#timers = [
      clock.every(lookIntervalMs, () => void this.#lookOnce()),
      clock.every(measureIntervalMs, beginToMeasure),
    ];
  }

  /** @returns whether no push was due or under way; otherwise begins with those that are due */
  async settle(): Promise<boolean> {
    await this.#looking;
    return (await this.#lookOnce()) === 0 && this.#running.size === 0;
  }

  /** Gives running requests a moment to end, and releases the rest. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) timer.cancel();
    await Promise.all([this.#looking, this.#measuring]);
    const callOff = this.#options.clock.after(stopTimeoutMs, () => this.#ending.abort());
    await Promise.all(this.#running);
    callOff.cancel();
  }

  #warn(error: unknown): void {
    this.#options.log.warn({ err: error }, 'looking for pushes failed; it is tried again');
  }

  /** @returns how many pushes were begun; undefined if that failed */
  #lookOnce(): Promise<number | undefined> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => {
        this.#warn(error);
        return undefined;
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<number> {
    const { clock, pool, keySecrets } = this.#options;
    let begun = 0;
    this.#keys ??= await getPushKeys(pool, keySecrets, () => webPush.generateVAPIDKeys());
    while (!this.#isStopping) {
      const places = this.#services.listPlaces(clock.elapsedMs());
      if (places.all <= 0) break;
      const claims = await claimPushes(pool, {
        subscriptionsMax: claimsPerStep,
        claimSecs,
        places,
      });
      if (claims.length === 0) break;
      await this.#begin(claims, this.#keys);
      begun += claims.length;
    }
    return begun;
  }

  async #begin(claims: readonly ClaimedPush[], keys: PushKeys): Promise<void> {
    const { clock, pool, log } = this.#options;
    const facts = await listNotificationFacts(
      pool,
      // Devices of one person have the same messages.
      [
        ...new Map(
          claims.flatMap(({ userId, messages }) =>
            messages.map(({ id }) => [`${userId}/${id}`, { userId, messageId: id }] as const),
          ),
        ).values(),
      ],
    );
    for (const claim of claims) {
      const { origin, userId } = claim;
      const plan = planOf(
        claim,
        facts.filter((each) => each.userId === userId),
        clock.nowMs(),
      );
      this.#services.begin(origin);
      const run = this.#push(claim, plan, keys)
        .catch((error: unknown) => {
          log.warn({ err: error, subscription_id: claim.id }, 'a push failed; it is tried again');
          return { kind: 'unused' } as const;
        })
        .then((end) => this.#services.end(origin, end, clock.elapsedMs()))
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  async #push(claim: ClaimedPush, plan: Plan, keys: PushKeys): Promise<PushEnd> {
    const [first, ...rest] = plan.messages;
    const { kept, againInSecs, newIds } = plan;
    if (first === undefined) {
      await this.#release(claim, {
        pushed: [],
        kept: [...kept, ...plan.gone],
        againInSecs,
        failures: claim.failures,
        mayHaveArrived: claim.mayHaveArrived && plan.isWaiting,
      });
      return { kind: 'unused' };
    }
    const result = await this.#call(claim, plan, [first, ...rest], keys);
    const outcome = outcomeOf(result);
    if (outcome === 'sent') {
      // Counted before it is noted: a repeat that is not counted would be worse than one that is counted twice.
      this.#outcomes.inc({ outcome });
      if (claim.mayHaveArrived) this.#repeats.inc();
      await this.#release(claim, {
        pushed: newIds,
        kept,
        againInSecs,
        failures: 0,
        mayHaveArrived: false,
      });
      return { kind: 'worked' };
    }
    return this.#noteFault(claim, plan, result, outcome);
  }

  /** Pushes; once more without words where a service takes less than it has to (RFC 8030, 7.2). */
  async #call(
    claim: ClaimedPush,
    { gone, isUrgent }: Plan,
    messages: readonly [NotificationFacts, ...NotificationFacts[]],
    keys: PushKeys,
  ): Promise<CallResult> {
    const { call, clock, subject } = this.#options;
    const signer = { ...keys, subject };
    const push = (payload: PushPayload): Promise<CallResult> =>
      call(
        pushCall(claim, payload, isUrgent, leftSecs(messages, clock.nowMs()), signer),
        this.#ending.signal,
      );
    const whole = pushPayload(messages, gone);
    const result = await push(whole);
    return outcomeOf(result) === 'too large' ? push(shortened(whole)) : result;
  }

  async #noteFault(
    claim: ClaimedPush,
    { kept, newIds, gone }: Plan,
    result: CallResult,
    outcome: Exclude<Outcome, 'sent'>,
  ): Promise<PushEnd> {
    const isCalledOff = result.kind === 'called-off';
    const failures = isCalledOff ? claim.failures : claim.failures + 1;
    const isGivenUp = failures > failuresMax;
    this.#outcomes.inc({ outcome: isGivenUp ? 'given up' : outcome });
    const askedSecs = askedRestSecs(result, this.#options.clock.nowMs());
    if (outcome === 'gone' || isGivenUp) await removePushSubscription(this.#options.pool, claim.id);
    else
      await this.#release(claim, {
        pushed: [],
        kept: [...kept, ...newIds, ...gone],
        againInSecs: isCalledOff
          ? 0
          : Math.min(delayMaxSecs, Math.max(firstDelaySecs * 2 ** claim.failures, askedSecs)),
        failures,
        // Whatever is no answer may hide that the push was taken.
        mayHaveArrived: claim.mayHaveArrived || result.kind !== 'answer',
      });
    return outcome === 'failed'
      ? { kind: 'failed', retryAfterMs: askedSecs * 1_000 }
      : { kind: 'worked' };
  }

  async #release(claim: ClaimedPush, outcome: Parameters<typeof releasePush>[2]): Promise<void> {
    await transaction(this.#options.pool, (client) => releasePush(client, claim, outcome));
  }
}
