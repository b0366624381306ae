/**
 * The part of JSON Schema that declarations use, and the TypeScript type of the values it admits.
 */

export type JsonTypeName =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'array'
  | 'object'
  | 'null';

export type JsonSchema = {
  /**
   * The OpenAPI document holds what has a name once, under `components/schemas`, and refers to it elsewhere. One name belongs to one
   * schema.
   */
  readonly name?: string;
  readonly type?: JsonTypeName | readonly JsonTypeName[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean | null;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  /** The items of a list of fixed length; `minItems` and `maxItems` say the length. */
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Counted in code points. */
  readonly minLength?: number;
  /** Counted in code points. */
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: 'date' | 'url' | 'hex-color';
  readonly anyOf?: readonly JsonSchema[];
  /** Only with `discriminator`. */
  readonly oneOf?: readonly JsonSchema[];
  /** The required member, a constant or an enumeration in each branch of `oneOf`, that tells the branches apart. */
  readonly discriminator?: { readonly propertyName: string };
  readonly nullable?: boolean;
  readonly description?: string;
  readonly default?: unknown;
  /**
   * The text after the parameter's name when this node fails, instead of the ordinary one, for example
   * `is not a string or integer` (reference facts, people 2.4).
   */
  readonly refusal?: string;
  /** The string must hold something beside white space (`{v} cannot be blank.`). */
  readonly notBlank?: boolean;
};

type FromTypeName<Name, S> = Name extends 'string'
  ? string
  : Name extends 'integer' | 'number'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? S extends { readonly items: infer Item }
            ? FromSchema<Item>[]
            : unknown[]
          : Name extends 'object'
            ? FromObject<S>
            : unknown;

type RequiredKeys<S> = S extends { readonly required: readonly (infer Key)[] } ? Key : never;

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? {
      [K in keyof Properties as K extends RequiredKeys<S> ? K : never]: FromSchema<Properties[K]>;
    } & {
      [K in keyof Properties as K extends RequiredKeys<S> ? never : K]?: FromSchema<Properties[K]>;
    }
  : S extends { readonly additionalProperties: infer Member }
    ? Member extends object
      ? Record<string, FromSchema<Member>>
      : Record<string, unknown>
    : Record<string, unknown>;

/** The type of the values that a schema (written as a literal) admits. */
export type FromSchema<S> = S extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly anyOf: readonly (infer Branch)[] }
      ? Branch extends unknown
        ? FromSchema<Branch>
        : never
      : S extends { readonly type: readonly (infer Name)[] }
        ? Name extends unknown
          ? FromTypeName<Name, S>
          : never
        : S extends { readonly type: infer Name }
          ? FromTypeName<Name, S>
          : unknown;
