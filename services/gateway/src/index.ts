export { startGateway } from './service.ts';
export { routes } from './route-table.ts';
