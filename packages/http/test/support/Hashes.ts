/**
 * What a content's bytes are known by.
 */
import { createHash } from "node:crypto"

type Content = string | Uint8Array

/** SHA-256, as records carry it. */
export const hex = (content: Content): string => createHash("sha256").update(content).digest("hex")

/** SHA-256, as `Repr-Digest` and `Content-Digest` carry it. */
export const digest = (content: Content): string => `sha-256=:${createHash("sha256").update(content).digest("base64")}:`
