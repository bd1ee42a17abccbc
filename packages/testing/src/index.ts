/**
 * What the tests of an application need: a Holdfast in memory. It needs no test runner and no knowledge of Effect; the contract suites
 * are in modules of their own.
 */
export { type FakeHoldfast, fakeHoldfast, type StoreFailure } from "./FakeHoldfast.ts"
export { inMemory } from "./InMemory.ts"
export { memory } from "./Memory.ts"
