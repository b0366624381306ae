/** The interface of tracing for the rest of the code. It does not load the SDK. */
import type { Clock } from '@parley/clock';

export type TracesOptions = {
  /** The process's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly service: string;
  readonly nodeId: string;
  readonly version: string;
  /** Called with the number of spans that the collector did not take. */
  readonly onLost: (spans: number) => void;
};

export type SpanAttributes = Readonly<Record<string, string | number>>;

export type ChildOptions = {
  readonly kind?: 'client' | 'internal';
  readonly attributes?: SpanAttributes;
  /** Spans of other traces that the same work serves. */
  readonly links?: readonly Span[];
};

/** One piece of work of a trace. */
export type Span = {
  /** Undefined if the sampler left out the trace, because nobody could look it up. */
  readonly traceId: string | undefined;
  /** The header that tells a service which span its work belongs to, and whether it is recorded. */
  readonly traceparent: string;
  /** Recorded, and not ended. */
  readonly isOpen: boolean;
  /** @returns undefined if this span is not recorded or has ended, because work that continues after a request belongs to no span */
  readonly openChild: (name: string, options?: ChildOptions) => Span | undefined;
  readonly set: (attributes: SpanAttributes) => void;
  /**
   * Ends it; a second call has no effect.
   *
   * @param fault a kind of fault, never its message, which may contain what people wrote
   */
  readonly end: (fault?: string) => void;
  /** Runs work, and everything that it awaits, as part of this span. */
  readonly run: <Result>(work: () => Result) => Result;
};

export type ServerSpanOptions = {
  /** The parent of the span; if undefined or malformed, a new trace begins. */
  readonly traceparent: string | undefined;
  readonly attributes: SpanAttributes;
};

export type Tracer = {
  readonly openServerSpan: (name: string, options: ServerSpanOptions) => Span;
  /** The span that the current code belongs to. */
  readonly findSpan: () => Span | undefined;
  /** Runs work as part of a span, or of none, whatever starts it. */
  readonly runAsWorkOf: <Result>(span: Span | undefined, work: () => Result) => Result;
};
