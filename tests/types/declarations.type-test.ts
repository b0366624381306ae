/**
 * What must not compile: a line that is marked as an error and is none is one for the compiler, and so for `npm run check`. Nothing here
 * is ever run.
 */
import { declareEndpoint, textParameter } from '@parley/api';
import type { Caller } from '@parley/api';
import { getPointerEndpoint, movePointerEndpoint } from '@parley/api/messages';
import {
  changeOwnStatusEndpoint,
  getRealmPresenceEndpoint,
  getUserPresenceEndpoint,
  reportPresenceEndpoint,
  sendTypingEndpoint,
} from '@parley/api/presence';
import { boolean, object } from '@parley/api/schema';
import { ownEventsEntry } from '@parley/event-log';
import { everyHandlerOf, implement } from '@parley/server';

type Context = { readonly pointer: number };

function takesText(text: string): void {
  throw new Error(text);
}

function takesCaller({ email }: Caller): void {
  throw new Error(email);
}

function takesNumber(number: number): void {
  throw new Error(String(number));
}

/** Declared, and in no list of endpoints. */
const unlistedEndpoint = declareEndpoint({
  name: 'try-something',
  method: 'POST',
  path: '/something',
  service: 'presence',
  tag: 'Server',
  summary: 'Try something',
  access: { authentication: 'none' },
  parameters: [textParameter('what', { description: 'It may be left out' })],
  success: object({ isDone: boolean }),
});

/** The members of an answer. */
export const answers = [
  implement(getPointerEndpoint, ({ pointer }: Context) => ({ pointer })),
  // @ts-expect-error -- misspelt
  implement(getPointerEndpoint, ({ pointer }: Context) => ({ pionter: pointer })),
  // @ts-expect-error -- one more than is declared
  implement(getPointerEndpoint, ({ pointer }: Context) => ({ pointer, pionter: pointer })),
  // @ts-expect-error -- of another type
  implement(getPointerEndpoint, ({ pointer }: Context) => ({ pointer: String(pointer) })),
  // @ts-expect-error -- missing
  implement(getPointerEndpoint, (_context: Context) => ({})),
];

/** The parameters of a request, and who calls. */
export const requests = [
  implement(movePointerEndpoint, (_context: Context, { parameters, caller }) => {
    takesCaller(caller);
    takesNumber(parameters.pointer);
    // @ts-expect-error -- it is a number
    takesText(parameters.pointer);
    // @ts-expect-error -- misspelt
    void parameters.pionter;
    return {};
  }),
  implement(unlistedEndpoint, (_context: Context, { parameters, caller }) => {
    // @ts-expect-error -- it may be undefined
    takesText(parameters.what);
    // @ts-expect-error -- nobody knows who calls
    takesCaller(caller);
    return { isDone: true };
  }),
];

/** An event that a writer appends. */
export const events = [
  ownEventsEntry(1, [{ type: 'pointer', pointer: 5 }]),
  // @ts-expect-error -- a misspelt member
  ownEventsEntry(1, [{ type: 'pointer', pionter: 5 }]),
  // @ts-expect-error -- a member more than is declared
  ownEventsEntry(1, [{ type: 'pointer', pointer: 5, pionter: 5 }]),
  // @ts-expect-error -- a member of another type
  ownEventsEntry(1, [{ type: 'pointer', pointer: '5' }]),
  // @ts-expect-error -- a type that is not declared
  ownEventsEntry(1, [{ type: 'pionter', pointer: 5 }]),
  // @ts-expect-error -- a member of another operation of its type
  ownEventsEntry(1, [{ type: 'realm_domains', op: 'remove', realm_domain: 'example.com' }]),
];

function unreached(_context: Context): never {
  throw new Error('This is not run');
}

const ownStatus = implement(changeOwnStatusEndpoint, unreached);
const ofRealm = implement(getRealmPresenceEndpoint, unreached);
const ofUser = implement(getUserPresenceEndpoint, unreached);
const report = implement(reportPresenceEndpoint, unreached);
const typing = implement(sendTypingEndpoint, unreached);
const ofAnotherService = implement(getPointerEndpoint, unreached);
const unlisted = implement(unlistedEndpoint, unreached);

const some = { ownStatusHandler: ownStatus, ofRealmHandler: ofRealm, ofUserHandler: ofUser };
const rest = { otherHandlers: [report, typing] };

/** The handlers of a service. */
export const handlers = [
  everyHandlerOf('presence', [some, rest]),
  // @ts-expect-error -- endpoints without a handler
  everyHandlerOf('presence', [some]),
  // @ts-expect-error -- a handler that is exported under another name
  everyHandlerOf('presence', [{ ...some, report }, { typingHandler: typing }]),
  // @ts-expect-error -- a handler of another service's endpoint
  everyHandlerOf('presence', [some, rest, { anotherHandler: ofAnotherService }]),
  // @ts-expect-error -- a handler of an endpoint that no list of endpoints has
  everyHandlerOf('presence', [some, rest, { unlistedHandler: unlisted }]),
  // @ts-expect-error -- a service that does not exist
  everyHandlerOf('absence', []),
];
