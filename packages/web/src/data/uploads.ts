/** Files on their way to the server. `fetch` does not say how much was sent, so this is the one request that the typed client does not make. */
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';

import { texts } from '../texts.ts';
import { notify } from './notices.ts';
import { isRecord, isText } from './shapes.ts';

export type Upload = {
  readonly id: number;
  readonly name: string;
  /** 0 to 1. */
  readonly progress: ReadonlySignal<number>;
  /** What the server said against it, or an empty text if there was no answer. */
  readonly failure: ReadonlySignal<string | undefined>;
};

type Running = Upload & {
  readonly progress: Signal<number>;
  readonly failure: Signal<string | undefined>;
  readonly request: XMLHttpRequest;
};

/** Files of one drop or choice. */
const filesMax = 20;

function textIn(answer: unknown, name: string): string | undefined {
  const value = isRecord(answer) ? answer[name] : undefined;
  return isText(value) ? value : undefined;
}

/** The uploads of one compose area. */
export class Uploads {
  readonly #items = signal<readonly Running[]>([]);
  readonly items: ReadonlySignal<readonly Upload[]> = this.#items;
  /** Whether a file is on its way. */
  readonly areRunning = computed(() =>
    this.#items.value.some(({ failure }) => failure.value === undefined),
  );
  #lastId = 0;

  /** @param onDone gets the link to each file that was uploaded, in the syntax of messages */
  add(files: Iterable<File>, onDone: (markdown: string) => void): void {
    const all = [...files];
    if (all.length > filesMax) notify(texts.compose.tooManyFiles(filesMax), 'failure');
    for (const file of all.slice(0, filesMax)) this.#start(file, onDone);
  }

  /** Ends an upload that is on its way, and forgets one that failed. */
  cancel(id: number): void {
    const items = this.#items.peek();
    items.find((each) => each.id === id)?.request.abort();
    this.#items.value = items.filter((each) => each.id !== id);
  }

  cancelAll(): void {
    for (const { id } of this.#items.peek()) this.cancel(id);
  }

  #start(file: File, onDone: (markdown: string) => void): void {
    this.#lastId += 1;
    const request = new XMLHttpRequest();
    const upload: Running = {
      id: this.#lastId,
      name: file.name,
      progress: signal(0),
      failure: signal(undefined),
      request,
    };
    this.#items.value = [...this.#items.peek(), upload];
    request.upload.onprogress = ({ loaded, total }) => {
      upload.progress.value = total === 0 ? 0 : loaded / total;
    };
    request.onload = () => {
      const answer: unknown = request.response;
      const uri = textIn(answer, 'uri');
      if (uri === undefined) {
        upload.failure.value = textIn(answer, 'msg') ?? '';
        return;
      }
      this.cancel(upload.id);
      onDone(`[${linkText(file.name)}](${uri})`);
    };
    request.onerror = () => {
      upload.failure.value = '';
    };
    request.open('POST', '/api/v1/user_uploads');
    request.responseType = 'json';
    const form = new FormData();
    form.append('file', file);
    request.send(form);
  }
}

/** @returns the name without what would end the text of a link */
function linkText(name: string): string {
  return name.replaceAll(/[[\]\\\n]/g, '_');
}
