/**
 * The fields that the payloads of signed keys have in common, as bytes.
 */
import * as Hex from "effect/encoding/Hex"
import * as Actor from "../../Actor.ts"

/** The kind of a parent, in the low half of a byte. */
export const parentKinds = { System: 0, Key: 1, Account: 2, Share: 3 } as const satisfies {
  readonly [kind in Actor.Actor["_tag"]]: number
}

/** Returns the value of a hexadecimal digit: `0` to `9` or `a` to `f`. */
const digit = (code: number): number => (code & 15) + (code > 57 ? 9 : 0)

/** Decodes hexadecimal in lower case. The ids come from successful lookups, so that it is not checked. */
const hexBytes = (hex: string): Uint8Array => {
  const bytes = new Uint8Array(hex.length / 2)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (digit(hex.charCodeAt(2 * index)) << 4) | digit(hex.charCodeAt(2 * index + 1))
  }
  return bytes
}

/** Returns the 16 bytes of the UUID in an id. */
export const uuidBytes = (id: string): Uint8Array => hexBytes(id.slice(4).replaceAll("-", ""))

/** Returns the UUID of 16 bytes, as in an id. */
export const toUuid = (bytes: Uint8Array): string =>
  Hex.encode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** Returns nothing, the SHA-256 of a key, or the UUID of an account or a share. */
export const parentBytes = (parent: Actor.Actor): Uint8Array => {
  switch (parent._tag) {
    case "System":
      return new Uint8Array()
    case "Key":
      return hexBytes(parent.hash)
    case "Account":
      return uuidBytes(parent.accountId)
    case "Share":
      return uuidBytes(parent.shareId)
  }
}

/** The number of bytes that `parentBytes` returns for a kind; undefined for a number that is no kind. */
export const parentLength = (kind: number): number | undefined => [0, 32, 16, 16][kind]

/** Returns the parent of a kind from exactly its bytes; undefined for anything else. */
export const toParent = (kind: number, id: Uint8Array): Actor.Actor | undefined => {
  if (id.length !== parentLength(kind)) return undefined
  if (kind === parentKinds.System) return Actor.system
  if (kind === parentKinds.Key) return Actor.parentKey(Hex.encode(id))
  return kind === parentKinds.Share ? Actor.share(`shr_${toUuid(id)}`) : Actor.account(`acc_${toUuid(id)}`)
}
