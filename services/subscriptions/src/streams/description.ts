import type { Stream } from '@parley/store';

/** @returns a description in its stored form, one line (reference facts, streams 5.1 and 8.1) */
export function withoutNewlines(description: string): string {
  return description.replaceAll(/\r\n|\r|\n/g, ' ');
}

/** @returns the texts of a stream in the lists that everybody gets */
export function textsOf({ name, description, renderedDescription }: Stream): string[] {
  return [name, description, renderedDescription];
}
