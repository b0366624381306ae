import { Type } from 'typebox';
import type {
  TArray,
  TBoolean,
  TInteger,
  TNumber,
  TObject,
  TOptional,
  TProperties,
  TSchema,
  TString,
  TUnsafe,
} from 'typebox';

/**
 * The building blocks of declared values: each expression is a JSON Schema and the static type of its values (`Value<typeof schema>`).
 * `JsonSchema` explains the words `name`, `refusal`, `notBlank` and `discriminator`.
 */

/** The object for a client or handler, as one type. */
type ObjectOf<Members extends TProperties> = keyof Members extends never
  ? object
  : Whole<
      {
        [Name in keyof Members as Members[Name] extends TOptional ? never : Name]: Static<
          Members[Name]
        >;
      } & {
        [Name in keyof Members as Members[Name] extends TOptional ? Name : never]?: Static<
          Members[Name]
        >;
      }
    >;

/** An intersection as one object, for editors and messages of the compiler. */
export type Whole<Parts> = Parts extends infer All ? { [Key in keyof All]: All[Key] } : never;

/**
 * A value that a schema admits. TypeBox also has a type for it, which supports all of JSON Schema: with it the compiler instantiates four
 * times as many types. This one supports the kinds that are declared here.
 */
export type Static<Schema extends TSchema> =
  Schema extends TUnsafe<infer Given>
    ? Given
    : Schema extends TObject<infer Members>
      ? ObjectOf<Members>
      : Schema extends TArray<infer Item>
        ? Static<Item>[]
        : Schema extends TString
          ? string
          : Schema extends TInteger | TNumber
            ? number
            : Schema extends TBoolean
              ? boolean
              : unknown;

/** A value of a declared schema, as the server makes it; it is never changed. */
export type Value<Schema extends TSchema> = Immutable<Static<Schema>>;

/**
 * The type with every member and item read-only, at any depth. A type that may be anything stays unchanged, because its mapped type could
 * not be null.
 */
export type Immutable<Given> = unknown extends Given
  ? Given
  : { readonly [Key in keyof Given]: Immutable<Given[Key]> };

export const text = Type.String();
export const integer = Type.Integer();
export const float = Type.Number();
export const boolean = Type.Boolean();
export const texts = Type.Array(text);
export const integers = Type.Array(integer);
/** Any JSON value. */
export const anything = Type.Unsafe<unknown>({});
export const textOrNull = nullable(text);
export const integerOrNull = nullable(integer);
export const booleanOrNull = nullable(boolean);

/** Seconds since 1970. */
export const timestamp = Type.Integer({ description: 'Seconds since 1970' });

export const avatarUrl = described(
  textOrNull,
  'null where the client makes the Gravatar URL itself',
);

/** @throws TypeError for a named schema, because the OpenAPI document has it once and refers to it elsewhere */
function changed<Schema extends TSchema>(schema: Schema, change: object): Schema {
  if ('name' in schema)
    throw new TypeError(
      `described() or nullable() would make another schema named ${String(schema['name'])}, with ${JSON.stringify(change)}: declare this where the schema gets its name, or in what contains it`,
    );
  return { ...schema, ...change };
}

/** The same schema, which has no name, with another description. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return changed(schema, { description });
}

/** A value of a simple type without a name, or null. */
export function nullable<Schema extends TSchema & { readonly type: string }>(
  schema: Schema,
): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>(changed(schema, { type: [schema.type, 'null'] }));
}

/** One of these texts. */
export function oneOfTexts<const Texts extends readonly string[]>(
  values: Texts,
  options: { readonly description?: string } = {},
): TUnsafe<Texts[number]> {
  return Type.Unsafe<Texts[number]>({ ...options, type: 'string', enum: values });
}

/** One of these integers. */
export function oneOfIntegers<const Integers extends readonly number[]>(
  values: Integers,
  options: { readonly description?: string } = {},
): TUnsafe<Integers[number]> {
  return Type.Unsafe<Integers[number]>({ ...options, type: 'integer', enum: values });
}

/** Exactly this value. */
export function constant<const Given extends string | number | boolean>(
  value: Given,
): TUnsafe<Given> {
  return Type.Unsafe<Given>({ const: value });
}

export function listOf<Item extends TSchema>(item: Item): TArray<Item> {
  return Type.Array(item);
}

type ItemsOf<Items extends readonly TSchema[]> = {
  -readonly [Index in keyof Items]: Items[Index] extends TSchema ? Static<Items[Index]> : never;
};

/** A list of fixed length. */
export function tuple<const Items extends readonly TSchema[]>(
  ...prefixItems: Items
): TUnsafe<ItemsOf<Items>> {
  const { length } = prefixItems;
  return Type.Unsafe<ItemsOf<Items>>({
    type: 'array',
    prefixItems,
    minItems: length,
    maxItems: length,
  });
}

/** An object whose member names are data. */
export function mapOf<Member extends TSchema>(
  member: Member,
  description?: string,
): TUnsafe<Record<string, Static<Member>>> {
  return Type.Unsafe<Record<string, Static<Member>>>({
    type: 'object',
    additionalProperties: member,
    ...(description !== undefined && { description }),
  });
}

/** The same, or null. */
export function mapOrNullOf<Member extends TSchema>(
  member: Member,
): TUnsafe<Record<string, Static<Member>> | null> {
  return Type.Unsafe<Record<string, Static<Member>> | null>({
    type: ['object', 'null'],
    additionalProperties: member,
  });
}

/** Optional members of an object. */
export type Optional<Members extends TProperties> = {
  [Name in keyof Members]: TOptional<Members[Name]>;
};

/** @returns the same members as optional ones */
export function optional<Members extends TProperties>(members: Members): Optional<Members> {
  const marked = Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(marked) as Optional<Members>;
}

/** The same schema for several members. */
export function each<const Name extends string, Schema extends TSchema>(
  names: readonly Name[],
  schema: Schema,
): Record<Name, Schema> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
}

/**
 * An object with exactly these members; `...optional({…})` are optional ones.
 *
 * @param about its name and description in the OpenAPI document
 */
export function object<Members extends TProperties>(
  members: Members,
  about: { readonly name?: string; readonly description?: string } = {},
): TObject<Members> {
  return Type.Object(members, { ...about, additionalProperties: false });
}

/**
 * One of several objects, distinguished by one member, which is a constant or an enumeration in each.
 *
 * @param about its name in the OpenAPI document, and common members that a reader may look for
 */
export function union<const Branches extends readonly TSchema[]>(
  discriminator: string,
  branches: Branches,
  about: {
    readonly name?: string;
    readonly description?: string;
    readonly properties?: TProperties;
    readonly required?: readonly string[];
  } = {},
): TUnsafe<Static<Branches[number]>> {
  return Type.Unsafe<Static<Branches[number]>>({
    ...about,
    type: 'object',
    discriminator: { propertyName: discriminator },
    oneOf: branches,
  });
}

/** A value that one of several schemas admits. */
export function anyOf<const Branches extends readonly TSchema[]>(
  branches: Branches,
  options: { readonly description?: string; readonly refusal?: string } = {},
): TUnsafe<Static<Branches[number]>> {
  return Type.Unsafe<Static<Branches[number]>>({ ...options, anyOf: branches });
}
