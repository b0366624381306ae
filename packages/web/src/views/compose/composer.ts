import { computed, effect, signal, untracked } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { findCautions, findObstacle } from '../../data/compose-checks.ts';
import type { Obstacle } from '../../data/compose-checks.ts';
import { recipientsOf } from '../../data/conversation.ts';
import { noTopic } from '../../data/message-actions.ts';
import { mergeTexts } from '../../data/drafts.ts';
import { onFollowed } from '../../data/moves.ts';
import { isSameConversation, narrowKey, narrowOf } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import type { Outgoing } from '../../data/outbox.ts';
import { conversationAt, streamIdAt } from '../../data/place.ts';
import { texts } from '../../texts.ts';
import { wasPressed } from '../address-binding.ts';
import { focusMain } from '../parts/focus.ts';
import { WrittenText } from './written-text.ts';

/** How long after the last change a draft is kept. */
const saveAfterMs = 400;

/** The text that is being written belongs to it; files on their way follow where it goes. */
type Target = { conversation: Conversation | undefined };

/** On these the keyboard of the screen does not cover what is read. */
const wideScreen = '(width >= 48rem) and (pointer: fine)';

/** A new topic of the stream that is shown, otherwise of the first one of the person. */
export function newTopicAt({ place, state }: App): Conversation {
  const [firstId = 0] = state.subscriptions.value.keys();
  return { type: 'stream', streamId: streamIdAt(place.value) ?? firstId, topic: '' };
}

/** Where somebody writes who does not say where. */
export function conversationHere(app: App): Conversation {
  return conversationAt(app.place.value) ?? newTopicAt(app);
}

/**
 * The text that is being written, and where it goes. It follows the place in the page: each conversation has a text of its own, which is
 * kept as a draft when another one is opened.
 */
export class Composer {
  readonly app: App;
  readonly field: WrittenText;
  readonly isPreviewed = signal(false);
  /** Set by an attempt to send what cannot be sent or needs a second look. */
  readonly wasTried = signal(false);
  readonly obstacle = computed((): Obstacle | undefined => {
    const conversation = this.app.composing.value;
    if (conversation === undefined) return undefined;
    const { text, uploads } = this.field;
    const found = findObstacle(this.app.state, conversation, text.value);
    if (found !== undefined || !uploads.areRunning.value) return found;
    return { text: texts.compose.obstacles.uploading, isUnfinished: true };
  });
  readonly cautions = computed(() => {
    const conversation = this.app.composing.value;
    return conversation ? findCautions(this.app, conversation, this.field.text.value) : [];
  });
  /** The place that is followed. */
  #shown: { readonly key: string; readonly conversation: Conversation | undefined } | undefined;
  #target: Target = { conversation: undefined };
  /** The draft that the field has shown, or was kept as. */
  #kept = '';
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    this.app = app;
    this.field = new WrittenText({
      onWrite: (text) => {
        app.typing.tell(text.trim() === '' ? undefined : this.#target.conversation);
        this.#saveSoon();
      },
      linkTaker: () => this.#takerOfLinks(this.#target),
    });
  }

