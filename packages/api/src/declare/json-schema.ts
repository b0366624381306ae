/** The part of JSON Schema that declarations use. */

type JsonTypeName = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';

export type JsonSchema = {
  /**
   * The OpenAPI document contains a named schema once, under `components/schemas`, and refers to it elsewhere. Each name belongs to one
   * schema.
   */
  readonly name?: string;
  readonly type?: JsonTypeName | readonly JsonTypeName[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean | null;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  /** The items of a list of fixed length; `minItems` and `maxItems` are the length. */
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The mark of TypeBox on its schemas; not part of the JSON. */
  readonly '~kind'?: unknown;
  readonly '~unsafe'?: unknown;
  readonly '~optional'?: unknown;
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
  /** The required member that distinguishes the branches of `oneOf`: a constant or an enumeration in each. */
  readonly discriminator?: { readonly propertyName: string };
  readonly nullable?: boolean;
  readonly description?: string;
  readonly default?: unknown;
  /**
   * The text after the parameter's name when this node fails, instead of the ordinary one, for example
   * `is not a string or integer` (reference facts, people 2.4).
   */
  readonly refusal?: string;
  /** The string must contain something other than white space (`{v} cannot be blank.`). */
  readonly notBlank?: boolean;
};
