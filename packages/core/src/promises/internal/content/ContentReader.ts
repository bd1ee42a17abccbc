/**
 * A content that the Promise API has opened.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CacheControl from "../../../files/CacheControl.ts"
import * as ContentSecurity from "../../../files/ContentSecurity.ts"
import { ContentDamaged } from "../../../files/FileErrors.ts"
import { native } from "../../../integrity/NativeContentHasher.ts"
import type { ByteRange } from "../../../storage/BlobStore.ts"
import { collectBytes } from "./CollectBytes.ts"
import type { Download } from "../../content/Download.ts"
import type { Rejection } from "../../Operations.ts"

/** What a `ContentReader` reads, and what it says of it. */
export interface OpenedContent {
  readonly contentType: string
  readonly etag: string | null
  /** Bytes of the whole content. */
  readonly size: number
  /** Headers of `response()` besides type, length, entity tag and range; the same name replaces one of these. */
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly read: (range?: ByteRange) => Stream.Stream<Uint8Array, Rejection>
  /** Of the whole content, hexadecimal; null when it is not known. */
  readonly sha256: string | null
  /** Reports that the stored bytes are missing, or not those of the record. */
  readonly reportDamage: Effect.Effect<void>
}

/** The largest content of which `bytes` compares the SHA-256: its hash takes some 50 µs. The scrub compares larger ones. */
const maxVerified = 64 * 1024

/** Reads nothing before `stream`, `bytes`, `text`, `blob` or `response` is called. Each call reads anew. */
export class ContentReader implements Download {
  readonly contentType: string
  readonly etag: string | null
  readonly size: number
  readonly length: number
  readonly #opened: OpenedContent
  readonly #range: ByteRange | undefined
  readonly #context: Context.Context<never>
  readonly #damaged: Effect.Effect<never, ContentDamaged>

  constructor(opened: OpenedContent, range: ByteRange | undefined, context: Context.Context<never>) {
    this.contentType = opened.contentType
    this.etag = opened.etag
    this.size = opened.size
    this.length = range === undefined ? opened.size : range.length
    this.#opened = opened
    this.#range = range
    this.#context = context
    this.#damaged = Effect.andThen(opened.reportDamage, Effect.fail(new ContentDamaged()))
  }

  /** Returns the bytes as a web stream, which reads no faster than its consumer. To cancel it closes the content. */
  stream(): ReadableStream<Uint8Array> {
    const bytes = this.#opened.read(this.#range).pipe(
      // The record says that the store has the content.
      Stream.catchIf(
        (error) => error._tag === "BlobError" && error.reason === "NotFound",
        () => Stream.fromEffect(this.#damaged)
      )
    )
    return Stream.toReadableStreamWith(bytes, this.#context)
  }

  /**
   * Reads all bytes; they must fit into memory. Rejects with `ContentDamaged` when the stored bytes are missing or have another size,
   * and when a whole content of at most 64 KiB has another SHA-256; with `BlobError` when the store cannot read them.
   */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await collectBytes(this.stream(), this.length)
    const { sha256 } = this.#opened
    if (this.#range !== undefined || sha256 === null || bytes.length > maxVerified || native === undefined) return bytes
    const hash = native.sha256()
    hash.update(bytes)
    return hash.digest() === sha256 ? bytes : Effect.runPromiseWith(this.#context)(this.#damaged)
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.contentType })
  }

  response(): Response {
    const headers = new Headers({
      "content-type": this.contentType,
      "content-length": String(this.length),
      "x-content-type-options": "nosniff"
    })
    if (this.etag !== null) headers.set("etag", this.etag)
    for (const { name, value } of this.#opened.headers) headers.set(name, value)
    headers.set("cache-control", CacheControl.forReaders(headers.get("cache-control") ?? undefined))
    headers.set("content-security-policy", ContentSecurity.policyOf(headers.get("content-type") ?? ""))
    const range = this.#range
    if (range === undefined) return new Response(this.stream(), { headers })
    headers.set("content-range", `bytes ${range.offset}-${range.offset + range.length - 1}/${this.size}`)
    return new Response(this.stream(), { headers, status: 206 })
  }
}
