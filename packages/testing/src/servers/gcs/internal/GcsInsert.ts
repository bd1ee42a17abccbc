/**
 * Uploads in one request: `uploadType=multipart` with a resource, and `uploadType=media` without.
 */
import * as Conditions from "./GcsConditions.ts"
import * as GcsRequest from "./GcsRequest.ts"
import * as GcsError from "./GcsError.ts"
import * as Resource from "./GcsResource.ts"
import * as State from "./GcsState.ts"

const invalidMultipart = () => GcsError.invalid("Multipart body must contain 2 parts.")

const typeOf = (headers: string): string | undefined => /^content-type:[ \t]*(.*)$/im.exec(headers)?.[1]?.trim()

interface Part {
  readonly type: string | undefined
  readonly bytes: Buffer
}

/** Returns the parts of a `multipart/related` body (RFC 2387). */
const splitParts = (body: Buffer, boundary: string): ReadonlyArray<Part> => {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const text = Buffer.concat([Buffer.from("\r\n"), body])
  const parts: Array<Part> = []
  let at = text.indexOf(delimiter)
  while (at >= 0) {
    const begin = at + delimiter.byteLength
    const end = text.indexOf(delimiter, begin)
    if (end < 0) break
    const blank = text.indexOf("\r\n\r\n", begin)
    if (blank < 0 || blank > end) throw invalidMultipart()
    parts.push({ type: typeOf(text.toString("latin1", begin, blank)), bytes: text.subarray(blank + 4, end) })
    at = end
  }
  return parts
}

/**
 * Throws an error response for bytes that do not have the checksums in the resource and in the header `x-goog-hash`.
 */
export const verify = (
  digests: { readonly crc32c: string; readonly md5Hash: string },
  resource: Readonly<Record<string, unknown>>,
  header: string | ReadonlyArray<string> | undefined
): void => {
  const declared = String(header ?? "").split(",")
  const inHeader = (name: string) =>
    declared.flatMap((pair) => (pair.trim().startsWith(`${name}=`) ? [pair.trim().slice(name.length + 1)] : []))
  for (const value of [resource["md5Hash"] ?? undefined, ...inHeader("md5")]) {
    if (value !== undefined && value !== digests.md5Hash) {
      throw GcsError.invalid(
        `Provided MD5 hash "${String(value)}" doesn't match calculated MD5 hash "${digests.md5Hash}".`
      )
    }
  }
  for (const value of [resource["crc32c"] ?? undefined, ...inHeader("crc32c")]) {
    if (value !== undefined && value !== digests.crc32c) {
      throw GcsError.invalid(`Provided CRC32C "${String(value)}" doesn't match calculated CRC32C "${digests.crc32c}".`)
    }
  }
}

/** The type of an object whose upload names none. */
export const defaultType = "application/octet-stream"

const parseMultipart = (body: Buffer, contentType: string): readonly [Part, Part] => {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (boundary === undefined) throw invalidMultipart()
  const [resource, content, ...rest] = splitParts(body, boundary)
  if (resource === undefined || content === undefined || rest.length > 0) throw invalidMultipart()
  return [resource, content]
}

/** Writes an object. */
export const insert = async (state: State.State, request: GcsRequest.Request, bucket: string): Promise<void> => {
  const { headers } = request.message
  const body = await GcsRequest.readBody(request)
  const objects = State.getBucket(state, bucket)
  const isMultipart = request.query.get("uploadType") === "multipart"
  const contentType = headers["content-type"] ?? defaultType
  const [described, content] = isMultipart
    ? parseMultipart(body, contentType)
    : [undefined, { type: contentType, bytes: body }]
  const resource = Resource.parse(described?.bytes.toString() ?? "")
  const name = Resource.checkName(request.query.get("name") ?? resource["name"])
  const conditions = Conditions.parse(request.query)
  Conditions.check(conditions, objects.get(name))
  const fields = Resource.applyPatch({ contentType: content.type ?? defaultType }, resource)
  const incoming = State.beginContent(state)
  State.append(incoming, GcsRequest.damageIfPlanned(request, content.bytes))
  const digests = incoming.hashes.digests()
  try {
    verify(digests, resource, headers["x-goog-hash"])
  } catch (error) {
    State.discard(incoming)
    throw error
  }
  const object = State.publish(state, { bucket, name, fields, incoming, digests })
  GcsRequest.respondJson(request, 200, Resource.toJson(bucket, object))
}
