/**
 * The fields that the payloads of signed keys have in common, as bytes.
 */
import * as Hex from "effect/encoding/Hex"
import * as Actor from "../../Actor.ts"

const kinds = { System: 0, Key: 1, Account: 2, Share: 3, VersionedShare: 4 } as const

/**
 * Returns the kind of a parent, in the low half of a byte. A share whose password was never changed has a kind of its own, which nodes of
 * former versions know.
 */
export const parentKind = (parent: Actor.Actor): number =>
  parent._tag === "Share" && parent.passwordVersion > 0 ? kinds.VersionedShare : kinds[parent._tag]

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

const uuidLength = 16

/** Returns the UUID of a share, and the version of its password unless that is 0. */
const shareBytes = ({ passwordVersion, shareId }: Extract<Actor.Actor, { readonly _tag: "Share" }>): Uint8Array => {
  if (passwordVersion === 0) return uuidBytes(shareId)
  const bytes = new Uint8Array(uuidLength + 4)
  bytes.set(uuidBytes(shareId))
  new DataView(bytes.buffer).setUint32(uuidLength, passwordVersion)
  return bytes
}

/** Returns nothing, the SHA-256 of a key, the UUID of an account, or the UUID of a share with the version of its password. */
export const parentBytes = (parent: Actor.Actor): Uint8Array => {
  switch (parent._tag) {
    case "System":
      return new Uint8Array()
    case "Key":
      return hexBytes(parent.hash)
    case "Account":
      return uuidBytes(parent.accountId)
    case "Share":
      return shareBytes(parent)
  }
}

/** The number of bytes that `parentBytes` returns for a kind; undefined for a number that is no kind. */
export const parentLength = (kind: number): number | undefined => [0, 32, uuidLength, uuidLength, uuidLength + 4][kind]

/** Returns the parent of a kind from exactly its bytes; undefined for anything else. */
export const toParent = (kind: number, id: Uint8Array): Actor.Actor | undefined => {
  if (id.length !== parentLength(kind)) return undefined
  if (kind === kinds.System) return Actor.system
  if (kind === kinds.Key) return Actor.parentKey(Hex.encode(id))
  if (kind === kinds.Account) return Actor.account(`acc_${toUuid(id)}`)
  const passwordVersion =
    kind === kinds.VersionedShare ? new DataView(id.buffer, id.byteOffset).getUint32(uuidLength) : 0
  return Actor.share(`shr_${toUuid(id.subarray(0, uuidLength))}`, passwordVersion)
}
