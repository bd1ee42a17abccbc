/**
 * What an object has besides its content: headers, user metadata and tags, as the metadata and headers of a file.
 *
 * A header `x-amz-meta-NAME` is the member `NAME` of the file's metadata. Tags are the member `s3:tags`, a name that no header can
 * have. The trace of a copy that a mirror sends is a member of its own as well.
 */
import type { Metadata, StoredFile } from "@holdfast/core/files/File"
import type { Header } from "@holdfast/core/files/Header"
import * as TraceMember from "@holdfast/core/files/moves/TraceMember"
import { maxMetadataBytes } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Trace from "@holdfast/core/mirrors/targets/Trace"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Call } from "../../Call.ts"
import { S3Error, table } from "../../S3Error.ts"
import * as EncodedWords from "./EncodedWords.ts"

export type Tags = Readonly<Record<string, string>>

/** The headers of an object, which its answers repeat. */
const contentHeaders = ["cache-control", "content-disposition", "content-encoding", "content-language", "expires"]

const prefix = "x-amz-meta-"
const tagsName = "s3:tags"
const maxTags = 10

/** Node has the bytes of headers as Latin-1. Clients send UTF-8, Latin-1 or encoded words. */
const decodeText = (value: string): string => {
  const text = Buffer.from(value, "latin1").toString("utf8")
  return EncodedWords.decode(text.includes("\ufffd") ? value : text)
}

/** Returns the codings that remain after the transfer: `aws-chunked` describes the request only. */
const contentEncoding = (value: string): string =>
  value
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding.toLowerCase() !== "aws-chunked")
    .join(", ")

const invalidTag = (message: string) => Effect.fail(S3Error.of("InvalidTag", message))

/** Checks the number of tags and their lengths. */
export const checkTags = (tags: ReadonlyArray<readonly [string, string]>): Effect.Effect<Tags, S3Error> => {
  if (tags.length > maxTags) return Effect.fail(S3Error.of("BadRequest", `An object has at most ${maxTags} tags.`))
  for (const [key, value] of tags) {
    if (key === "" || key.length > 128) return invalidTag("The key of a tag must have 1 to 128 characters.")
    if (value.length > 256) return invalidTag("The value of a tag must have at most 256 characters.")
  }
  const record = Object.fromEntries(tags)
  return Object.keys(record).length === tags.length
    ? Effect.succeed(record)
    : invalidTag("A tag must not occur more than once.")
}

export interface Description {
  readonly metadata: Metadata
  readonly headers: ReadonlyArray<Header>
  readonly contentType: string | undefined
}

const userMetadata = (headers: Call["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined ? [[name.slice(prefix.length), decodeText(value)]] : []
    )
  )

const traceOf = (headers: Call["headers"]): Record<string, string> => {
  const trace = Trace.parse(headers[Trace.header])
  return trace === undefined ? {} : { [TraceMember.metadataName]: Trace.format(trace) }
}

/** Returns the tags of the header `x-amz-tagging`: a query. */
export const tagsOfHeader = (header: string | undefined): Effect.Effect<Tags, S3Error> =>
  checkTags([...new URLSearchParams(header ?? "")])

/** Returns the bytes of user metadata in UTF-8: its names, without the prefix of their headers, and its values. */
const sizeOf = (metadata: Readonly<Record<string, string>>): number =>
  Object.entries(metadata).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0)

const tooLarge = (size: number): S3Error =>
  new S3Error({
    code: "MetadataTooLarge",
    message: table.MetadataTooLarge.message,
    fields: { Size: String(size), MaxSizeAllowed: String(maxMetadataBytes) }
  })

/**
 * Returns what the headers of a request say about the object that it creates. Fails with `MetadataTooLarge` and with the errors of
 * `checkTags`.
 */
export const fromRequest = (headers: Call["headers"]): Effect.Effect<Description, S3Error> => {
  const own = userMetadata(headers)
  const size = sizeOf(own)
  if (size > maxMetadataBytes) return Effect.fail(tooLarge(size))
  return Effect.map(tagsOfHeader(headers["x-amz-tagging"]), (tags) => ({
    metadata: withTags({ ...own, ...traceOf(headers) }, tags),
    headers: contentHeaders.flatMap((name) => {
      const sent = headers[name]
      const value = sent !== undefined && name === "content-encoding" ? contentEncoding(sent) : sent
      return value === undefined || value === "" ? [] : [{ name, value }]
    }),
    contentType: headers["content-type"] === "" ? undefined : headers["content-type"]
  }))
}

/** Returns metadata with these tags instead of its own. */
export const withTags = <Value>(
  metadata: Readonly<Record<string, Value>>,
  tags: Tags
): Record<string, Value | Tags> => {
  const { [tagsName]: _, ...rest } = metadata
  return Object.keys(tags).length === 0 ? rest : { ...rest, [tagsName]: tags }
}

/** Returns the tags of a file. */
export const tagsOf = ({ metadata }: Pick<StoredFile, "metadata">): Tags => {
  const found = metadata[tagsName]
  if (!Predicate.isObject(found) || Array.isArray(found)) return {}
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  )
}

const isFieldName = (name: string): boolean => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
const isFieldValue = (value: string): boolean => !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)

/**
 * Returns the headers of an answer with the metadata of a file, and the number of those members that a header cannot express: members
 * that came by another API may be any JSON.
 */
export const toHeaders = (file: Pick<StoredFile, "metadata">): Record<string, string> => {
  const headers: Record<string, string> = {}
  let missing = 0
  for (const [name, value] of Object.entries(file.metadata)) {
    if (name === tagsName || name === TraceMember.metadataName) continue
    if (typeof value === "string" && isFieldName(name) && isFieldValue(value)) {
      headers[`${prefix}${name.toLowerCase()}`] = EncodedWords.encode(value)
    } else missing++
  }
  if (missing > 0) headers["x-amz-missing-meta"] = String(missing)
  const tags = Object.keys(tagsOf(file)).length
  if (tags > 0) headers["x-amz-tagging-count"] = String(tags)
  return headers
}
