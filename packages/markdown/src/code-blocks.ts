import hljs from 'highlight.js/lib/common';

import { escapeCode } from './escaping.ts';
import { pygmentsClass } from './highlight-classes.ts';
import type { RenderEffort } from './step-budget.ts';

/** Pygments aliases that have another name in the highlighter. */
const languageNames: Record<string, string> = {
  py3: 'python',
  python3: 'python',
  'c#': 'csharp',
  console: 'shell',
  'shell-session': 'shell',
  udiff: 'diff',
  'objective-c': 'objectivec',
  'vb.net': 'vbnet',
  golang: 'go',
};

/** Names for text without any highlighting. */
const plainLanguages = new Set(['', 'text', 'plain', 'plaintext', 'txt', 'nohighlight', 'none']);

/**
 * For some languages the highlighter's time grows with the square of the text, especially in long lines. So it gets pieces, and no long
 * lines at all. Only a comment or string across the end of a piece loses its colour.
 */
const pieceMaxLength = 2000;
const lineMaxLength = 300;
/** A piece of the worst text takes some microseconds for each character, other texts a tenth. */
const stepsPerCharacter = 200;
/** Code longer than any message is not highlighted. */
const highlightedMaxLength = 10_000;

/** The code in pieces of whole lines. */
function piecesOf(code: string): string[] {
  if (code.length <= pieceMaxLength) return [code];
  const pieces: string[] = [];
  let piece = '';
  for (const line of code.split(/(?<=\n)/)) {
    if (piece !== '' && piece.length + line.length > pieceMaxLength) {
      pieces.push(piece);
      piece = '';
    }
    piece += line;
  }
  pieces.push(piece);
  return pieces;
}

/** Clients expect tokens side by side, so the innermost of nested scopes counts. */
function flatSpans(html: string): string {
  const scopes: string[] = [];
  let flat = '';
  for (const [piece, scope] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (scope !== undefined) {
      // The word of a literal is marked as a keyword again.
      const isLiteral = scopes.at(-1) === 'hljs-literal';
      scopes.push(isLiteral ? 'hljs-literal' : scope);
    } else if (piece === '</span>') {
      scopes.pop();
    } else {
      const innermost = scopes.at(-1);
      flat +=
        innermost === undefined
          ? piece
          : `<span class="${pygmentsClass(innermost)}">${piece}</span>`;
    }
  }
  return flat;
}

function highlight(code: string, language: string, { budget, isPlain }: RenderEffort): string {
  if (isPlain) return escapeCode(code);
  const alias = language.toLowerCase();
  const name = languageNames[alias] ?? alias;
  if (plainLanguages.has(name) || code.length > highlightedMaxLength) return escapeCode(code);
  if (hljs.getLanguage(name) === undefined) return escapeCode(code);
  if (code.split('\n').some((line) => line.length > lineMaxLength)) return escapeCode(code);
  budget.spend(code.length * stepsPerCharacter);
  return piecesOf(code)
    .map((piece) => highlightPiece(piece, name))
    .join('');
}

function highlightPiece(code: string, language: string): string {
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
  return flatSpans(value.replaceAll('&#x27;', '&#39;'));
}

/** A first line that names the language: `:::lang` and `#!lang` are removed, `#!/path/lang` stays. */
function takeLanguageLine(code: string): { code: string; language: string } {
  const end = code.indexOf('\n');
  const first = end === -1 ? code : code.slice(0, end);
  const match = /^(?::::|#!)(\/?(?:[\w-]+\/)*)([\w#.+-]+)\s*$/.exec(first);
  if (match === null) return { code, language: '' };
  const language = match[2] ?? '';
  if (match[1] !== '') return { code, language };
  return { code: end === -1 ? '' : code.slice(end + 1), language };
}

/**
 * The HTML of a code block (reference facts, markdown 2.8), without the newlines after it.
 *
 * @param text The block's lines, joined with newlines.
 * @param info The info word; empty for indented code and bare fences.
 * @throws StepsExceeded if the budget is used up
 */
export function codeBlockHtml(text: string, info: string, effort: RenderEffort): string {
  const trimmed = text.replace(/^\n+/, '').trimEnd();
  const { code, language } =
    info === '' ? takeLanguageLine(trimmed) : { code: trimmed, language: info };
  return `<div class="codehilite"><pre><span></span>${highlight(code, language, effort)}\n</pre></div>`;
}
