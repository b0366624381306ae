/** The README of this folder, whose tables say what existing clients send and read. The tests make its calls, in its order. */
import { readFileSync } from 'node:fs';

import type { JsonObject } from '@parley/test-kit';
import { expect } from 'vitest';

import type { WireMethod } from './python-wire.ts';

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');

/** @returns the cells of the rows of a section's table, code without its quotes */
export function rowsOf(section: string): string[][] {
  const [, rest = ''] = page.split(`\n## Section ${section}: `);
  const lines = (rest.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  // Heading and ruler come first.
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
  );
}

/** @returns the rows of a section that are calls, and do not name a test */
export function callsOf(section: string): (readonly [name: string, ...cells: string[]])[] {
  return rowsOf(section).flatMap(([name = '', ...cells]) =>
    cells[0]?.startsWith('`') === false ? [[name, ...cells] as const] : [],
  );
}

/** The values that are known only when the tests run: `$name` in a cell. */
export class Values {
  readonly #values = new Map<string, unknown>();

  set(values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) this.#values.set(name, value);
  }

  /** Puts the values into a text. */
  fill(text: string): string {
    return text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      if (!this.#values.has(name)) throw new Error(`there is no ${name}`);
      return String(this.#values.get(name));
    });
  }

  /** `METHOD path JSON` */
  readCall(cell = ''): readonly [WireMethod, path: string, parameters: JsonObject | undefined] {
    const [, method, path = '', json] = /^(\w+) (\S+)(?: (.*))?$/.exec(this.fill(cell)) ?? [];
    return [
      method as WireMethod,
      path,
      json === undefined ? undefined : (JSON.parse(json) as JsonObject),
    ];
  }

  /**
   * @returns what an answer that succeeds has if it has all that a cell lists: `"*"` stands for anything, `"=name"` for a value that later rows
   *   use, and a list that begins with `"..."` has the others among its items
   */
  readAnswer(cell = ''): object {
    const listed = cell === '' ? {} : (JSON.parse(this.fill(cell)) as JsonObject);
    return { result: 'success', ...(this.#expected(listed) as JsonObject) };
  }

  #expected(listed: unknown): unknown {
    if (listed === '*') return expect.anything();
    if (typeof listed === 'string' && listed.startsWith('='))
      return expect.toSatisfy((value: unknown) => {
        this.#values.set(listed.slice(1), value);
        return value !== undefined;
      });
    if (Array.isArray(listed)) {
      const [first, ...others] = listed as readonly unknown[];
      if (first !== '...') return listed.map((item) => this.#expected(item));
      return expect.arrayContaining(
        others.map((item): unknown => expect.objectContaining(this.#expected(item) as object)),
      );
    }
    if (typeof listed !== 'object' || listed === null) return listed;
    return Object.fromEntries(
      Object.entries(listed).map(([name, value]) => [name, this.#expected(value)]),
    );
  }
}
