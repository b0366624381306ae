import type { ServiceName } from '@parley/api';
import type { EndpointNameOf } from '@parley/api/endpoints';

import type { Implementation } from './implement.ts';

/** A type that no list of handlers has: its member names the endpoint whose handler is missing or superfluous. */
type Fault<What extends string, Names> = [Names] extends [never]
  ? unknown
  : { readonly [Key in What]: Names };

type NameIn<Handlers extends readonly Implementation<never>[]> =
  Handlers[number]['endpoint']['name'];

/**
 * Returns the handlers of a service. It does not compile unless they are exactly those of the endpoints declared for the service.
 *
 * @param _service only for the compiler
 */
export function everyHandlerOf<
  Service extends ServiceName,
  const Handlers extends readonly Implementation<never>[],
>(
  _service: Service,
  handlers: Handlers &
    Fault<'an endpoint without a handler', Exclude<EndpointNameOf<Service>, NameIn<Handlers>>> &
    Fault<'a handler of no endpoint here', Exclude<NameIn<Handlers>, EndpointNameOf<Service>>>,
): Handlers {
  return handlers;
}
