/** A stream by its id, or by its name as sent. */
export type StreamReference = { readonly streamId: number } | { readonly name: string };
