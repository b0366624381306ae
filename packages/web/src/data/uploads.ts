/** Files on their way to the server. `fetch` does not say how much was sent, so this is the one request that the typed client does not make. */
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

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
  /** Ends it while it is on its way, and forgets it when it failed. */
  readonly cancel: () => void;
};

/** Files of one drop or choice. */
const filesMax = 20;

function textIn(answer: unknown, name: string): string | undefined {
  const value = isRecord(answer) ? answer[name] : undefined;
  return isText(value) ? value : undefined;
}

/** The uploads of one compose area. */
export class Uploads {
  readonly #items = signal<readonly Upload[]>([]);
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

  cancelAll(): void {
    for (const { cancel } of this.#items.peek()) cancel();
  }

  #start(file: File, onDone: (markdown: string) => void): void {
    this.#lastId += 1;
    const progress = signal(0);
    const failure = signal<string | undefined>(undefined);
    const request = new XMLHttpRequest();
    const cancel = (): void => {
      request.abort();
      this.#items.value = this.#items.peek().filter((each) => each !== upload);
    };
    const upload: Upload = { id: this.#lastId, name: file.name, progress, failure, cancel };
    this.#items.value = [...this.#items.peek(), upload];
    request.upload.onprogress = ({ loaded, total }) =>
      (progress.value = total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const answer: unknown = request.response;
      const uri = textIn(answer, 'uri');
      if (uri === undefined) {
        failure.value = textIn(answer, 'msg') ?? '';
        return;
      }
      cancel();
      onDone(linkToFile(file.name, uri));
    };
    request.onerror = () => (failure.value = '');
    request.open('POST', '/api/v1/user_uploads');
    request.responseType = 'json';
    const form = new FormData();
    form.append('file', file);
    request.send(form);
  }
}

/** @returns a link in Markdown, in one line, whose name neither ends it nor mentions anybody */
export function linkToFile(name: string, uri: string): string {
  return `[${name.replaceAll(/[[\]\\`*\p{Cc}\p{Zl}\p{Zp}]+/gu, '_')}](${uri})`;
}
