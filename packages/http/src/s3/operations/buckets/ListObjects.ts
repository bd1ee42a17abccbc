/**
 * Lists the objects of a bucket, in the order of their keys.
 */
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import type { KeyedContent } from "@holdfast/core/files/FileRepository"
import * as Time from "@holdfast/core/Time"
import * as Effect from "effect/Effect"
import type { Call } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as Xml from "../../xml/Xml.ts"
import * as BucketOf from "../BucketOf.ts"
import * as Count from "../Count.ts"
import * as EntityTag from "../EntityTag.ts"
import * as KeyPrefix from "../KeyPrefix.ts"
import * as Owner from "../Owner.ts"

/** The most entries of a page. */
const maxKeys = 1000

interface Parameters {
  /** As the client wrote it. */
  readonly prefix: string
  /** As stored keys have it. */
  readonly storedPrefix: string
  readonly delimiter: string | undefined
  readonly limit: number
  /** The value of `max-keys` for the answer. */
  readonly wanted: number
  /** Writes a key as the client has asked for it. */
  readonly write: (key: string) => string
  /** The same for a listed key and a listed prefix. */
  readonly writeListed: (key: string) => string
  readonly encoding: Xml.Element
}

const invalid = (name: string, fault: string) =>
  Effect.fail(S3Error.of("InvalidArgument", `The parameter ${name} ${fault}.`))

/** Most keys have no others. */
const unreserved = /^[\w.~/-]*$/

/** Encodes a key as `encoding-type=url` requires: as in a path, all but unreserved characters and slashes. */
const encodeKey = (key: string): string =>
  unreserved.test(key)
    ? key
    : encodeURIComponent(key)
        .replaceAll("%2F", "/")
        .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const parse = ({ query }: Call): Effect.Effect<Parameters, S3Error> => {
  const prefix = query.get("prefix") ?? ""
  const delimiter = query.get("delimiter")
  const encoding = query.get("encoding-type")
  const wanted = Count.parse(query.get("max-keys") ?? String(maxKeys))
  if (wanted === undefined) return invalid("max-keys", Count.fault)
  if (encoding !== undefined && encoding !== "" && encoding !== "url") return invalid("encoding-type", "must be url")
  if (prefix.includes("\0")) return invalid("prefix", "must not contain U+0000")
  if (delimiter !== undefined && /\0|^\u{10ffff}+$/u.test(delimiter))
    return invalid("delimiter", "must not be U+0000 nor U+10FFFF")
  const write = encoding === "url" ? encodeKey : (key: string) => key
  const { spell, stored } = KeyPrefix.of(prefix)
  return Effect.succeed({
    prefix,
    storedPrefix: stored,
    delimiter: delimiter === "" ? undefined : delimiter,
    limit: Math.min(wanted, maxKeys),
    wanted: Math.min(wanted, maxKeys),
    write,
    writeListed: (key: string) => write(spell(key)),
    encoding: ["EncodingType", encoding === "url" ? "url" : undefined]
  })
}

/**
 * Returns the element of each content, in the order of Amazon S3: `more` follows what all lists have. A page has a thousand.
 *
 * @param name `Contents`, or `Version`.
 */
const contentElements = (
  name: string,
  contents: ReadonlyArray<KeyedContent>,
  write: Parameters["write"],
  more: ReadonlyArray<Xml.Element>
): Xml.Markup => {
  const rest = Xml.markup([["StorageClass", "STANDARD"], ...more])
  const elements = contents.map(({ etag, key, size, storedAt }) => {
    const tag = EntityTag.of(etag).slice(1, -1)
    return `<${name}><Key>${Xml.escape(write(key))}</Key><LastModified>${Time.toIso(storedAt.epochMilliseconds)}</LastModified><ETag>&quot;${tag}&quot;</ETag><Size>${size}</Size>${rest}</${name}>`
  })
  return { markup: elements.join("") }
}

const prefixElements = (prefixes: ReadonlyArray<string>, write: Parameters["write"]): ReadonlyArray<Xml.Element> =>
  prefixes.map((prefix) => ["CommonPrefixes", [["Prefix", write(prefix)]]])

/** Makes the function that reads a page of the bucket of a call. */
const makeRead = Effect.gen(function* () {
  const findBucket = yield* BucketOf.make
  const keys = yield* FilesByKey
  return Effect.fnUntraced(function* (call: Call, parameters: Parameters, given: string | undefined) {
    const { limit, storedPrefix: prefix } = parameters
    const [after, delimiter] = [given?.normalize("NFC"), parameters.delimiter?.normalize("NFC")]
    const bucket = yield* findBucket(call)
    if (limit === 0) {
      yield* keys.list(call.actor, bucket, { prefix, limit: 1 })
      return { contents: [], prefixes: [], next: null }
    }
    return yield* keys.list(call.actor, bucket, { prefix, delimiter, after, limit })
  })
})

