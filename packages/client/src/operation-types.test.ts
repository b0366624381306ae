/** Properties of the types. The compiler checks these tests, not their run. */
import { describe, expectTypeOf, test } from 'vitest';

import type { FollowedEvent } from './event-stream.ts';
import type {
  AnswerOf,
  OperationName,
  ParametersOf,
  RefusalCode,
  RefusalOf,
  RefusalWith,
} from './operation-types.ts';
import type { RequestArguments } from './request-options.ts';

describe('operations', () => {
  test('are those of the interface', () => {
    expectTypeOf<'POST /messages'>().toExtend<OperationName>();
    expectTypeOf<'GET /messages/{message_id}'>().toExtend<OperationName>();
    expectTypeOf<'GET /no/such/path'>().not.toExtend<OperationName>();
    expectTypeOf<'GET /mark_all_as_read'>().not.toExtend<OperationName>();
  });

  test('have only their own parameters', () => {
    type Send = ParametersOf<'POST /messages'>;
    expectTypeOf<Send>().toHaveProperty('content').toEqualTypeOf<string>();
    expectTypeOf<Send>().not.toHaveProperty('text');
    expectTypeOf<{ type: string }>().not.toExtend<Send>();
    expectTypeOf<{ type: string; content: number }>().not.toExtend<Send>();
    expectTypeOf<ParametersOf<'POST /register'>['event_types']>().toEqualTypeOf<
      readonly string[] | undefined
    >();
  });

  test('take the files and JSON bodies that are declared', () => {
    expectTypeOf<ParametersOf<'POST /user_uploads'>['file']>().toEqualTypeOf<Blob>();
    expectTypeOf<ParametersOf<'POST /realm/icon'>['file']>().toEqualTypeOf<Blob>();
    expectTypeOf<ParametersOf<'POST /bots'>['file']>().toEqualTypeOf<Blob | undefined>();
    expectTypeOf<ParametersOf<'POST /realm/domains'>>().not.toHaveProperty('file');
    expectTypeOf<ParametersOf<'POST /external/helloworld'>['body']>().toEqualTypeOf<{
      readonly featured_title: string;
      readonly featured_url: string;
    }>();
    expectTypeOf<ParametersOf<'POST /external/travis'>>().not.toHaveProperty('body');
  });

  test('accept the type that a client sends, not the one that a handler gets', () => {
    expectTypeOf<ParametersOf<'POST /messages'>['to']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<ParametersOf<'GET /messages'>['anchor']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<ParametersOf<'GET /messages/{message_id}'>>().toEqualTypeOf<{
      readonly message_id: number;
    }>();
  });

  test('may be called without parameters if none is required', () => {
    expectTypeOf<[]>().toExtend<RequestArguments<'GET /users/me'>>();
    expectTypeOf<[]>().toExtend<RequestArguments<'POST /register'>>();
    expectTypeOf<[]>().not.toExtend<RequestArguments<'POST /messages'>>();
  });

  test('have only the keys of their answers', () => {
    type Me = AnswerOf<'GET /users/me'>;
    expectTypeOf<Me['user_id']>().toEqualTypeOf<number>();
    expectTypeOf<Me>().not.toHaveProperty('id');
    type State = AnswerOf<'POST /register'>;
    expectTypeOf<State['queue_id']>().toEqualTypeOf<string>();
    expectTypeOf<State['max_message_id']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<AnswerOf<'GET /thumbnail'>>().toEqualTypeOf<Response>();
  });
});

describe('refusals', () => {
  test('are distinguished by their codes, and have their keys', () => {
    type Refusal = RefusalOf<'POST /messages'>;
    type Code = Refusal['code'];
    expectTypeOf<'STREAM_DOES_NOT_EXIST'>().toExtend<Code>();
    expectTypeOf<'BAD_EVENT_QUEUE_ID'>().not.toExtend<Code>();
    type Reused = Extract<Refusal, { readonly code?: 'IDEMPOTENCY_KEY_REUSED' }>;
    expectTypeOf<Reused>().toHaveProperty('msg');
    type Gone = RefusalWith<'BAD_EVENT_QUEUE_ID'>;
    expectTypeOf<Gone['queue_id']>().toEqualTypeOf<string>();
    expectTypeOf<Gone>().not.toHaveProperty('stream');
  });

  test('have their declared members', () => {
    type Last = RefusalWith<'CANNOT_DEACTIVATE_LAST_USER'>;
    expectTypeOf<Last['is_last_admin']>().toEqualTypeOf<boolean>();
    expectTypeOf<Last['entity']>().toEqualTypeOf<'organization administrator' | 'user'>();
    type Unknown = RefusalWith<'STREAM_DOES_NOT_EXIST'>;
    expectTypeOf<Extract<Unknown, { stream_id: number }>>().not.toHaveProperty('stream');
    type Pattern = Extract<RefusalOf<'POST /realm/filters'>, { errors: unknown }>;
    expectTypeOf<Pattern['errors']>().toEqualTypeOf<Record<string, string[]>>();
    expectTypeOf<Extract<RefusalOf<'GET /users/me'>, { errors: unknown }>>().toBeNever();
  });

  test('have only codes that an operation returns', () => {
    expectTypeOf<'BAD_NARROW'>().toExtend<RefusalCode>();
    expectTypeOf<'NO_SUCH_CODE'>().not.toExtend<RefusalCode>();
  });
});

describe('events', () => {
  test('are distinguished by their types, and exclude heartbeats', () => {
    type Type = FollowedEvent['type'];
    expectTypeOf<'message'>().toExtend<Type>();
    expectTypeOf<'registered'>().toExtend<Type>();
    expectTypeOf<'heartbeat'>().not.toExtend<Type>();
    expectTypeOf<'no_such_type'>().not.toExtend<Type>();
    type Message = Extract<FollowedEvent, { readonly type: 'message' }>;
    expectTypeOf<Message['message']['id']>().toEqualTypeOf<number>();
    expectTypeOf<Message>().not.toHaveProperty('op');
  });
});
