import { testDelivery } from '../support/delivery-test.ts';

testDelivery(2_000, { ownProcesses: true });
