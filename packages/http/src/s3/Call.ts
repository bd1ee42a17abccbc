/**
 * A request to the S3 API, authenticated.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Address } from "./Address.ts"
import type { Form } from "./form/Form.ts"
import type { Payload, PayloadError } from "./payload/Payload.ts"
import type { S3Error } from "./S3Error.ts"
import type { Limits, XmlElement } from "@holdfast/outbound/XmlReader"

export interface Call extends Address {
  /** The region of every bucket. */
  readonly region: string
  readonly method: string
  /** The id of the request, as in its answer and in the log. */
  readonly requestId: string
  /** Header values by lower-case name, with those that a presigned URL has in its query. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Who makes the request. */
  readonly actor: Actor
  /** The tenant of the key, whose buckets the request names. */
  readonly tenantId: string
  /** The access key. */
  readonly accessKey: string
  /** The request as it arrived, for modules that read or answer it. Its body must be read by `openPayload` or `readXml`. */
  readonly request: HttpServerRequest
  /**
   * Returns the content that the request sends: decoded, checked while it is read against its signature, its length and its
   * declared checksums. Fails when the headers that describe it are not valid.
   */
  readonly openPayload: Effect.Effect<Payload, PayloadError>
  /** The form of an upload from a browser; undefined for any other request. */
  readonly form?: Form | undefined
  /** Reads the body as an XML document. Fails with `MaxMessageLengthExceeded` and `MalformedXML`. */
  readonly readXml: (limits: Limits) => Effect.Effect<XmlElement, PayloadError>
}

/** A request without a signature, for an object of a bucket that may be public. */
export interface PublicCall extends Pick<Call, "headers" | "key" | "method" | "query" | "request" | "requestId"> {
  readonly bucket: BucketRef
}

/** An error that the table of errors knows. */
export type CallError = S3Error | { readonly code: string; readonly message: string }
