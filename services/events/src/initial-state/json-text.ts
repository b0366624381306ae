/** A value that is there as JSON text. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  static of(value: unknown): JsonText {
    return new JsonText(JSON.stringify(value));
  }
}

/** @returns the JSON text of an object, of whose members some may be text already; those that are undefined are left out */
export function membersJson(members: Readonly<Record<string, unknown>>): string {
  const texts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const text = value instanceof JsonText ? value.text : JSON.stringify(value);
    texts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${texts.join(',')}}`;
}
