/**
 * Parses the documents of requests in slices, so that other requests have their turn of the event loop between them. Large documents wait
 * for a slot: the elements of one with 10,000 parts take some 20 MiB of memory.
 */
import * as Effect from "effect/Effect"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import { StringDecoder } from "node:string_decoder"
import * as BodyTurns from "../../incoming/BodyTurns.ts"
import * as XmlReader from "@holdfast/outbound/XmlReader"

/** Bytes that are parsed before other requests have their turn: some 0.4 ms, 1.6 ms if they are line breaks. */
const sliceBytes = 16 * 1024

/** A document of more bytes waits for a slot. */
const maxUnqueuedBytes = 64 * 1024

/** The most large documents that are parsed at once. */
const slots = 2

/** Makes the function that returns the root of a document, undefined for bytes that are none. `tenantId` names its sender. */
export const make = Effect.gen(function* () {
  // Slots that become free go to the waiting tenants in rotation.
  const semaphore = yield* PartitionedSemaphore.make<string>({ permits: slots })

  const parse = Effect.fnUntraced(function* (bytes: Uint8Array, limits: XmlReader.Limits, tenantId: string) {
    const reader = XmlReader.make(limits)
    const decoder = new StringDecoder("utf8")
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      if (at > 0) yield* BodyTurns.wait(tenantId)
      if (!reader.write(decoder.write(bytes.subarray(at, at + sliceBytes)))) return undefined
    }
    return reader.write(decoder.end()) ? reader.end() : undefined
  })

  return (
    bytes: Uint8Array,
    limits: XmlReader.Limits,
    tenantId: string
  ): Effect.Effect<XmlReader.XmlElement | undefined> => {
    const parsing = parse(bytes, limits, tenantId)
    return bytes.length <= maxUnqueuedBytes ? parsing : semaphore.withPermit(tenantId)(parsing)
  }
})
