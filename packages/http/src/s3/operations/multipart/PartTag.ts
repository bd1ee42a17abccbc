/**
 * The tag of a part: its MD5, and the checksum that the client has sent with it.
 */
import type { UploadPart } from "@holdfast/core/uploads/Upload"
import * as Checksums from "../../payload/Checksums.ts"
import type { Checksum, Payload } from "../../payload/Payload.ts"
import type * as Xml from "../../xml/Xml.ts"

export interface PartTag {
  /** Hexadecimal. */
  readonly md5: string
  readonly checksum: Checksum | undefined
}

/** Returns the tag of a part with this content. Valid after the content has ended. */
export const of = ({ checksum, md5 }: Pick<Payload, "checksum" | "md5">): PartTag => ({
  md5: md5(),
  checksum: checksum()
})

/** Returns the text that is stored with the part. */
export const write = ({ checksum, md5 }: PartTag): string =>
  checksum === undefined ? md5 : `${md5} ${checksum.algorithm} ${checksum.value}`

/** Returns the tag of a stored part. */
export const read = ({ tag }: Pick<UploadPart, "tag">): PartTag => {
  const [md5 = "", name = "", value = ""] = (tag ?? "").split(" ")
  const algorithm = Checksums.algorithmNamed(name)
  return { md5, checksum: algorithm === undefined ? undefined : { algorithm, value } }
}

/** Returns the element with a checksum. */
export const checksumElement = (checksum: Checksum | undefined): Xml.Element =>
  checksum === undefined ? ["ChecksumCRC32", undefined] : [`Checksum${checksum.algorithm}`, checksum.value]
