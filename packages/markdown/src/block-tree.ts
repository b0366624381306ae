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

/** Rules check the beginning of a block, and search all of it for marks, which is quick. */
const stepsPerCharacter = 0.2;
/** The steps for choosing a rule and making an element. */
const stepsPerBlock = 300;
/** The steps of a rule for each line that it checks by itself. */
const stepsPerLine = 30;

/** The elements around the current blocks; they decide whether text gets a paragraph of its own. */
export type BlockState = 'list' | 'looselist' | 'detabbed' | 'blockquote';

export type BlockRule = {
  /** Whether the rule applies to the block. */
  test(parser: BlockParser, parent: BlockElement, block: string): boolean;
  /** Removes the first block, adds to the parent, and may put the remaining part back in front. */
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

/** Text directly in an item moves into a paragraph if the item turns out to be loose. */
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
   * @param rules In the order of the attempts.
   * @param lastRule The rule that applies to anything, also used alone if nesting is too deep.
   */
  constructor(rules: readonly BlockRule[], lastRule: BlockRule, budget: StepBudget) {
    this.#rules = rules;
    this.#lastRule = lastRule;
    this.#budget = budget;
  }

  isState(state: BlockState): boolean {
    return this.#states.at(-1) === state;
  }

  /** Parses with a state on top, and then removes it. */
  inState(state: BlockState, parse: () => void): void {
    this.#states.push(state);
    parse();
    this.#states.pop();
  }

  /** @throws StepsExceeded if the budget is used up */
  spend(steps: number): void {
    this.#budget.spend(steps);
  }

  /** The lines of a block, charged to the budget: a rule that checks each of them does so again on every level of nesting. */
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
