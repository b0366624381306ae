/** Everything under it belongs to the interface of the contract. */
export const apiPathPrefix = '/api/v1';
