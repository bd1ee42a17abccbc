/**
 * Parses the pages of listings. The SDK would parse a page in one turn of the event loop, and takes up to 1 ms for each name, since it
 * examines every character. This parser takes less than a tenth of that, and proceeds in slices.
 */
import * as XmlReader from "@holdfast/outbound/XmlReader"
import { setImmediate as turn } from "node:timers/promises"
import * as AzureFailure from "../AzureFailure.ts"

/** A blob of a listing. */
export interface ListedBlob {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Without quotes, as listings have it. */
  readonly etag: string | undefined
}

export interface Page {
  readonly blobs: ReadonlyArray<ListedBlob>
  /** The token of the next page; undefined on the last one. */
  readonly next: string | undefined
}

/** UTF-16 code units that are parsed before others have their turn: some 0.4 ms. */
const sliceLength = 16 * 1024

/** A blob has some 40 elements, besides its metadata and tags, which listings do not include. */
const limits = {
  maxElements: 64 * 1000,
  // 1,024 characters, each of which takes up to nine in URL encoding.
  maxText: 16 * 1024
}

const malformed = AzureFailure.unexpected("it listed something other than blobs")

/** Returns the text of the name. A name with characters that XML does not have arrives in URL encoding. */
const nameOf = (blob: XmlReader.XmlElement): string | undefined => {
  const name = XmlReader.child(blob, "Name")
  if (name === undefined) return undefined
  return name.attributes["Encoded"] === "true" ? decodeURIComponent(name.text) : name.text
}

const toBlob = (element: XmlReader.XmlElement): ListedBlob => {
  const name = nameOf(element)
  const properties = XmlReader.child(element, "Properties")
  if (name === undefined || properties === undefined) throw malformed
  const size = XmlReader.textOf(properties, "Content-Length") ?? ""
  // Azure lists the size of every blob. Some other servers leave out that of an empty one.
  if (!/^[0-9]{0,16}$/.test(size)) throw malformed
  return { name, size: Number(size), etag: XmlReader.textOf(properties, "Etag") }
}

/** Returns the blobs of a page, and the token of the next one. Throws `AzureFailure` for a document that is none. */
export const parse = async (text: string): Promise<Page> => {
  const elements: Array<XmlReader.XmlElement> = []
  const reader = XmlReader.make(limits, (element) => element.name === "Blob" && elements.push(element) > 0)
  const writeFrom = async (at: number): Promise<void> => {
    if (!reader.write(text.slice(at, at + sliceLength))) throw malformed
    if (at + sliceLength >= text.length) return
    await turn()
    await writeFrom(at + sliceLength)
  }
  await writeFrom(0)
  const root = reader.end()
  if (root?.name !== "EnumerationResults") throw malformed
  try {
    return { blobs: elements.map(toBlob), next: XmlReader.textOf(root, "NextMarker") || undefined }
  } catch {
    throw malformed
  }
}
