import { testDelivery } from '../support/delivery-test.ts';

// The slow suite sends two thousand.
testDelivery(120);
