/**
 * The table of all operations.
 */
import type { Operation } from "./Operation.ts"

export const operations: ReadonlyArray<Operation> = []
