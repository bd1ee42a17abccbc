/**
 * Cuts a `multipart` body (RFC 2046, section 5.1.1) into the heads and the bytes of its parts, as it comes.
 *
 * The bytes of parts are views of the chunks they came in, found by searching for the delimiter with
 * `Buffer.indexOf`, which runs at the speed of memory. Where a chunk ends with what may be the beginning of a
 * delimiter, only the count of matching bytes is kept: they are the delimiter's own.
 */

export type Event =
  /** The header block of the next part, without the empty line after it. */
  | { readonly _tag: "Head"; readonly bytes: Uint8Array }
  /** Bytes of the current part. */
  | { readonly _tag: "Data"; readonly bytes: Uint8Array }
  | { readonly _tag: "PartEnd" }
  /** The last delimiter was seen; what follows means nothing. */
  | { readonly _tag: "End" }
  /** The body is malformed; nothing more is to be pushed. */
  | { readonly _tag: "Fault"; readonly detail: string }

export interface Scanner {
  /** What a chunk brings, in order. The bytes are valid for as long as the chunk is. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Event>
}

/** Bytes that the head of one part may have. */
const maxHead = 16 * 1024

const emptyLine = Buffer.from("\r\n\r\n")
const carriageReturn = 13
const hyphen = 45

const toBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)

/** How many bytes at the end of a chunk are the beginning of the delimiter, whose only CR is its first byte. */
const partialMatch = (chunk: Buffer, delimiter: Buffer, from: number): number => {
  for (let at = chunk.length - 1; at >= Math.max(from, chunk.length - delimiter.length + 1); at--) {
    if (chunk[at] !== carriageReturn) continue
    const length = chunk.length - at
    return chunk.compare(delimiter, 0, length, at) === 0 ? length : 0
  }
  return 0
}

/**
 * A scanner for one body.
 *
 * @param boundary The `boundary` parameter of the body's media type.
 */
export const make = (boundary: string): Scanner => {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1")
  let state: "Preamble" | "Data" | "Head" | "Epilogue" = "Preamble"
  /** Bytes of the delimiter that ended the chunk before. The first delimiter may stand without its line break. */
  let matched = 2
  let head: Buffer = Buffer.alloc(0)

  const scanHead = (chunk: Buffer, at: number, events: Array<Event>): number => {
    const before = head.length
    head = Buffer.concat([head, chunk.subarray(at, at + maxHead + emptyLine.length - before)])
    if (head[0] === hyphen && head[1] === hyphen) {
      state = "Epilogue"
      events.push({ _tag: "End" })
      return chunk.length
    }
    const end = head.indexOf(emptyLine, Math.max(0, before - emptyLine.length + 1))
    if (end < 0) {
      if (head.length >= maxHead + emptyLine.length) {
        state = "Epilogue"
        events.push({ _tag: "Fault", detail: "has a part whose headers are too long" })
      }
      return chunk.length
    }
    // What remains of the delimiter's line: padding, which nobody uses.
    const line = head.indexOf("\r\n")
    if (/[^ \t]/.test(head.toString("latin1", 0, line))) {
      state = "Epilogue"
      events.push({ _tag: "Fault", detail: "has a malformed boundary line" })
      return chunk.length
    }
    events.push({ _tag: "Head", bytes: head.subarray(line + 2, Math.max(line + 2, end)) })
    state = "Data"
    const next = at + end + emptyLine.length - before
    head = Buffer.alloc(0)
    return next
  }

  const emit = (bytes: Uint8Array, events: Array<Event>): void => {
    if (state === "Data" && bytes.length > 0) events.push({ _tag: "Data", bytes })
  }

  const endPart = (events: Array<Event>): void => {
    if (state === "Data") events.push({ _tag: "PartEnd" })
    state = "Head"
  }

  /** Goes on with a delimiter that began in the chunk before; where to scan from. */
  const resume = (chunk: Buffer, events: Array<Event>): number => {
    const length = Math.min(delimiter.length - matched, chunk.length)
    if (chunk.compare(delimiter, matched, matched + length, 0, length) !== 0) {
      emit(delimiter.subarray(0, matched), events)
      matched = 0
      return 0
    }
    matched += length
    if (matched === delimiter.length) {
      matched = 0
      endPart(events)
    }
    return length
  }

  const scanData = (chunk: Buffer, from: number, events: Array<Event>): number => {
    const at = chunk.indexOf(delimiter, from)
    if (at >= 0) {
      emit(chunk.subarray(from, at), events)
      endPart(events)
      return at + delimiter.length
    }
    matched = partialMatch(chunk, delimiter, from)
    emit(from === 0 && matched === 0 ? chunk : chunk.subarray(from, chunk.length - matched), events)
    return chunk.length
  }

  return {
    push: (bytes) => {
      const chunk = toBuffer(bytes)
      const events: Array<Event> = []
      let at = matched > 0 && chunk.length > 0 ? resume(chunk, events) : 0
      while (at < chunk.length && state !== "Epilogue") {
        at = state === "Head" ? scanHead(chunk, at, events) : scanData(chunk, at, events)
      }
      return events
    }
  }
}
