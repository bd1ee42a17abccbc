/**
 * Verifies the deliveries of webhooks (Standard Webhooks 1.0), in every runtime with Web Crypto. Imports no other module of the client.
 */
import type { WebhookEvent } from "@holdfast/core/webhooks/WebhookEvent"

export type { WebhookData, WebhookEvent, WebhookEventType } from "@holdfast/core/webhooks/WebhookEvent"

/**
 * - `headers_missing`: one of the three headers of Standard Webhooks is missing or malformed;
 * - `timestamp_out_of_range`: the attempt was made too long ago, or later than the receiver's clock says: it may be a replay;
 * - `body_not_raw`: the body is neither text nor bytes. A body parser has parsed it, or none has read it;
 * - `signature_mismatch`: no secret has signed this id, time and body;
 * - `body_malformed`: the signature is valid, but the body is no event.
 */
export type WebhookRefusalCode =
  | "headers_missing"
  | "timestamp_out_of_range"
  | "body_not_raw"
  | "signature_mismatch"
  | "body_malformed"

/** Why a request is not accepted as a delivery. Express and Fastify answer an error that a route does not handle with its `status`. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused"
  readonly _tag = "WebhookRefused"
  readonly code: WebhookRefusalCode
  readonly status = 400

  constructor(code: WebhookRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

/** `Headers` of the web, `IncomingHttpHeaders` of Node, or a record of headers. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

export interface VerifyWebhookInput {
  /** The secret of the webhook, with `whsec_`; several while the secret is rotated. */
  readonly secret: string | ReadonlyArray<string>
  readonly headers: WebhookHeaders
  /** The body as it arrived: JSON that was parsed and written again has another signature. */
  readonly body: string | Uint8Array
  /** Seconds between the time of the attempt and the receiver's clock, at most. Default: 300. */
  readonly tolerance?: number | undefined
}

const encoder = new TextEncoder()

/** The service sends two signatures at most. A stranger must not cause more work. */
const maxSignatures = 8

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const importKeys = (secret: string | ReadonlyArray<string>): Promise<ReadonlyArray<CryptoKey>> => {
  const keys = [secret].flat().map((one) => {
    // A pattern also refuses a variable of the environment that is not set.
    const [, text = ""] = /^whsec_([^]+)$/.exec(one) ?? []
    const bytes = fromBase64(text)
    if (bytes === undefined || bytes.length === 0) {
      throw new TypeError("A secret is whsec_ and base64. Pass it as the service returned it.")
    }
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
  })
  if (keys.length === 0) throw new TypeError("Pass at least one secret.")
  return Promise.all(keys)
}

const isWebHeaders = (headers: WebhookHeaders): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

const readHeader = (headers: WebhookHeaders, name: string): string | undefined => {
  if (isWebHeaders(headers)) return headers.get(name) ?? undefined
  // Node writes names in lower case; other platforms keep the case of the request.
  const value = headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === "string" ? value : value?.length === 1 ? value[0] : undefined
}

/** Returns the signatures of the version 1. Others are ignored, as the standard demands. */
const parseSignatures = (text: string): ReadonlyArray<Uint8Array<ArrayBuffer>> =>
  text
    .split(" ", maxSignatures)
    .flatMap((one) => (one.startsWith("v1,") ? (fromBase64(one.slice("v1,".length)) ?? []) : []))

const concatenate = (head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

const parseEvent = (id: string, body: Uint8Array): WebhookEvent => {
  try {
    const { data, timestamp, type } = JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
    if (typeof type === "string" && typeof timestamp === "string" && typeof data === "object" && data !== null) {
      return { id, type, timestamp, data }
    }
  } catch {
    // Refused below.
  }
  throw new WebhookRefused("body_malformed", "The body is not the JSON of an event.")
}

/**
 * Verifies that a delivery is of a webhook with this secret and that the attempt was made now, and returns its event. Compares the
 * signatures in constant time.
 *
 * @throws {WebhookRefused} Answer with its `status`. A `TypeError` is a fault of the receiver: a secret that the service did not return.
 * @example
 * const event = await verifyWebhook({ secret, headers: request.headers, body: await request.text() })
 */
export const verifyWebhook = async (input: VerifyWebhookInput): Promise<WebhookEvent> => {
  const { body, headers, secret, tolerance = 300 } = input
  const keys = await importKeys(secret)
  const [id, time, signature] = ["id", "timestamp", "signature"].map((name) => readHeader(headers, `webhook-${name}`))
  if (!id || time === undefined || !/^\d{1,12}$/.test(time) || !signature) {
    throw new WebhookRefused(
      "headers_missing",
      "webhook-id, webhook-timestamp or webhook-signature is missing or malformed."
    )
  }
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= tolerance)) {
    throw new WebhookRefused(
      "timestamp_out_of_range",
      `The attempt was not made within ${tolerance} seconds of this clock.`
    )
  }
  const isText = typeof body === "string"
  if (!isText && !(body instanceof Uint8Array)) {
    throw new WebhookRefused(
      "body_not_raw",
      "The body is neither text nor bytes. Read it as text on this route, and let no body parser read it before."
    )
  }
  const bytes = isText ? encoder.encode(body) : body
  const signed = concatenate(encoder.encode(`${id}.${time}.`), bytes)
  const pairs = keys.flatMap((key) => parseSignatures(signature).map((one) => [key, one] as const))
  const results = await Promise.all(pairs.map(([key, one]) => crypto.subtle.verify("HMAC", key, one, signed)))
  if (!results.includes(true)) {
    throw new WebhookRefused("signature_mismatch", "No secret of the receiver has signed this id, time and body.")
  }
  return parseEvent(id, bytes)
}
