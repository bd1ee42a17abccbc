/**
 * SHA-256 of contents in the forms that the API uses.
 */
import { createHash } from "node:crypto"

type Content = string | Uint8Array

/** As in the records of files: hexadecimal. */
export const sha256Hex = (content: Content): string => createHash("sha256").update(content).digest("hex")

/** As in `Repr-Digest` and `Content-Digest` (RFC 9530). */
export const digestHeader = (content: Content): string =>
  `sha-256=:${createHash("sha256").update(content).digest("base64")}:`
