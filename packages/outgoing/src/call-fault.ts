/** The fault of a call: `timeout`, or a type with a text that the owner may read. */
export class CallFault extends Error {
  readonly type: string;

  constructor(type: string, text = '') {
    super(text);
    this.type = type;
  }
}

/** Codes of sockets and DNS that say that nobody was reached, or that the connection was lost. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'EAI_AGAIN',
]);

const timeoutCodes = new Set(['ETIMEDOUT', 'ETIMEOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT']);

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/**
 * Classifies the fault of a call (reference facts, people 18): timeouts and lost connections are repeated, all others are reported.
 */
export function faultOf(
  error: unknown,
):
  | { readonly kind: 'timeout' | 'connection' }
  | { readonly kind: 'fault'; readonly type: string; readonly text: string } {
  if (error instanceof CallFault) {
    if (error.type === 'timeout') return { kind: 'timeout' };
    return { kind: 'fault', type: error.type, text: error.message };
  }
  const code = codeOf(error);
  if (timeoutCodes.has(code)) return { kind: 'timeout' };
  if (connectionCodes.has(code)) return { kind: 'connection' };
  return { kind: 'fault', type: code, text: error instanceof Error ? error.message : '' };
}
