import katex from 'katex';

import { escapeCode } from './escaping.ts';
import type { StepBudget } from './step-budget.ts';

/** Longer formulas give more HTML than a message may have, usually a hundred characters for each of theirs: they are shown as errors. */
const formulaMaxLength = 2000;
/** A formula takes a few microseconds for each character and some 0.1 ms in addition, rarely ten times that. */
const stepsPerCharacter = 1000;
const stepsPerFormula = 20_000;
/** KaTeX makes several boxes for each accent on a letter. */
const stepsPerAccent = 4000;
/** Accents and similar give far more HTML than other characters, and take the time for it. */
const stepsPerHtmlCharacter = 20;

/** Commands that define a name in TeX; their result of a few characters grows exponentially with their number. */
const definition =
  /\\(?:[egx]?def|(?:re)?newcommand|providecommand|global|long|(?:future)?let)(?![A-Za-z])/;
const definingMaxLength = 150;
const parametersMax = 3;
const definingMaxExpand = 20;
/** The macros of KaTeX expand to little. */
const maxExpand = 1000;

function render(tex: string, displayMode: boolean, budget: StepBudget): string | undefined {
  if (tex.length > formulaMaxLength) return undefined;
  const accents = tex.normalize('NFD').length - tex.length;
  budget.spend(
    stepsPerFormula + tex.length * stepsPerCharacter + Math.max(0, accents) * stepsPerAccent,
  );
  const isDefining = definition.test(tex);
  if (isDefining && (tex.length > definingMaxLength || tex.split('#').length - 1 > parametersMax)) {
    return undefined;
  }
  let html: string;
  try {
    html = katex.renderToString(tex, {
      displayMode,
      throwOnError: true,
      output: 'htmlAndMathml',
      // Unknown commands are errors of the author, not warnings for our console.
      strict: 'ignore',
      trust: false,
      maxExpand: isDefining ? definingMaxExpand : maxExpand,
      maxSize: 50,
    });
  } catch {
    // A parse error, or nesting so deep that the parser ran out of stack: in both cases the author sees the source marked as an error.
    return undefined;
  }
  budget.spend(html.length * stepsPerHtmlCharacter);
  return withKnownNames(html);
}

/** Classes without the library's prefix, among those that have it. */
const keptClasses = new Set(['katex-html', 'katex-mathml', 'katex-display', 'katex-version']);

/**
 * Gives parts of a formula the class names of an older release of the library, which clients' style sheets use (reference facts, markdown
 * 10); the parts themselves are the same.
 */
function withKnownNames(html: string): string {
  return html
    .replaceAll(/ class="([^"]*)"/g, (_whole, classes: string) => {
      const known = classes.split(' ').map((name) => {
        if (name === 'mathnormal') return 'mathdefault';
        return keptClasses.has(name) ? name : name.replace(/^katex-/, '');
      });
      return ` class="${known.join(' ')}"`;
    })
    .replaceAll(/(<math [^>]*) display="block"/g, '$1');
}

const openTag = /<([a-z]+)((?: [a-zA-Z:-]+="[^"]*")+)(\s*\/?)>/g;
const attribute = / [a-zA-Z:-]+="[^"]*"/g;

/** The reference parses inline formulas again, which sorts their attributes. */
function sortAttributes(html: string): string {
  return html.replaceAll(openTag, (_whole, tag: string, attributes: string, end: string) => {
    const sorted = (attributes.match(attribute) ?? []).toSorted();
    return `<${tag}${sorted.join('')}${end}>`;
  });
}

/**
 * An inline formula, or undefined if the TeX is wrong or too long (reference facts, markdown 10).
 *
 * @throws StepsExceeded if the budget is used up
 */
export function texInlineHtml(tex: string, budget: StepBudget): string | undefined {
  const html = render(tex, false, budget);
  return html === undefined ? undefined : sortAttributes(html);
}

/** The content of a math fence; blank lines separate formulas (reference facts, markdown 10). */
export function texBlockHtml(text: string, budget: StepBudget): string {
  return text
    .replace(/^\n+/, '')
    .trimEnd()
    .split(/\n{2,}/)
    .map(
      (formula) =>
        render(formula, true, budget) ?? `<span class="tex-error">${escapeCode(formula)}</span>`,
    )
    .join('\n\n');
}
