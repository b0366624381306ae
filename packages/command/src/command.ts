/** The description of a command: its words, its options, its action and its report. */
import type { Environment } from '@parley/config';

import { UsageFault } from './faults.ts';
import type { Progress } from './progress.ts';

export type Option = {
  /** The name of the value in the help, in capitals; a switch has none. */
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
  /** May be given several times. */
  readonly multiple?: boolean;
};

/** The report of a finished command: for people, and for programs that asked for JSON. */
export type Report = {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** By default 0. */
  readonly exitCode?: 0 | 1;
};

export type CommandContext = {
  readonly env: Environment;
  readonly readInput: () => Promise<string>;
  readonly progress: Progress;
  /** Aborted if the command is asked to stop. */
  readonly signal: AbortSignal;
};

export type Command = {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  /** Further paragraphs of its help. */
  readonly details?: string;
  /** The arguments after its name, in capitals; all are required. The last one may be several if its name ends with `...`. */
  readonly positionals?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly run: (call: Call, context: CommandContext) => Promise<Report>;
};

type Value = string | boolean | readonly (string | boolean)[] | undefined;

/** The words of one command line, checked against the command's declaration. */
export class Call {
  readonly #positionals: readonly string[];
  readonly #values: Readonly<Record<string, Value>>;

  constructor(positionals: readonly string[], values: Readonly<Record<string, Value>>) {
    this.#positionals = positionals;
    this.#values = values;
  }

  /** The argument at a place after the command's name, from 0. */
  word(index: number): string {
    const word = this.#positionals[index];
    if (word === undefined)
      throw new TypeError('a command asked for a word that it did not declare');
    return word;
  }

  /** The arguments from a place after the command's name on. */
  wordsFrom(index: number): readonly string[] {
    return this.#positionals.slice(index);
  }

  find(option: string): string | undefined {
    const value = this.#values[option];
    return typeof value === 'string' ? value : undefined;
  }

  get(option: string): string {
    const value = this.find(option);
    if (value === undefined) throw new TypeError(`--${option} is not declared as required`);
    return value;
  }

  list(option: string): readonly string[] {
    const value = this.#values[option];
    return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
  }

  isSet(option: string): boolean {
    return this.#values[option] === true;
  }

  /**
   * @returns the value of an option that is one of these words, or undefined if it is not given
   * @throws UsageFault for any other word
   */
  findChoice<const Choice extends string>(
    option: string,
    choices: readonly Choice[],
  ): Choice | undefined {
    const value = this.find(option);
    return value === undefined ? undefined : checkChoice(`--${option}`, value, choices);
  }
}

/** @throws UsageFault for a word that is not one of the choices */
export function checkChoice<const Choice extends string>(
  what: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new UsageFault(`${what} is one of ${choices.join(', ')}`);
  return found;
}
