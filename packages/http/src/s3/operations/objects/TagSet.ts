/**
 * The document with the tags of an object, as requests and forms have it.
 */
import * as Effect from "effect/Effect"
import { S3Error } from "../../S3Error.ts"
import * as XmlReader from "@holdfast/outbound/XmlReader"
import * as ObjectMetadata from "./ObjectMetadata.ts"

/** A document of ten tags has some 30 elements, and less than 40 KiB even with all characters in references. */
export const limits: XmlReader.Limits = { maxBytes: 64 * 1024, maxElements: 1000 }

const malformed = S3Error.of("MalformedXML")

/** Returns the tags of a document. Fails with `MalformedXML` and `InvalidTag`. */
export const read = (root: XmlReader.XmlElement | undefined): Effect.Effect<ObjectMetadata.Tags, S3Error> => {
  const list = root?.children.find(({ name }) => name === "TagSet")
  if (root?.name !== "Tagging" || list === undefined) return Effect.fail(malformed)
  return ObjectMetadata.checkTags(
    list.children.map((tag) => [XmlReader.textOf(tag, "Key") ?? "", XmlReader.textOf(tag, "Value") ?? ""] as const)
  )
}
