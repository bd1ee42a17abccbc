/**
 * Converts objects to their JSON resources and back. Numbers of 64 bits are strings, as in the service.
 */
import * as GcsError from "./GcsError.ts"
import type * as State from "./GcsState.ts"

const headerFields = [
  "contentType",
  "cacheControl",
  "contentDisposition",
  "contentEncoding",
  "contentLanguage"
] as const

const maxNameBytes = 1024
const maxMetadataBytes = 8 * 1024

type Json = Readonly<Record<string, unknown>>

/** Returns whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses a resource that a client sent. An empty body is an empty resource. */
export const parse = (text: string): Json => {
  if (text.trim() === "") return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new GcsError.GcsError(400, "parseError", "Parse Error")
  }
  if (!isRecord(value)) throw new GcsError.GcsError(400, "parseError", "Parse Error")
  return value
}

/** Returns a valid object name. Throws an error response for a name that the service refuses. */
export const checkName = (name: unknown): string => {
  if (typeof name !== "string" || name === "") throw new GcsError.GcsError(400, "required", "Required")
  const isInvalid =
    name === "." ||
    name === ".." ||
    /[\r\n]/.test(name) ||
    !name.isWellFormed() ||
    name.startsWith(".well-known/acme-challenge/") ||
    Buffer.byteLength(name) > maxNameBytes
  if (isInvalid) throw GcsError.invalid("The specified object name is not valid.")
  return name
}

const mergeMetadata = (before: Record<string, string> | undefined, patch: unknown): Record<string, string> => {
  const metadata = { ...before }
  if (!isRecord(patch)) throw GcsError.invalid("Invalid Value")
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete metadata[key]
    else if (typeof value === "string") metadata[key] = value
    else throw GcsError.invalid("Invalid Value")
  }
  const size = Object.entries(metadata).reduce((sum, pair) => sum + Buffer.byteLength(pair.join("")), 0)
  if (size > maxMetadataBytes) throw GcsError.invalid("The metadata for your object is too large.")
  return metadata
}

/** Applies a PATCH: null removes a field, an absent field stays. The same holds for each key of the metadata. */
export const applyPatch = (before: State.Fields, resource: Json): State.Fields => {
  const fields = { ...before }
  for (const name of headerFields) {
    const value = resource[name]
    if (value === null) delete fields[name]
    else if (typeof value === "string") fields[name] = value
    else if (value !== undefined) throw GcsError.invalid("Invalid Value")
  }
  if (resource["metadata"] === null) delete fields.metadata
  else if (resource["metadata"] !== undefined) {
    const metadata = mergeMetadata(before.metadata, resource["metadata"])
    if (Object.keys(metadata).length === 0) delete fields.metadata
    else fields.metadata = metadata
  }
  return fields
}

/** Returns an object's resource. */
export const toJson = (bucket: string, object: State.StoredObject): Json => ({
  kind: "storage#object",
  id: `${bucket}/${object.name}/${object.generation}`,
  name: object.name,
  bucket,
  generation: object.generation,
  metageneration: String(object.metageneration),
  storageClass: "STANDARD",
  size: String(object.size),
  md5Hash: object.md5Hash,
  crc32c: object.crc32c,
  etag: Buffer.from(`${object.generation}/${object.metageneration}`).toString("base64"),
  timeCreated: object.timeCreated,
  updated: object.updated,
  ...object.fields
})
