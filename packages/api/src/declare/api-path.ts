/** Everything under it is the interface of the contract. */
export const apiPathPrefix = '/api/v1';
