/**
 * Bodies of the responses by which an object store sends a blob. A connection that is cut must not look like the end of
 * the blob.
 */
import * as Stream from "effect/Stream"
import type { ByteRange } from "./BlobStore.ts"

/** The value of a request's header `Range` (RFC 9110, section 14.1.2). A range without bytes has none. */
export const rangeHeader = ({ length, offset }: ByteRange): string => `bytes=${offset}-${offset + length - 1}`

/** Returns the size of the whole object from a response's header `Content-Range` (RFC 9110, section 14.4); undefined when it has none. */
export const totalSize = (contentRange: string | undefined): number | undefined => {
  const total = /\/(\d+)$/.exec(contentRange ?? "")?.[1]
  return total === undefined ? undefined : Number(total)
}

/** Passes a body on, and fails at its end unless it had `length` bytes. */
const exactLength = <E, R>(
  body: Stream.Stream<Uint8Array, E, R>,
  length: number,
  onCut: (count: number) => E
): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    let count = 0
    return body.pipe(
      Stream.map((chunk) => {
        count += chunk.byteLength
        return chunk
      }),
      Stream.concat(Stream.suspend(() => (count === length ? Stream.empty : Stream.fail(onCut(count)))))
    )
  })

/** A response whose head has arrived. */
export interface Response<E> {
  /** Undefined when the service sent none. */
  readonly body: Stream.Stream<Uint8Array, E> | undefined
  /** The number of bytes that the head announces; undefined when it announces none. */
  readonly contentLength: number | undefined
  /** The range that was requested; undefined for the whole blob. */
  readonly range: ByteRange | undefined
  /** Bytes of the whole blob: as the caller expects it, and as the head announces it. Not compared when either is undefined. */
  readonly size: { readonly expected: number | undefined; readonly announced: number | undefined }
  /**
   * Makes the error of a response that does not follow the protocol. The subject of the message, `it`, is the service.
   */
  readonly onUnexpected: (message: string) => E
  /** Makes the error of a body that ended early. The message is a sentence. */
  readonly onCut: (message: string) => E
  /** Makes the error of a blob that has another size than the caller expects. */
  readonly onOtherSize: (size: number) => E
}

/**
 * Returns the body of a response. Fails before the first byte when the response announces another length than was
 * requested, or the blob has another size than is expected, and at the end when fewer bytes arrived than were declared.
 */
export const checked = <E>({
  body,
  contentLength,
  onCut,
  onOtherSize,
  onUnexpected,
  range,
  size
}: Response<E>): Stream.Stream<Uint8Array, E> => {
  if (size.expected !== undefined && size.announced !== undefined && size.announced !== size.expected) {
    return Stream.fail(onOtherSize(size.announced))
  }
  if (body === undefined || contentLength === undefined || !Number.isSafeInteger(contentLength)) {
    return Stream.fail(onUnexpected("it sent no body, or not its length"))
  }
  // Shorter when the blob ends before the range does, longer when the service ignores ranges.
  return range !== undefined && contentLength !== range.length
    ? Stream.fail(onUnexpected(`it sends ${contentLength} bytes for the range ${rangeHeader(range)}`))
    : exactLength(body, contentLength, (count) => onCut(`The service sent ${count} bytes of ${contentLength}.`))
}
