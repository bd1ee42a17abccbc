/**
 * Checks the argument of `defineBlobStore`.
 */
import { InvalidRequest } from "../../../Errors.ts"
import type { BlobStoreDefinition } from "../../BlobStoreDefinition.ts"
import * as Is from "../../../inputs/OptionChecks.ts"

const operation = Is.when((value) => typeof value === "function", "must be a function")

const checks = {
  name: Is.text,
  shared: Is.boolean,
  put: operation,
  read: operation,
  stat: operation,
  remove: operation,
  list: operation,
  check: operation,
  close: operation
} satisfies { readonly [Name in keyof Required<BlobStoreDefinition>]: Is.Check }

const check = Is.record(checks, {
  name: "the name of the store, for logs",
  put: "a function that writes a blob",
  read: "a function that opens a blob",
  stat: "a function that returns the size of a blob",
  remove: "a function that removes a blob",
  list: "a function that lists blobs"
})

/** Throws `InvalidRequest` with every fault of a definition. */
export const checkBlobStore = (definition: unknown): void => {
  const faults = check(definition, "")
  if (faults.length > 0) throw InvalidRequest.of(faults, { subject: "The definition of the blob store is not valid" })
}
