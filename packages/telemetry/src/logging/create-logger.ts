import { systemClock } from '@parley/clock';
import { pino, stdSerializers } from 'pino';
import type { DestinationStream, Logger } from 'pino';

import { redactAddress, redactFields } from './redaction.ts';

/**
 * Standard output for log lines. The lines of one turn of the event loop are written together at its end, because a busy process logs a
 * line per request and each write is a system call. A process that ends writes what it has; a killed one loses at most the lines of its
 * last turn.
 */
class GatheredLines implements DestinationStream {
  static #ofProcess: GatheredLines | undefined;

  readonly #output = pino.destination({ fd: 1, sync: true });
  #lines = '';

  /** @returns the destination of this process. All its loggers share standard output and one listener for the end */
  static ofProcess(): GatheredLines {
    GatheredLines.#ofProcess ??= new GatheredLines();
    return GatheredLines.#ofProcess;
  }

  private constructor() {
    process.once('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#lines === '') setImmediate(() => this.flushSync());
    this.#lines += line;
  }

  /** The library calls this after a line that says why the process ends. */
  flushSync(): void {
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#output.write(lines);
  }
}

export type { Logger } from 'pino';

export type LoggerOptions = {
  readonly service: string;
  readonly nodeId: string;
  /** The least level that is logged. */
  readonly level: string;
  /** The trace that the logging code works for; absent if nothing is traced. */
  readonly findTraceId?: () => string | undefined;
};

/**
 * The root logger of a process: pino JSON lines with service and node id. Messages are constant texts. Values go into fields, whose secrets
 * are redacted.
 *
 * @param destination for lines; standard output if absent
 */
export function createLogger(options: LoggerOptions, destination?: DestinationStream): Logger {
  const { service, nodeId, level, findTraceId } = options;
  return pino(
    {
      level,
      base: { service, node_id: nodeId },
      ...(findTraceId === undefined ? {} : { mixin: () => traceFields(findTraceId()) }),
      // By the time of the machine, by which lines of several machines are compared.
      timestamp: () => `,"time":"${new Date(systemClock.nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      serializers: {
        err: serializeError,
        error: serializeError,
        url: serializeAddress,
      },
    },
    destination ?? GatheredLines.ofProcess(),
  );
}

function traceFields(traceId: string | undefined): { readonly trace_id?: string } {
  return traceId === undefined ? {} : { trace_id: traceId };
}

function serializeError(error: Error): unknown {
  return redactFields(plainMembers(stdSerializers.errWithCause(error)));
}

/** Without the objects that libraries hang on errors, such as a whole connection with its statements and keys. */
function plainMembers(serialized: object): Record<string, unknown> {
  return Object.fromEntries(
    (Object.entries(serialized) as [string, unknown][]).flatMap(([name, member]) => {
      if (name === 'aggregateErrors') return [[name, (member as object[]).map(plainMembers)]];
      if (typeof member !== 'object' || member === null) return [[name, member]];
      // Another error, such as its cause.
      return 'stack' in member ? [[name, plainMembers(member)]] : [];
    }),
  );
}

function serializeAddress(value: unknown): unknown {
  return typeof value === 'string' ? redactAddress(value) : value;
}

/** A logger for one subject of a service, such as `events:feed`. */
export function subjectLogger(log: Logger, subject: string): Logger {
  return log.child({ subject });
}

/** A logger whose lines carry the id of the request they belong to. */
export function requestLogger(log: Logger, requestId: string): Logger {
  return log.child({ request_id: requestId });
}
