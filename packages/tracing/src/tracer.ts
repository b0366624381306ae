/** What the rest of the code sees of tracing. Nothing here loads the SDK. */

export type SpanAttributes = Readonly<Record<string, string | number>>;

export type ChildOptions = {
  readonly kind?: 'client' | 'internal';
  readonly attributes?: SpanAttributes;
  /** Spans of other traces that the same work is for. */
  readonly links?: readonly Span[];
};

/** One piece of work of a trace. */
export type Span = {
  /** Undefined where the sampler left the trace out: nobody could look it up. */
  readonly traceId: string | undefined;
  /** The header that tells a service whose work its own is part of, also that it is not recorded. */
  readonly traceparent: string;
  /** Recorded, and not ended. */
  readonly isOpen: boolean;
  /** @returns undefined where this span is not recorded or has ended: work that goes on after a request belongs to nothing */
  readonly openChild: (name: string, options?: ChildOptions) => Span | undefined;
  readonly set: (attributes: SpanAttributes) => void;
  /**
   * Ends it; a second call does nothing.
   *
   * @param fault a kind of fault, never its message, which may hold what people wrote
   */
  readonly end: (fault?: string) => void;
  /** Runs work, and what it waits for, as work of this span. */
  readonly run: <Result>(work: () => Result) => Result;
};

export type ServerSpanOptions = {
  /** Whose work it is part of; undefined or malformed: a trace of its own. */
  readonly traceparent: string | undefined;
  readonly attributes: SpanAttributes;
};

export type Tracer = {
  readonly openServerSpan: (name: string, options: ServerSpanOptions) => Span;
  /** The span that the code runs as work of. */
  readonly findSpan: () => Span | undefined;
  /** Runs work as that of a span, or as nobody's, whoever happens to start it. */
  readonly runAsWorkOf: <Result>(span: Span | undefined, work: () => Result) => Result;
};
