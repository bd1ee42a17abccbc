/**
 * Finds the operation of a request, and refuses one that asks for more than any operation does.
 */
import * as Effect from "effect/Effect"
import type { Address } from "./Address.ts"
import type { Operation } from "./Operation.ts"
import { S3Error } from "./S3Error.ts"
import * as Unsupported from "./Unsupported.ts"

/**
 * The parameters that name a part of a bucket or an object. A request with one that no operation has is refused: an answer about
 * the bucket itself would not be what the client asked for.
 */
const subresources: ReadonlySet<string> = new Set(
  (
    "accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle " +
    "list-type location logging metadataConfiguration metadataTable metrics notification object-lock ownershipControls " +
    "partNumber policy policyStatus publicAccessBlock renameObject replication requestPayment restore retention select " +
    "session tagging torrent uploadId uploads versioning versions website"
  ).split(" ")
)

/** Parameters that change an operation without naming another one. */
const options: Readonly<Record<string, string>> = { partNumber: "GET HEAD" }

interface Incoming extends Pick<Address, "bucket" | "key" | "query"> {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

const targetOf = ({ bucket, key }: Incoming): Operation["target"] =>
  bucket === "" ? "service" : key === "" ? "bucket" : "object"

const matches = ({ header, query = {} }: Operation, incoming: Incoming, named: ReadonlyArray<string>): boolean =>
  (header === undefined || incoming.headers[header] !== undefined) &&
  named.every((name) => query[name] !== undefined) &&
  Object.entries(query).every(([name, value]) =>
    value === true ? incoming.query.has(name) : incoming.query.get(name) === value
  )

/** Makes the function that finds the operation of a request among these. */
export const make = <Entry extends { readonly operation: Operation }>(entries: ReadonlyArray<Entry>) => {
  const specificity = ({ operation: { header, query = {} } }: Entry): number =>
    Object.keys(query).length * 2 + (header === undefined ? 0 : 1)
  const sorted = entries.toSorted((one, other) => specificity(other) - specificity(one))

  return (incoming: Incoming): Effect.Effect<Entry, S3Error> => {
    const target = targetOf(incoming)
    const refusal =
      Unsupported.findHeader(incoming.headers) ??
      (target === "object" ? Unsupported.findVersion(incoming.query.get("versionId")) : undefined)
    if (refusal !== undefined) return Effect.fail(refusal)
    const named = [...incoming.query.keys()].filter(
      (name) => subresources.has(name) && !(options[name]?.includes(incoming.method) ?? false)
    )
    const found = sorted.find(
      ({ operation }) =>
        operation.target === target && operation.method === incoming.method && matches(operation, incoming, named)
    )
    if (found !== undefined) return Effect.succeed(found)
    const isMethod = ["GET", "HEAD", "PUT", "POST", "DELETE"].includes(incoming.method)
    return Effect.fail(S3Error.of(named.length > 0 && isMethod ? "NotImplemented" : "MethodNotAllowed"))
  }
}
