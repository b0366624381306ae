import type { ServiceName } from '@parley/api';
import type { EndpointNameOf } from '@parley/api/endpoints';

import type { Implementation } from './implement.ts';

/** What no list of handlers has: its member says to whoever forgot a handler, or lists one too many, which endpoint it is about. */
type Fault<What extends string, Names> = [Names] extends [never]
  ? unknown
  : { readonly [Key in What]: Names };

type NameIn<Handlers extends readonly Implementation<never>[]> =
  Handlers[number]['endpoint']['name'];

/**
 * The handlers of a service, which do not compile unless each endpoint that is declared for it has one, and no other.
 *
 * @param _service is there for the compiler
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
