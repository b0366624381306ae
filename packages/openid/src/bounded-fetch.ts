import { ProviderUnavailable } from './provider-faults.ts';

/** Descriptions and keys of providers have a few kilobytes. */
const answerMaxBytes = 1024 * 1024;

async function readBounded(answer: Response): Promise<Blob> {
  const parts: BlobPart[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.byteLength;
    if (bytes > answerMaxBytes) throw new ProviderUnavailable('an answer is too large');
    parts.push(part);
  }
  return new Blob(parts);
}

/**
 * Sends a request to a provider, whose address the operator chose, and reads its whole answer. No redirect is followed.
 *
 * @param options.signal bounds the time of both
 * @throws ProviderUnavailable if there is no answer, or one that is too large or says that the server has a fault
 */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const { host } = new URL(url);
  try {
    const answer = await fetch(url, { ...options, redirect: 'manual' });
    if (answer.status >= 500) {
      await answer.body?.cancel();
      throw new ProviderUnavailable(`it answered ${answer.status}`);
    }
    const hasBody = ![204, 205, 304].includes(answer.status);
    const body = await readBounded(answer);
    return new Response(hasBody ? body : null, { status: answer.status, headers: answer.headers });
  } catch (error) {
    throw new ProviderUnavailable(`${host} gave no answer`, { cause: error });
  }
}
