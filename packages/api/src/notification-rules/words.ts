import { decodeHTML } from 'entities';

/** The last alternative is a tag that was cut off. */
const token = /<(\/?)([a-z][a-z0-9-]*)((?:[^<>"]|"[^"]*")*)>|[^<]+|<[^]*/gi;
const voidElements = new Set(['br', 'hr', 'img']);
const inlineElements = new Set(['a', 'annotation', 'code', 'del', 'em', 'img', 'span', 'strong']);

/** What stands around the words of an element. */
const marks: Readonly<Record<string, readonly [before: string, after: string]>> = {
  annotation: ['$$', '$$'],
  blockquote: ['“', '”'],
  code: ['`', '`'],
  pre: ['`', '`'],
};

/** In place of what a spoiler hides. */
const hiddenMark = '(…)';

type OpenElement = {
  /** In what a spoiler hides. */
  readonly isHidden: boolean;
  readonly isShown: boolean;
  /** The address of a link. */
  readonly href: string;
  hasWords: boolean;
};

function attributeOf(attributes: string, name: string): string {
  return decodeHTML(new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
}

/** Text on one line. */
class Line {
  text = '';
  #isSpaceDue = false;
  #isAfterMark = true;

  space(): void {
    this.#isSpaceDue = !this.#isAfterMark;
  }

  add(text: string): void {
    if (/^\s/.test(text)) this.space();
    const words = text.trim();
    if (words !== '') {
      this.text += `${this.#isSpaceDue ? ' ' : ''}${words.replaceAll(/\s+/g, ' ')}`;
      this.#isSpaceDue = false;
      this.#isAfterMark = false;
    }
    if (/\s$/.test(text)) this.space();
  }

  open(mark: string): void {
    this.add(mark);
    this.#isAfterMark = true;
  }

  close(mark: string): void {
    this.text += mark;
    this.#isSpaceDue = false;
    this.#isAfterMark = false;
  }
}

/**
 * The words of a message's HTML on one line, for places that show plain text only: formulas as their source, pictures by their name or
 * address, quotes and code in marks, of a spoiler the header.
 *
 * @param html as the server renders it; its end may be missing
 * @param longest in UTF-16 units; longer texts are cut
 */
export function wordsOf(html: string, longest = 200): string {
  const line = new Line();
  const open: OpenElement[] = [];
  /** A preview repeats the address of a link. */
  const shownHrefs = new Set(['']);
  const isShown = (): boolean => open.at(-1)?.isShown ?? true;
  const show = (text: string): void => {
    if (text === '' || !isShown()) return;
    line.add(text);
    for (let n = open.length - 1; n >= 0; n -= 1) {
      const each = open[n];
      // Elements around it have words, too.
      if (each === undefined || each.hasWords) break;
      each.hasWords = true;
    }
  };
  for (const [whole, slash, tag, attributes = ''] of html.matchAll(token)) {
    if (line.text.length > longest) break;
    const name = tag?.toLowerCase();
    if (name === undefined) {
      if (!whole.startsWith('<')) show(decodeHTML(whole));
      continue;
    }
    if (!inlineElements.has(name)) line.space();
    const [before, after] = marks[name] ?? ['', ''];
    if (slash === '/') {
      const closed = open.pop();
      if (closed === undefined) continue;
      if (after !== '' && closed.isShown) line.close(after);
      if (!closed.isShown) continue;
      if (!closed.hasWords && !shownHrefs.has(closed.href)) show(closed.href);
      shownHrefs.add(closed.href);
    } else if (voidElements.has(name)) show(attributeOf(attributes, 'alt'));
    else {
      const isSpoiler = attributes.includes(' class="spoiler-content"');
      if (isSpoiler) show(hiddenMark);
      const isHidden = isSpoiler || open.at(-1)?.isHidden === true;
      // A formula is there twice more, for readers of screens and for the eye.
      const isFormula = attributes.includes(' class="katex"');
      open.push({
        isHidden,
        isShown: !isHidden && (name === 'annotation' || (isShown() && !isFormula)),
        href: name === 'a' ? attributeOf(attributes, 'href') : '',
        hasWords: false,
      });
      if (before !== '' && isShown()) line.open(before);
    }
  }
  const words = line.text;
  // Half of a pair of surrogates is no character.
  return words.length > longest
    ? `${words.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…`
    : words;
}
