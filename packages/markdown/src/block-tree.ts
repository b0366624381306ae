import type { StepBudget } from './step-budget.ts';

/**
 * A block element while blocks are parsed. `text` is the run before the first child and `tail`
 * the run after the element itself; both hold source text whose inline markup is still raw.
 */
export type BlockElement = {
  tag: string;
  attributes: [name: string, value: string][];
  text: string;
  tail: string;
  children: BlockElement[];
};

/** Rules look at the beginning of a block, and for marks in all of it, which is quick. */
const stepsPerCharacter = 0.2;
/** What choosing a rule and making an element takes, in steps. */
const stepsPerBlock = 300;
/** What a rule takes for each line that it looks at by itself. */
const stepsPerLine = 30;

/** What surrounds the blocks being parsed; it decides whether text gets a paragraph of its own. */
export type BlockState = 'list' | 'looselist' | 'detabbed' | 'blockquote';

export type BlockRule = {
  /** Whether the rule takes the block. */
  test(parser: BlockParser, parent: BlockElement, block: string): boolean;
  /** Removes the first block, adds to the parent, and may put a rest back in front. */
  run(parser: BlockParser, parent: BlockElement, blocks: string[]): void;
};

/**
 * Nested calls, not nested elements: a list level costs three, a quote level one. Beyond it
 * text stays text, so hostile nesting ends in paragraphs and never in a stack overflow.
 */
const nestingMax = 200;

export function createElement(tag: string, text = ''): BlockElement {
  return { tag, attributes: [], text, tail: '', children: [] };
}

export function appendElement(parent: BlockElement, tag: string, text = ''): BlockElement {
  const element = createElement(tag, text);
  parent.children.push(element);
  return element;
}

/** Text directly in an item moves into a paragraph when the item turns out to be loose. */
export function wrapTextInParagraph(item: BlockElement): void {
  if (item.text === '') return;
  item.children.unshift(createElement('p', item.text));
  item.text = '';
}

/** Applies block rules to blocks in order (reference facts, markdown 2). */
export class BlockParser {
  readonly #rules: readonly BlockRule[];
  readonly #lastRule: BlockRule;
  readonly #budget: StepBudget;
  readonly #states: BlockState[] = [];
  #nesting = 0;

  /**
   * @param rules In the order in which they are tried.
   * @param lastRule The rule that takes anything, also used alone when nesting is too deep.
   */
  constructor(rules: readonly BlockRule[], lastRule: BlockRule, budget: StepBudget) {
    this.#rules = rules;
    this.#lastRule = lastRule;
    this.#budget = budget;
  }

  isState(state: BlockState): boolean {
    return this.#states.at(-1) === state;
  }

  /** Parses with a state on top, which is removed again. */
  inState(state: BlockState, parse: () => void): void {
    this.#states.push(state);
    parse();
    this.#states.pop();
  }

  /** @throws TooMuch when the budget is used up */
  spend(steps: number): void {
    this.#budget.spend(steps);
  }

  /** The lines of a block, paid for: a rule that looks at each of them does so again on every level of nesting. */
  linesOf(block: string): string[] {
    const lines = block.split('\n');
    this.spend(lines.length * stepsPerLine);
    return lines;
  }

  parseText(parent: BlockElement, text: string): void {
    this.parseBlocks(parent, text.split('\n\n'));
  }

  parseBlocks(parent: BlockElement, blocks: string[]): void {
    this.#nesting += 1;
    for (let block = blocks[0]; block !== undefined; block = blocks[0]) {
      this.#budget.spend(stepsPerBlock + block.length * stepsPerCharacter);
      this.#ruleFor(parent, block).run(this, parent, blocks);
    }
    this.#nesting -= 1;
  }

  #ruleFor(parent: BlockElement, block: string): BlockRule {
    if (this.#nesting > nestingMax) return this.#lastRule;
    return this.#rules.find((rule) => rule.test(this, parent, block)) ?? this.#lastRule;
  }
}
