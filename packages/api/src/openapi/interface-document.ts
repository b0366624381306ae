import { endpoints } from '../endpoints.ts';
import { withExamples } from './document-examples.ts';
import { openApiDocument } from './openapi.ts';

/** The beginning of the reference, in Markdown, for a first call of this server. */
const introduction = `\
Everything a client of Parley does goes through this interface: JSON over HTTP, below \`/api/v1\`.

## Signing in

Send HTTP Basic authentication with every request: your email address as the user name, your API key as the password. Programs get the key
of a person in exchange for the password by \`POST /api/v1/fetch_api_key\`; the keys of your bots are in \`GET /api/v1/bots\`. A few operations
need no key, and say so.

\`\`\`sh
curl -u you@example.com:YOUR_KEY https://chat.example.com/api/v1/users/me
\`\`\`

A page of the server itself signs in with \`POST /api/v1/sessions\` instead, which sets a cookie. A request by the cookie that does not come from
such a page is 403 (\`components/responses/OtherOrigin\`), whatever it asks for.

## Requests

Parameters of \`GET\` go into the query, those of the other methods into a body of type \`application/x-www-form-urlencoded\`. A parameter that is a list or an object is written as JSON: \`event_types=["message"]\`.

## Answers

Every answer is a JSON object with \`result\`, which is \`success\` or \`error\`, and \`msg\`, which is empty on success. An error has a status of
400 or above, and nearly always a \`code\` for programs; \`msg\` is for people.

Two errors are worth waiting for. 429 says that you sent too many requests, 503 that a part of the server is away for a moment; both say in
\`Retry-After\` after how many seconds to try again. Give \`POST /api/v1/messages\` a header \`Idempotency-Key\` of your own, and a message that
you send again with the same key is stored once.

After a 503 the request may be sent again: nothing was changed, or doing it twice does no harm. 504 with the code \`OUTCOME_UNKNOWN\` says that a part of the server was
lost while it made a change, or had a fault after that: look whether it was made before you send it again.

## Following what happens

\`POST /api/v1/register\` makes an event queue and answers with the state of the organization at that moment. \`GET /api/v1/events\` then waits
until something happens and answers with it; ask again with the id of the last event that you have. Nothing is lost between the two, and an
event that you have not acknowledged so is delivered again. \`GET /api/v1/events/stream\` gives the same as Server-Sent Events.

## What holds for every path

Every path answers \`OPTIONS\` with 204 and its methods in \`Allow\`. Every path that has \`GET\` answers \`HEAD\` with the headers of \`GET\`. Answers of JSON
above 8 KiB are compressed with gzip for whoever says in \`Accept-Encoding\` that he takes it, but those in which an API key stands. An
unknown path is 404 (\`components/responses/NotFound\`), and a method that a path does not have is 405
(\`components/responses/MethodNotAllowed\`). What cannot be read as a request is 400, 408, 417 or 431 wherever it goes
(\`components/responses/Unreadable\`). A \`POST\` whose form has a parameter \`method\` counts as that method. Paths marked
\`x-parley-any-method\` take every method as \`POST\`, and those marked \`x-parley-prefix\` everything below them too.
`;

/**
 * Makes the OpenAPI document of the whole interface, with examples and recorded answers: a megabyte of JSON.
 *
 * @param version of the server
 */
export function interfaceDocument(version: string): Readonly<Record<string, unknown>> {
  const described = openApiDocument(endpoints, {
    title: 'Parley',
    version,
    description: introduction,
  });
  return {
    ...withExamples(described, endpoints),
    // The site that the document was read from, whatever its address is.
    servers: [{ url: '/', description: 'The server that this document comes from' }],
  };
}
