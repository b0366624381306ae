import katex from 'katex';

import { escapeCode } from './escaping.ts';
import type { StepBudget } from './step-budget.ts';

/** Longer formulas give more HTML than a message may have, a hundred characters for each of theirs as a rule: they are shown as wrong. */
const formulaMaxLength = 2000;
/** A formula takes a few microseconds for each character and some 0.1 ms besides, rarely ten times that. */
const stepsPerCharacter = 1000;
const stepsPerFormula = 20_000;
/** Of a letter with accents KaTeX makes several boxes for each. */
const stepsPerAccent = 4000;
/** Accents and the like give far more HTML than other characters, and take their time for it. */
const stepsPerHtmlCharacter = 20;

/** Commands that give a name to TeX; what they make of a few characters grows with the power of their number. */
const definition =
  /\\(?:[egx]?def|(?:re)?newcommand|providecommand|global|long|(?:future)?let)(?![A-Za-z])/;
const definingMaxLength = 150;
const parametersMax = 3;
const definingMaxExpand = 20;
/** Macros that KaTeX brings along expand to little. */
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
    // A parse error, or nesting so deep that the parser ran out of stack: either way the
    // author sees the source marked as wrong.
    return undefined;
  }
  budget.spend(html.length * stepsPerHtmlCharacter);
  return withKnownNames(html);
}

/** Classes that are named as ever, of those with the library's name before them. */
const keptClasses = new Set(['katex-html', 'katex-mathml', 'katex-display', 'katex-version']);

/**
 * Gives parts of a formula the names that clients' style sheets know, which are those of an older release of the library (reference
 * facts, markdown 10); the parts themselves are the same.
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

/** Inline formulas are reparsed by the reference, which sorts their attributes. */
function sortAttributes(html: string): string {
  return html.replaceAll(openTag, (_whole, tag: string, attributes: string, end: string) => {
    const sorted = (attributes.match(attribute) ?? []).toSorted();
    return `<${tag}${sorted.join('')}${end}>`;
  });
}

/**
 * An inline formula, or undefined when the TeX is wrong or too long (reference facts, markdown 10).
 *
 * @throws TooMuch when the budget is used up
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
