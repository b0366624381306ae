import { signal } from '@preact/signals';
import { createRef } from 'preact';

import { Uploads } from '../../data/uploads.ts';
import { isWriting } from '../parts/focus.ts';

type Options = {
  /** Called when the writer changes the text. */
  readonly onWrite: (text: string) => void;
  /** Called when files are chosen. @returns what takes their links: by then another text may be written */
  readonly linkTaker: () => (link: string) => void;
};

/** A text that is being written, in a field of the page, and the files that are on their way into it. */
export class WrittenText {
  readonly text = signal('');
  readonly uploads = new Uploads();
  /** The element that shows the text. */
  readonly textarea = createRef<HTMLTextAreaElement>();
  /** Whether the element gets the focus once it is drawn. */
  #isAwaited = false;
  readonly #options: Partial<Options>;

  constructor(options: Partial<Options> = {}) {
    this.#options = options;
  }

  write(text: string): void {
    this.text.value = text;
    this.#options.onWrite?.(text);
  }

  addFiles(files: Iterable<File>): void {
    const take = this.#options.linkTaker?.() ?? ((link) => this.insert(link));
    this.uploads.add(files, (markdown) => take(`${markdown} `));
  }

  /** As `ref` of the element. */
  readonly attach = (textarea: HTMLTextAreaElement | null): void => {
    this.textarea.current = textarea;
    if (textarea === null || !this.#isAwaited) return;
    this.#isAwaited = false;
    if (!isWriting()) this.focus();
  };

  focus(): void {
    this.#isAwaited = this.textarea.current === null;
    this.textarea.current?.focus();
    // A dialog may be closing.
    requestAnimationFrame(() => this.textarea.current?.focus());
  }

  /** Puts text in place of what is selected, in a way that the browser can undo. */
  insert(text: string, range?: { readonly start: number; readonly end: number }): void {
    const textarea = this.textarea.current;
    if (textarea === null || !textarea.isConnected) {
      this.write(`${this.text.peek()}${text}`);
      this.focus();
      return;
    }
    // The element may still show the text of another conversation.
    if (textarea.value !== this.text.peek()) textarea.value = this.text.peek();
    textarea.focus();
    if (range !== undefined) textarea.setSelectionRange(range.start, range.end);
    if (text === '') document.execCommand('delete');
    else document.execCommand('insertText', false, text);
  }

  selected(): string {
    const textarea = this.textarea.current;
    return textarea?.value.slice(textarea.selectionStart, textarea.selectionEnd) ?? '';
  }

  /** Puts a mark before each line that is selected, or in which the cursor is. */
  beginLines(mark: string): void {
    const textarea = this.textarea.current;
    if (textarea === null) return;
    const { selectionStart, selectionEnd: end, value } = textarea;
    const start = value.lastIndexOf('\n', selectionStart - 1) + 1;
    this.insert(value.slice(start, end).replaceAll(/^/gm, mark), { start, end });
  }

  /** Puts marks around what is selected, which stays selected. */
  surround(before: string, after: string): void {
    const textarea = this.textarea.current;
    if (textarea === null) return;
    const { selectionStart: start, selectionEnd: end } = textarea;
    this.insert(`${before}${this.selected()}${after}`);
    textarea.setSelectionRange(start + before.length, end + before.length);
  }

  /** Puts lines before and after what is selected. */
  surroundByLines(first: string, last: string): void {
    const { value = '', selectionStart = 0, selectionEnd = 0 } = this.textarea.current ?? {};
    const before = /(?:^|\n)$/.test(value.slice(0, selectionStart)) ? '' : '\n';
    const after = /^(?:\n|$)/.test(value.slice(selectionEnd)) ? '' : '\n';
    this.surround(`${before}${first}\n`, `\n${last}${after}`);
  }
}
