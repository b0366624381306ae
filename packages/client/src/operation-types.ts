/** The types of an operation's parameters, answer and refusals, by its name: method and path as the documentation has them. */
import type { Operations, Schemas } from './api-types.ts';

/** For example `POST /messages`. */
export type OperationName = keyof Operations;

export type ParametersOf<Name extends OperationName> = Operations[Name]['parameters'];

export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];

// A refusal without a code gets the key, so that a union of refusals is told apart by it.
type WithCode<Refusal> = Refusal extends { readonly code?: unknown }
  ? Refusal
  : Refusal & { readonly code?: never };

/** What an operation may answer instead: `result` is `error`; the `code` tells them apart, and with it the further keys. */
export type RefusalOf<Name extends OperationName> = WithCode<Operations[Name]['refusal']>;

export type AnyRefusal = RefusalOf<OperationName>;

/** Every code that any operation is refused with. */
export type RefusalCode = Extract<AnyRefusal['code'], string>;

type HasCode<Refusal, Code> = Refusal extends { readonly code?: infer Own }
  ? Code extends Own
    ? Refusal & { readonly code: Code }
    : never
  : never;

/** The refusals with this code, with the keys that go with it. */
export type RefusalWith<Code extends RefusalCode> = HasCode<AnyRefusal, Code>;

/** An event as the server tells it; `type` tells them apart. */
export type ServerEvent = AnswerOf<'GET /events'>['events'][number];

/** A named object of the interface, for example `Schema<'Error'>`. */
export type Schema<Name extends keyof Schemas> = Schemas[Name];
