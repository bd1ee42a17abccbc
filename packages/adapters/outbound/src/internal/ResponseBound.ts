/**
 * Bounds the body of a response, whatever its client does with the bytes. Clients of object stores collect every body
 * that is not the content of an object in memory, so a body without end would use all of it. They parse it in one
 * synchronous step as well, in which no other request is answered: S3's client takes 0.1 ms per KiB of XML, Azure's 1 ms
 * per KiB of names and 10 µs per tag, except for listings, which are parsed in slices.
 */
import type * as Http from "node:http"
import { ResponseTooLong } from "../ResponseTooLong.ts"

interface Bounds {
  readonly bytes: number
  /** Characters `<`: XML has two for most values. */
  readonly tags: number
}

/** A document about one object has less than 4 KiB, and an error document less than 2 KiB. A page of a proxy may have more. */
const answer: Bounds = { bytes: 64 * 1024, tags: 1000 }

/**
 * An entry of a listing. A name of 1,024 bytes takes 3 KiB in URL encoding, and up to 5 KiB in XML, where `&` takes five
 * bytes; but a whole page of such names does not occur. Azure has some 30 properties, which take 1.5 KiB.
 */
const entry: Bounds = { bytes: 4 * 1024, tags: 64 }

/** The most entries of a page that a service sends. */
const maxEntries = 1000

/** How many entries a listing requests, by the names of the parameter at S3, Azure and Google Cloud Storage. */
const requestedEntries = (path: string): number =>
  Math.min(maxEntries, Number(/[?&](?:max-(?:keys|uploads)|maxresults)=(\d+)/i.exec(path)?.[1] ?? 0))

/** Returns whether a status means that a request succeeded. */
export const isSuccess = ({ statusCode = 0 }: Http.IncomingMessage): boolean => statusCode >= 200 && statusCode < 300

/** Node sets the request; its types leave it out. */
const pathOf = (response: Http.IncomingMessage & { readonly req?: Http.ClientRequest }): string =>
  response.req?.path ?? ""

const boundsOf = (response: Http.IncomingMessage): Bounds => {
  const entries = isSuccess(response) ? requestedEntries(pathOf(response)) : 0
  return { bytes: Math.max(answer.bytes, entries * entry.bytes), tags: Math.max(answer.tags, entries * entry.tags) }
}

const lessThan = 0x3c

const countTags = (chunk: Uint8Array): number => {
  let count = 0
  for (let at = chunk.indexOf(lessThan); at !== -1; at = chunk.indexOf(lessThan, at + 1)) count++
  return count
}

/**
 * Destroys a response when its client listens for errors. Node drops the error of a response without a listener, and the
 * client would wait for the end until its deadline: it may get the head and all of the body in one read.
 */
const destroy = (response: Http.IncomingMessage, error: Error): void => {
  if (response.listenerCount("error") > 0) return void response.destroy(error)
  response.on("newListener", (event) => {
    if (event === "error") process.nextTick(() => response.destroy(error))
  })
}

/**
 * Destroys a response as soon as it has sent too many bytes or tags. Counts them where Node's parser delivers them: a
 * client may read by events, by pipes or by iteration.
 */
export const install = (response: Http.IncomingMessage): void => {
  const bounds = boundsOf(response)
  const push = response.push.bind(response)
  let bytes = 0
  let tags = 0
  let isRefused = false
  response.push = (chunk: Uint8Array | null, encoding) => {
    if (isRefused) return false
    if (chunk !== null) {
      bytes += chunk.byteLength
      if (bytes <= bounds.bytes) tags += countTags(chunk)
    }
    if (bytes <= bounds.bytes && tags <= bounds.tags) return push(chunk, encoding)
    isRefused = true
    destroy(response, new ResponseTooLong({ maxBytes: bounds.bytes }))
    return false
  }
}
