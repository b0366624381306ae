import { computed, effect, signal, untracked } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { findCautions, findObstacle } from '../../data/compose-checks.ts';
import type { Caution, Obstacle } from '../../data/compose-checks.ts';
import { noTopic } from '../../data/message-actions.ts';
import { conversationKey, conversationOf, narrowKey, narrowOf } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { sendLater } from '../../data/scheduled.ts';
import { WrittenText } from './written-text.ts';

/** How long after the last change a draft is kept. */
const saveAfterMs = 400;

function isSame(one: Conversation | undefined, other: Conversation | undefined): boolean {
  return (
    one === other ||
    (one !== undefined && other !== undefined && conversationKey(one) === conversationKey(other))
  );
}

/**
 * The text that is being written, and where it goes. It follows the place in the page: each conversation has a text of its own, which is
 * kept as a draft when another one is opened.
 */
export class Composer {
  readonly field = new WrittenText((text) => {
    this.#app.typing.tell(text.trim() === '' ? undefined : this.#conversation);
    this.#saveSoon();
  });
  /** Set by an attempt to send what cannot be sent or needs a second look. */
  readonly wasTried = signal(false);
  readonly obstacle: ReadonlySignal<Obstacle | undefined>;
  readonly cautions: ReadonlySignal<readonly Caution[]>;
  readonly #app: App;
  #conversation: Conversation | undefined;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    this.#app = app;
    this.obstacle = computed(() => {
      const conversation = app.composing.value;
      return conversation && findObstacle(app.state, conversation, this.field.text.value);
    });
    this.cautions = computed(() => {
      const conversation = app.composing.value;
      return conversation === undefined
        ? []
        : findCautions(app.state, conversation, this.field.text.value);
    });
  }

  /** @returns what ends following */
  follow(): () => void {
    const ends = [this.#followPlace(), this.#followConversation(), this.#followQuotes()];
    return () => {
      for (const end of ends) end();
      this.#save();
      this.field.uploads.cancelAll();
      this.#app.typing.tell(undefined);
      this.#app.composing.value = undefined;
    };
  }

  #followPlace(): () => void {
    const { place, composing } = this.#app;
    let shown: string | undefined;
    return effect(() => {
      const { value } = place;
      const key = value.view === 'messages' ? narrowKey(value.narrow) : value.view;
      // What was opened to be answered before the page showed this place stays.
      const isChosen = shown === undefined && composing.peek() !== undefined;
      if (key === shown) return;
      shown = key;
      if (isChosen) return;
      const conversation = value.view === 'messages' ? conversationOf(value.narrow) : undefined;
      this.#open(conversation);
      composing.value = conversation;
    });
  }

  #followConversation(): () => void {
    return effect(() => {
      const conversation = this.#app.composing.value;
      untracked(() => {
        if (conversation === this.#conversation) return;
        this.#open(conversation);
        this.field.focus();
      });
    });
  }

  #followQuotes(): () => void {
    return effect(() => {
      const { value } = this.#app.quoted;
      if (value === undefined) return;
      untracked(() => {
        this.#app.quoted.value = undefined;
        this.field.insert(value);
      });
    });
  }

  #open(conversation: Conversation | undefined): void {
    if (!isSame(conversation, this.#conversation)) {
      this.#save();
      this.field.text.value =
        conversation === undefined ? '' : (this.#app.drafts.find(conversation)?.content ?? '');
      this.wasTried.value = false;
    }
    this.#conversation = conversation;
  }

  /** Lets the text go somewhere else. A draft that is there already comes before it. */
  redirect(conversation: Conversation): void {
    const earlier = this.#conversation;
    this.#conversation = conversation;
    this.#app.composing.value = conversation;
    if (isSame(earlier, conversation)) return;
    if (earlier !== undefined) this.#app.drafts.delete(conversationKey(earlier));
    const draft = this.#app.drafts.find(conversation)?.content;
    this.field.text.value = [draft, this.field.text.value].filter(Boolean).join('\n\n');
    this.#saveSoon();
  }

  /** @param isConfirmed whether the writer knows that everybody is told */
  send(isConfirmed = false): void {
    const conversation = this.#checkedConversation(isConfirmed);
    if (conversation === undefined) return;
    this.#app.outbox.send(conversation, this.field.text.peek());
    this.#finish();
    const { value: place } = this.#app.place;
    const shown = place.view === 'messages' ? conversationOf(place.narrow) : undefined;
    if (!isSame(shown, conversation))
      this.#app.navigate({ view: 'messages', narrow: narrowOf(conversation), near: undefined });
  }

  /**
   * Lets the server send the text at a time.
   *
   * @throws ApiError or NoAnswerError
   */
  async sendLater(at: Date): Promise<void> {
    const conversation = this.#checkedConversation(true);
    if (conversation === undefined) return;
    await sendLater(this.#app, conversation, this.field.text.peek(), at);
    this.#finish();
  }

  /** @returns where the text goes, if it can go there */
  #checkedConversation(isConfirmed: boolean): Conversation | undefined {
    const conversation = this.#conversation;
    if (conversation === undefined || this.field.text.peek().trim() === '') return undefined;
    const mustConfirm = this.cautions.peek().some(({ kind }) => kind === 'everybody');
    if (this.obstacle.peek() !== undefined || (mustConfirm && !isConfirmed)) {
      this.wasTried.value = true;
      return undefined;
    }
    return conversation.type === 'stream' && conversation.topic.trim() === ''
      ? { ...conversation, topic: noTopic }
      : conversation;
  }

  #finish(): void {
    clearTimeout(this.#saveTimer);
    if (this.#conversation !== undefined)
      this.#app.drafts.delete(conversationKey(this.#conversation));
    this.field.text.value = '';
    this.wasTried.value = false;
    this.#app.typing.tell(undefined);
  }

  #saveSoon(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), saveAfterMs);
  }

  #save(): void {
    clearTimeout(this.#saveTimer);
    if (this.#conversation !== undefined)
      this.#app.drafts.save(this.#conversation, this.field.text.peek());
  }
}
