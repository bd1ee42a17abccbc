/**
 * How the stored bytes of a blob differ from those that its row describes.
 *
 * - `Missing`: the store has no blob of the key.
 * - `WrongSize`: the blob has fewer or more bytes than the row says.
 * - `Damaged`: the blob has the right size and another SHA-256, or its device cannot read its bytes.
 */
export type DamageKind = "Missing" | "WrongSize" | "Damaged"

export const kinds: ReadonlyArray<DamageKind> = ["Missing", "WrongSize", "Damaged"]
