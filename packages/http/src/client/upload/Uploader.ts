/**
 * Sends contents. The platform and the content decide how:
 *
 * - a string, bytes or a `Blob` is sent as one body, so that the request declares its length;
 * - the same with `onProgress` in a browser is sent by `XMLHttpRequest`;
 * - a stream, and any content with `onProgress` elsewhere, is sent by `fetch` with a stream as the body. Browsers support this
 *   over HTTP/2 only.
 */
import type { CallOptions, Conditions, ContentInput, EntityTags } from "@holdfast/core"
import type { FileRecord } from "../Records.ts"
import type { ApiRequest, Transport } from "../Transport.ts"
import * as OutgoingContent from "./OutgoingContent.ts"
import * as UploadForm from "./UploadForm.ts"
import * as XhrUpload from "./XhrUpload.ts"

export interface UploadOptions extends CallOptions {
  /** Is called while the content is sent. */
  readonly onProgress?: OutgoingContent.OnProgress | undefined
}

interface UploadTarget {
  readonly path: ReadonlyArray<string>
  readonly query?: ApiRequest["query"]
  /** The description of a new file: the content is sent in a form with it. Without it the content is the body. */
  readonly description?: { readonly name: string } | undefined
}

const toTagList = (tags: EntityTags | undefined): string | undefined =>
  tags === undefined || typeof tags === "string" ? tags : tags.join(", ")

/** Returns the headers of preconditions (RFC 9110, section 13.1). */
export const toConditionHeaders = ({ ifMatch, ifNoneMatch }: Conditions) => ({
  "if-match": toTagList(ifMatch),
  "if-none-match": toTagList(ifNoneMatch)
})

/** Returns the value of `Repr-Digest` (RFC 9530) for a hexadecimal SHA-256. */
const toDigest = (sha256: string): string => {
  const bytes = (sha256.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return `sha-256=:${btoa(bytes.join(""))}:`
}

const toHeaders = (input: ContentInput) => ({
  ...toConditionHeaders(input),
  "repr-digest": input.sha256 === undefined ? undefined : toDigest(input.sha256)
})

const toFormData = (description: { readonly name: string }, blob: Blob): FormData => {
  const form = new FormData()
  form.append("body", JSON.stringify(description))
  form.append("file", blob, description.name)
  return form
}

/** Uploads a content, and returns the record of its file. */
export const upload = async (
  transport: Transport,
  target: UploadTarget,
  input: ContentInput,
  options: UploadOptions = {}
): Promise<FileRecord> => {
  const { description, path, query } = target
  const { onProgress, signal } = options
  const blob = OutgoingContent.toBlob(input.content, input.contentType)
  if (blob === undefined) return stream(transport, target, input, options, input.content as OutgoingContent.ChunkSource)
  OutgoingContent.checkLength(blob.size, input.length)
  const body = description === undefined ? blob : toFormData(description, blob)
  const headers = toHeaders(input)
  if (onProgress === undefined) return transport.json({ method: "POST", path, query, headers, body, signal })
  const Xhr = transport.options.fetch === undefined ? XhrUpload.find() : undefined
  if (Xhr === undefined) return stream(transport, target, input, options, blob)
  const all = await transport.headers(headers)
  return XhrUpload.send(Xhr, {
    url: transport.url(path, query),
    headers: all,
    body,
    size: blob.size,
    onProgress,
    signal
  })
}

const stream = async (
  transport: Transport,
  { description, path, query }: UploadTarget,
  input: ContentInput,
  { onProgress, signal }: UploadOptions,
  source: OutgoingContent.ChunkSource
): Promise<FileRecord> => {
  const type = source instanceof Blob ? source.type || undefined : input.contentType
  const form =
    description === undefined ? undefined : UploadForm.make(description, { name: description.name, contentType: type })
  const { length } = input
  const outgoing = OutgoingContent.toStream(source, { length, onProgress, signal, around: form?.around })
  const headers = { ...toHeaders(input), "content-type": form?.contentType ?? type }
  try {
    return await transport.json({ method: "POST", path, query, headers, body: outgoing.body, signal })
  } catch (error) {
    throw outgoing.failure() ?? error
  }
}