  /** @returns what ends following */
  follow(): () => void {
    const save = (): void => this.keep();
    const ends = [
      effect(() => this.#followPlace()),
      effect(() => this.#followConversation()),
      effect(() => this.#followDraft()),
      effect(() => this.#takeQuote()),
      onFollowed((from, to) => {
        if (isSameConversation(this.#target.conversation, from)) this.redirect(to);
        else this.keep();
      }),
    ];
    addEventListener('pagehide', save);
    return () => {
      removeEventListener('pagehide', save);
      for (const end of ends) end();
      this.keep();
      this.field.uploads.cancelAll();
      this.app.typing.tell(undefined);
      this.app.composing.value = undefined;
    };
  }

  #followPlace(): void {
    const { composing, corrected, place } = this.app;
    const { value } = place;
    const key = value.view === 'messages' ? narrowKey(value.narrow) : value.view;
    const earlier = this.#shown;
    if (key === earlier?.key) return;
    const conversation = conversationAt(value);
    this.#shown = { key, conversation };
    const now = composing.peek();
    // What was opened to be answered before the page showed this place stays.
    if (earlier === undefined && now !== undefined) return;
    // Whoever writes elsewhere goes on there when what is shown is renamed.
    const isCorrected = corrected.peek() === value && earlier?.conversation !== undefined;
    if (isCorrected && !isSameConversation(now, earlier.conversation)) return;
    this.#open(conversation);
    composing.value = conversation;
    if (conversation !== undefined && matchMedia(wideScreen).matches && wasPressed(value))
      this.field.focus();
  }

  #followConversation(): void {
    const conversation = this.app.composing.value;
    untracked(() => {
      if (conversation === this.#target.conversation) return;
      this.#open(conversation);
      if (conversation !== undefined) this.field.focus();
    });
  }

  #takeQuote(): void {
    const { value } = this.app.quoted;
    if (value === undefined) return;
    untracked(() => {
      this.app.quoted.value = undefined;
      this.field.insert(value);
    });
  }

  /** Shows what another tab or device wrote. Of what was typed meanwhile nothing is lost. */
  #followDraft(): void {
    const { composing, drafts } = this.app;
    const { value } = composing;
    const content = (value && drafts.find(value)?.content) ?? '';
    untracked(() => {
      if (content === this.#kept || !isSameConversation(value, this.#target.conversation)) return;
      const text = this.field.text.peek();
      const isTouched = text !== this.#kept && text.trim() !== '';
      this.#kept = content;
      this.field.text.value = isTouched ? mergeTexts(content, text) : content;
    });
  }

  #open(conversation: Conversation | undefined): void {
    if (isSameConversation(conversation, this.#target.conversation)) {
      this.#target.conversation = conversation;
      return;
    }
    this.keep();
    this.#target = { conversation };
    this.#show(conversation && this.app.drafts.find(conversation)?.content);
  }

  #show(text = ''): void {
    clearTimeout(this.#saveTimer);
    this.field.text.value = text;
    this.#kept = text;
    this.isPreviewed.value = false;
    this.wasTried.value = false;
  }

  /** Lets the text go somewhere else. A draft that is there already comes before it. */
  redirect(conversation: Conversation): void {
    const { drafts, composing } = this.app;
    const earlier = this.#target.conversation;
    this.keep();
    this.#target.conversation = conversation;
    if (earlier !== undefined) drafts.move(earlier, conversation);
    if (!isSameConversation(earlier, conversation)) this.#show(drafts.find(conversation)?.content);
    composing.value = conversation;
  }

  /** Opens what was not sent, to be changed and sent anywhere, after what is being written there. */
  takeBack({ localId, conversation, content }: Outgoing): void {
    const { drafts, outbox, composing } = this.app;
    this.keep();
    drafts.append(conversation, content);
    outbox.discard(localId);
    this.#target = { conversation };
    this.#show(drafts.find(conversation)?.content);
    composing.value = conversation;
    this.field.focus();
  }

  /** What was written stays as a draft. */
  close(): void {
    this.app.composing.value = undefined;
    focusMain();
  }

  /** Takes files wherever something is written, or else begins to write. */
  addFiles(files: Iterable<File>): void {
    this.app.composing.value ??= conversationHere(this.app);
    this.field.addFiles(files);
  }

  /** @param isConfirmed whether the writer knows that everybody is told */
  send(isConfirmed = false): void {
    const conversation = this.#recipients(isConfirmed);
    if (conversation === undefined) return;
    this.app.outbox.send(conversation, this.field.text.peek());
    this.#finish(this.#target);
    if (!isSameConversation(conversationAt(this.app.place.peek()), conversation))
      this.app.navigate({ view: 'messages', narrow: narrowOf(conversation) });
  }

  /**
   * Lets the server send the text at a time.
   *
   * @returns whether it will; otherwise the page says why not
   * @throws ApiError or NoAnswerError
   */
  async sendLater(at: Date): Promise<boolean> {
    const conversation = this.#recipients(true);
    if (conversation === undefined) return false;
    const target = this.#target;
    await this.app.request('POST /messages', {
      ...recipientsOf(conversation),
      content: this.field.text.peek(),
      delivery_type: 'send_later',
      deliver_at: at.toISOString(),
    });
    this.#finish(target);
    return true;
  }

  /** @returns where the text goes, if it can go there */
  #recipients(isConfirmed: boolean): Conversation | undefined {
    const { conversation } = this.#target;
    if (conversation === undefined || this.field.text.peek().trim() === '') return undefined;
    const mustConfirm = this.cautions.peek().some((caution) => caution.mustConfirm);
    if (this.obstacle.peek() !== undefined || (mustConfirm && !isConfirmed)) {
      this.wasTried.value = true;
      return undefined;
    }
    return conversation.type === 'stream' && conversation.topic.trim() === ''
      ? { ...conversation, topic: noTopic }
      : conversation;
  }

  /** The text is on its way: it is no draft any more, and the next one begins. */
  #finish(target: Target): void {
    if (target.conversation !== undefined) this.app.drafts.delete(target.conversation);
    if (target !== this.#target) return;
    this.#show();
    this.field.focus();
    this.app.typing.tell(undefined);
  }

  #takerOfLinks(target: Target): (link: string) => void {
    return (link) => {
      if (isSameConversation(target.conversation, this.#target.conversation))
        this.field.insert(link);
      else if (target.conversation !== undefined) this.app.drafts.append(target.conversation, link);
    };
  }

  #saveSoon(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.keep(), saveAfterMs);
  }

  /** Keeps the text as a draft, now. */
  keep(): void {
    clearTimeout(this.#saveTimer);
    const { conversation } = this.#target;
    const text = this.field.text.peek();
    // Not over what another tab wrote since.
    if (conversation === undefined || text === this.#kept) return;
    this.#kept = text.trim() === '' ? '' : text;
    this.app.drafts.save(conversation, text);
  }
}
