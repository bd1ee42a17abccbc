/**
 * The keys that sign: derived from a secret key for a day and a region.
 */
import { createHmac } from "node:crypto"

/** What a signing key is for. */
export interface SigningScope {
  readonly accessKey: string
  /** Such as `20261123`. */
  readonly date: string
  readonly region: string
}

/** Derives the key for a scope: four HMACs. */
export type DeriveKey = (secret: string, scope: SigningScope) => Buffer

/** The most cached keys. Clients choose the region, so that there may be any number. */
const capacity = 1000

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

/** Makes the function that derives keys. It caches them: a program signs all requests of a day with the same one. */
export const make = (): DeriveKey => {
  const cache = new Map<string, { readonly secret: string; readonly key: Buffer }>()
  return (secret, { accessKey, date, region }) => {
    const cacheKey = `${accessKey} ${date} ${region}`
    const cached = cache.get(cacheKey)
    if (cached?.secret === secret) return cached.key
    const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), "s3"), "aws4_request")
    if (cache.size >= capacity) cache.clear()
    cache.set(cacheKey, { secret, key })
    return key
  }
}

/** Returns the signature of a text, hexadecimal. */
export const sign = (key: Buffer, text: string): string => createHmac("sha256", key).update(text).digest("hex")
