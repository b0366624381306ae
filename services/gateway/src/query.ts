import type { FormValues } from '@parley/api';
import { decodeForm } from '@parley/server';

/** The query of a request, decoded when something asks for it. */
export class Query {
  readonly #text: string;
  #fields: FormValues | undefined;

  /** @param text without the question mark */
  constructor(text: string) {
    this.#text = text;
  }

  /** @throws ApiError 400 if there are too many fields */
  get fields(): FormValues {
    this.#fields ??= decodeForm(this.#text);
    return this.#fields;
  }

  /** A field, before it is known whether there are too many. */
  get(name: string): string | undefined {
    try {
      return this.fields.get(name);
    } catch {
      return decodeForm(this.#text, { fieldsMax: Infinity }).get(name);
    }
  }
}
