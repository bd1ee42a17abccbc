/**
 * Sends contents, by the way that the platform and the content leave open:
 *
 * - what is at hand as a whole goes as it is, so that its length is announced;
 * - with progress in a browser, by `XMLHttpRequest`;
 * - streams, and progress elsewhere, by a `fetch` whose body is a stream. Browsers take those over HTTP/2 alone.
 */
import * as Content from "./Content.ts"
import * as Form from "./Form.ts"
import type * as Records from "./Records.ts"
import type { CallOptions, Transport } from "./Transport.ts"
import * as XhrUpload from "./XhrUpload.ts"

export interface ContentInput extends Records.Conditions {
  readonly content: Content.Source
  /** Its media type; by default that of a `Blob`, or what the file's name says. */
  readonly contentType?: string | undefined
  /** Hexadecimal. Other bytes are refused: `checksum_mismatch`. */
  readonly sha256?: string | undefined
}

export interface UploadOptions extends CallOptions {
  readonly onProgress?: Content.OnProgress | undefined
}

/** RFC 9530. */
const digest = (hex: string): string => {
  const bytes = (hex.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return `sha-256=:${btoa(bytes.join(""))}:`
}

const announce = ({ ifMatch, ifNoneMatch, sha256 }: ContentInput) => ({
  "if-match": ifMatch,
  "if-none-match": ifNoneMatch,
  "repr-digest": sha256 === undefined ? undefined : digest(sha256)
})

interface Target {
  readonly path: ReadonlyArray<string>
  /** A form with this description around the content; without it the content is the body. */
  readonly form?: { readonly name: string } | undefined
}

const inForm = (description: { readonly name: string }, blob: Blob): FormData => {
  const form = new FormData()
  form.append("body", JSON.stringify(description))
  form.append("file", blob, description.name)
  return form
}

export const send = async (
  transport: Transport,
  { form, path }: Target,
  input: ContentInput,
  { onProgress, signal }: UploadOptions = {}
): Promise<Records.FileRecord> => {
  const { content, contentType } = input
  const blob = Content.toBlob(content, contentType)
  const whole = blob === undefined || form === undefined ? blob : inForm(form, blob)
  if (blob !== undefined && whole !== undefined) {
    const headers = announce(input)
    if (onProgress === undefined) return transport.json({ method: "POST", path, headers, body: whole, signal })
    const Xhr = transport.options.fetch === undefined ? XhrUpload.find() : undefined
    if (Xhr !== undefined) {
      const all = await transport.headers(headers)
      return XhrUpload.send(Xhr, {
        url: transport.url(path),
        headers: all,
        body: whole,
        size: blob.size,
        onProgress,
        signal
      })
    }
  }
  return stream(transport, { form, path }, input, { onProgress, signal })
}

const stream = async (
  transport: Transport,
  { form, path }: Target,
  input: ContentInput,
  { onProgress, signal }: UploadOptions
): Promise<Records.FileRecord> => {
  const blob = Content.toBlob(input.content, input.contentType)
  const type = input.contentType ?? (blob?.type || undefined)
  const parts = form === undefined ? undefined : Form.make(form, { name: form.name, contentType: type })
  const chunks = blob ?? (input.content as AsyncIterable<Uint8Array>)
  const outgoing = Content.toStream(chunks, onProgress, signal, parts?.around)
  const headers = { ...announce(input), "content-type": parts?.contentType ?? type }
  try {
    return await transport.json({ method: "POST", path, headers, body: outgoing.body, signal })
  } catch (error) {
    throw outgoing.failure() ?? error
  }
}
