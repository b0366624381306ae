/** What a stream of events says beside its events (Server-Sent Events), whichever process ends it. */
import type { ApiError } from '../errors.ts';

/** How long a client waits before it reconnects after a broken connection. */
const reconnectMs = 1_000;

/** Clients whose streams end together reconnect spread over this time. */
const reconnectSpreadMs = 2_000;

/** The first line of a stream: when to reconnect if it breaks. */
export const firstLineText = `retry: ${reconnectMs}\n\n`;

/** @returns the last line of a stream that ends without a fault: when to reconnect, at another time than the others */
export function reconnectText(): string {
  return `retry: ${Math.round(reconnectMs + Math.random() * reconnectSpreadMs)}\n\n`;
}

/** @returns a refusal after the answer has begun: the last event of the stream, with the JSON of the refusal */
export function refusalEventText(refusal: ApiError): string {
  return `event: error\ndata: ${JSON.stringify(refusal.toBody())}\n\n`;
}
