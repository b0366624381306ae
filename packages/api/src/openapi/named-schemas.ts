import { closedSchema } from './closed-schema.ts';
import type { JsonSchema } from '../declare/json-schema.ts';

export type Json = Readonly<Record<string, unknown>>;

const schemaPrefix = '#/components/schemas/';

/** Collects named schemas while the document is made, and replaces them by references. */
export class NamedSchemas {
  readonly #byName = new Map<string, { readonly text: string; readonly shown: Json }>();

  /** @returns the schema of a parameter or a member of one, in the form for the document */
  ofRequest(schema: JsonSchema): Json {
    return this.#shown(schema);
  }

  /** @returns the schema of a part of an answer: closed unless it says that it is open */
  ofAnswer(schema: JsonSchema): Json {
    return this.#shown(closedSchema(schema));
  }

  /** By name, in alphabetical order. */
  get components(): Json {
    const names = [...this.#byName.keys()].toSorted();
    return Object.fromEntries(names.map((name) => [name, this.#byName.get(name)?.shown]));
  }

  #shown(schema: JsonSchema): Json {
    const { name } = schema;
    if (name === undefined) return this.#withoutName(schema);
    const text = JSON.stringify(schema);
    const known = this.#byName.get(name);
    if (known === undefined) {
      this.#byName.set(name, { text, shown: {} });
      this.#byName.set(name, { text, shown: this.#withoutName(schema) });
    } else if (known.text !== text) throw new TypeError(`two schemas are named ${name}`);
    return { $ref: schemaPrefix + name };
  }

  #withoutName(schema: JsonSchema): Json {
    const {
      name: _name,
      // For the checks of parameters, not part of JSON Schema.
      refusal: _refusal,
      notBlank: _notBlank,
      ...shown
    } = schema;
    const { properties, additionalProperties, items, prefixItems, anyOf, oneOf } = schema;
    return {
      ...shown,
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([member, given]) => [member, this.#shown(given)]),
        ),
      }),
      ...(typeof additionalProperties === 'object' && {
        additionalProperties: this.#shown(additionalProperties),
      }),
      ...(items !== undefined && { items: this.#shown(items) }),
      ...(prefixItems !== undefined && {
        prefixItems: prefixItems.map((item) => this.#shown(item)),
      }),
      ...(anyOf !== undefined && { anyOf: anyOf.map((branch) => this.#shown(branch)) }),
      ...(oneOf !== undefined && { oneOf: oneOf.map((branch) => this.#shown(branch)) }),
    };
  }
}
