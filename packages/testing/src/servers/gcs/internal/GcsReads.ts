/**
 * Requests that read: an object's bytes, its resource, and listings.
 */
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import * as Conditions from "./GcsConditions.ts"
import * as GcsRequest from "./GcsRequest.ts"
import * as GcsError from "./GcsError.ts"
import * as Resource from "./GcsResource.ts"
import * as State from "./GcsState.ts"

interface Range {
  readonly first: number
  readonly last: number
}

/**
 * Returns the range of a request (RFC 9110, section 14); undefined without one, and for a header that is not one range.
 */
const parseRange = (header: string | undefined, size: number): Range | undefined => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  const range =
    first === ""
      ? { first: Math.max(0, size - Number(last)), last: size - 1 }
      : { first: Number(first), last: last === "" ? size - 1 : Math.min(size - 1, Number(last)) }
  if (range.first >= size || range.last < range.first) {
    throw new GcsError.GcsError(416, "requestedRangeNotSatisfiable", "Request range not satisfiable")
  }
  return range
}

const sendMedia = async (request: GcsRequest.Request, object: State.StoredObject): Promise<void> => {
  const { fault, message, response } = request
  const range = parseRange(message.headers.range, object.size)
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
  const isCut = fault?.kind === "cutResponse"
  if (isCut) {
    const end = Math.min(last, first + fault.after - 1)
    if (fault.after > 0) {
      for await (const chunk of createReadStream(object.path, { start: first, end })) {
        await new Promise<unknown>((resolve) => response.write(chunk, resolve))
      }
    }
    return void response.destroy()
  }
  // A client that disconnects is not an error of the service.
  await pipeline(createReadStream(object.path, { start: first, end: last }), response).catch(() => {})
}

/** Sends an object's resource, or with `alt=media` its bytes. */
export const sendObject = async (
  state: State.State,
  request: GcsRequest.Request,
  target: { readonly bucket: string; readonly name: string }
): Promise<void> => {
  const found = Conditions.getObject(state, target, request.query)
  if (request.query.get("alt") === "media") await sendMedia(request, found)
  else GcsRequest.respondJson(request, 200, Resource.toJson(target.bucket, found))
}

const pageSize = 1000

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Sends one page of a bucket's objects in the order of their names. Names are grouped by the delimiter. */
export const sendList = (state: State.State, request: GcsRequest.Request, bucket: string): void => {
  const { query } = request
  const objects = State.getBucket(state, bucket)
  const prefix = query.get("prefix") ?? ""
  const delimiter = query.get("delimiter") ?? ""
  const limit = Math.min(pageSize, Number(query.get("maxResults") ?? pageSize))
  if (!(limit > 0)) throw GcsError.invalid("Invalid value for maxResults.")
  const after = Buffer.from(query.get("pageToken") ?? "", "base64").toString()
  const group = (name: string): string => {
    const at = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length)
    return at < 0 ? name : name.slice(0, at + delimiter.length)
  }
  const names = [...objects.keys()].filter((name) => name.startsWith(prefix))
  const entries = [...new Set(names.map(group))]
    .toSorted(compareBytes)
    .filter((entry) => compareBytes(entry, after) > 0)
  const page = entries.slice(0, limit)
  const items = page.flatMap((entry) => {
    const object = objects.get(entry)
    return object === undefined || group(entry) !== entry ? [] : [Resource.toJson(bucket, object)]
  })
  // A name that ends with the delimiter is its own group, and counts as a prefix.
  const prefixes = page.filter((entry) => delimiter !== "" && entry.indexOf(delimiter, prefix.length) >= 0)
  GcsRequest.respondJson(request, 200, {
    kind: "storage#objects",
    ...(items.length === 0 ? {} : { items: items.filter(({ name }) => !prefixes.includes(String(name))) }),
    ...(prefixes.length === 0 ? {} : { prefixes }),
    ...(page.length < entries.length ? { nextPageToken: Buffer.from(page.at(-1) ?? "").toString("base64") } : {})
  })
}
