/**
 * The prefix of a list. Keys are stored in Unicode NFC, and clients on macOS write the names of files in NFD.
 */
export interface KeyPrefix {
  /** As stored keys begin. */
  readonly stored: string
  /** Returns a listed key with its beginning as the client wrote the prefix: clients cut the prefix off the keys. */
  readonly spell: (key: string) => string
}

export const of = (prefix: string): KeyPrefix => {
  const stored = prefix.normalize("NFC")
  return { stored, spell: stored === prefix ? (key) => key : (key) => `${prefix}${key.slice(stored.length)}` }
}