export const listObjects: Operation = {
  name: "ListObjects",
  method: "GET",
  target: "bucket",
  make: Effect.gen(function* () {
    const read = yield* makeRead
    return Effect.fnUntraced(function* (call) {
      const parameters = yield* parse(call)
      const { delimiter, prefix, wanted, write, writeListed } = parameters
      const marker = call.query.get("marker") ?? ""
      const { contents, next, prefixes } = yield* read(call, parameters, marker === "" ? undefined : marker)
      const owner = Owner.element(call)
      return S3Response.xml("ListBucketResult", [
        ["Name", call.bucket],
        // Not encoded: the clients of Python decode all texts of this answer but this one.
        ["Prefix", prefix],
        ["Marker", write(marker)],
        ["MaxKeys", wanted],
        ["Delimiter", delimiter && write(delimiter)],
        parameters.encoding,
        ["IsTruncated", next !== null],
        ["NextMarker", next === null || delimiter === undefined ? undefined : writeListed(next)],
        contentElements("Contents", contents, writeListed, [owner]),
        ...prefixElements(prefixes, writeListed)
      ])
    })
  })
}

const encodeToken = (key: string): string => Buffer.from(key, "utf8").toString("base64url")
const wrongToken = S3Error.of("InvalidArgument", "The continuation token provided is incorrect.")

/** Returns the key of a token. Fails for a token that this server has not made. */
const decodeToken = (token: string): Effect.Effect<string, S3Error> => {
  const key = Buffer.from(token, "base64url").toString("utf8")
  return encodeToken(key) === token ? Effect.succeed(key) : Effect.fail(wrongToken)
}

export const listObjectsV2: Operation = {
  name: "ListObjectsV2",
  method: "GET",
  target: "bucket",
  query: { "list-type": "2" },
  make: Effect.gen(function* () {
    const read = yield* makeRead
    return Effect.fnUntraced(function* (call) {
      const parameters = yield* parse(call)
      const { delimiter, prefix, wanted, write, writeListed } = parameters
      const token = call.query.get("continuation-token")
      const startAfter = call.query.get("start-after")
      const after = token === undefined || token === "" ? startAfter : yield* decodeToken(token)
      const { contents, next, prefixes } = yield* read(call, parameters, after === "" ? undefined : after)
      const owner = call.query.get("fetch-owner") === "true" ? [Owner.element(call)] : []
      return S3Response.xml("ListBucketResult", [
        ["Name", call.bucket],
        ["Prefix", write(prefix)],
        ["StartAfter", startAfter && write(startAfter)],
        ["ContinuationToken", token],
        ["NextContinuationToken", next === null ? undefined : encodeToken(next)],
        ["KeyCount", contents.length + prefixes.length],
        ["MaxKeys", wanted],
        ["Delimiter", delimiter && write(delimiter)],
        parameters.encoding,
        ["IsTruncated", next !== null],
        contentElements("Contents", contents, writeListed, owner),
        ...prefixElements(prefixes, writeListed)
      ])
    })
  })
}

/** Buckets have no versions: each object is listed as its only version, whose id is `null`. */
export const listObjectVersions: Operation = {
  name: "ListObjectVersions",
  method: "GET",
  target: "bucket",
  query: { versions: true },
  make: Effect.gen(function* () {
    const read = yield* makeRead
    return Effect.fnUntraced(function* (call) {
      const parameters = yield* parse(call)
      const { delimiter, prefix, wanted, write, writeListed } = parameters
      const marker = call.query.get("key-marker") ?? ""
      const { contents, next, prefixes } = yield* read(call, parameters, marker === "" ? undefined : marker)
      const owner = Owner.element(call)
      return S3Response.xml("ListVersionsResult", [
        ["Name", call.bucket],
        ["Prefix", write(prefix)],
        ["KeyMarker", write(marker)],
        ["VersionIdMarker", ""],
        ["NextKeyMarker", next === null ? undefined : writeListed(next)],
        ["NextVersionIdMarker", next === null ? undefined : "null"],
        ["MaxKeys", wanted],
        ["Delimiter", delimiter && write(delimiter)],
        parameters.encoding,
        ["IsTruncated", next !== null],
        contentElements("Version", contents, writeListed, [["VersionId", "null"], ["IsLatest", true], owner]),
        ...prefixElements(prefixes, writeListed)
      ])
    })
  })
}
