/**
 * What reads: an object's bytes, its resource, and lists.
 */
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import * as Conditions from "./GcsConditions.ts"
import * as Exchange from "./GcsRequest.ts"
import * as Refusal from "./GcsRefusal.ts"
import * as Resource from "./GcsResource.ts"
import * as State from "./GcsState.ts"

interface Range {
  readonly first: number
  readonly last: number
}

/** The one range of a request (RFC 9110, section 14); undefined where there is none, or none that is understood. */
const parseRange = (header: string | undefined, size: number): Range | undefined => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  const range =
    first === ""
      ? { first: Math.max(0, size - Number(last)), last: size - 1 }
      : { first: Number(first), last: last === "" ? size - 1 : Math.min(size - 1, Number(last)) }
  if (range.first >= size || range.last < range.first) {
    throw new Refusal.Refusal(416, "requestedRangeNotSatisfiable", "Request range not satisfiable")
  }
  return range
}

const media = async (exchange: Exchange.Exchange, object: State.StoredObject): Promise<void> => {
  const { fault, request, response } = exchange
  const range = parseRange(request.headers.range, object.size)
  const { first, last } = range ?? { first: 0, last: object.size - 1 }
  response.writeHead(range === undefined ? 200 : 206, {
    "content-type": object.fields.contentType ?? "application/octet-stream",
    "content-length": last - first + 1,
    "accept-ranges": "bytes",
    "x-goog-generation": object.generation,
    "x-goog-metageneration": String(object.metageneration),
    "x-goog-hash": `crc32c=${object.crc32c},md5=${object.md5Hash}`,
    "x-goog-stored-content-length": String(object.size),
    ...(object.fields.contentEncoding === undefined ? {} : { "content-encoding": object.fields.contentEncoding }),
    ...(range === undefined ? {} : { "content-range": `bytes ${first}-${last}/${object.size}` })
  })
  if (last < first) return void response.end()
  const isCut = fault?.kind === "cutAnswer"
  if (isCut) {
    const end = Math.min(last, first + fault.after - 1)
    if (fault.after > 0) {
      for await (const chunk of createReadStream(object.path, { start: first, end })) {
        await new Promise<unknown>((resolve) => response.write(chunk, resolve))
      }
    }
    return void response.destroy()
  }
  // A reader that goes away is no error of the service.
  await pipeline(createReadStream(object.path, { start: first, end: last }), response).catch(() => {})
}

/** An object's resource, or with `alt=media` its bytes. */
export const object = async (
  state: State.State,
  exchange: Exchange.Exchange,
  target: { readonly bucket: string; readonly name: string }
): Promise<void> => {
  const found = Conditions.find(state, target, exchange.query)
  if (exchange.query.get("alt") === "media") await media(exchange, found)
  else Exchange.json(exchange, 200, Resource.of(target.bucket, found))
}

const pageSize = 1000

const inOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** A page of a bucket's objects in the order of their names, folded at the delimiter. */
export const list = (state: State.State, exchange: Exchange.Exchange, bucket: string): void => {
  const { query } = exchange
  const objects = State.bucket(state, bucket)
  const prefix = query.get("prefix") ?? ""
  const delimiter = query.get("delimiter") ?? ""
  const limit = Math.min(pageSize, Number(query.get("maxResults") ?? pageSize))
  if (!(limit > 0)) throw Refusal.invalid("Invalid value for maxResults.")
  const after = Buffer.from(query.get("pageToken") ?? "", "base64").toString()
  const fold = (name: string): string => {
    const at = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length)
    return at < 0 ? name : name.slice(0, at + delimiter.length)
  }
  const names = [...objects.keys()].filter((name) => name.startsWith(prefix))
  const entries = [...new Set(names.map(fold))].toSorted(inOrder).filter((entry) => inOrder(entry, after) > 0)
  const page = entries.slice(0, limit)
  const items = page.flatMap((entry) => {
    const object = objects.get(entry)
    return object === undefined || fold(entry) !== entry ? [] : [Resource.of(bucket, object)]
  })
  // A name that ends with the delimiter folds to itself, and is a prefix then.
  const prefixes = page.filter((entry) => delimiter !== "" && entry.indexOf(delimiter, prefix.length) >= 0)
  Exchange.json(exchange, 200, {
    kind: "storage#objects",
    ...(items.length === 0 ? {} : { items: items.filter(({ name }) => !prefixes.includes(String(name))) }),
    ...(prefixes.length === 0 ? {} : { prefixes }),
    ...(page.length < entries.length ? { nextPageToken: Buffer.from(page.at(-1) ?? "").toString("base64") } : {})
  })
}
