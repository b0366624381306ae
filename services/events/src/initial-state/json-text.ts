import { preserialized } from '@parley/server';
import type { Preserialized } from '@parley/server';

/** A value that exists as JSON text. */
export class JsonText<Value = unknown> {
  readonly text: string;
  /** The type of the text's value; it has no value at run time. */
  declare readonly value: Value;

  constructor(text: string) {
    this.text = text;
  }

  static of<Value>(value: Value): JsonText<Value> {
    return new JsonText(JSON.stringify(value));
  }
}

/** An object with members that may already be JSON text. */
export type PartlyText<Members> = {
  readonly [Name in keyof Members]: Members[Name] | JsonText<Members[Name]>;
};

/** @returns a successful answer with these members; those that are undefined are left out */
export function answerOf<Answer>(members: PartlyText<Answer>): Preserialized<Answer> {
  return preserialized(membersJson({ result: 'success', msg: '', ...members }));
}

function membersJson(members: Readonly<Record<string, unknown>>): string {
  const texts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const text = value instanceof JsonText ? value.text : JSON.stringify(value);
    texts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${texts.join(',')}}`;
}
