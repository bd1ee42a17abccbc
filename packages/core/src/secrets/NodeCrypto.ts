/**
 * The `node:crypto` of the runtime, where it has this module, as Node.js, Bun and Deno have.
 */

export interface Hashing {
  readonly update: (data: Uint8Array) => Hashing
  readonly digest: {
    (): Uint8Array
    (encoding: "hex"): string
  }
}

/** The part of `node:crypto` that is used here. */
export interface NodeCrypto {
  readonly createHash: (name: string) => Hashing
  readonly createHmac: (name: string, key: object) => Hashing
  readonly createSecretKey: (bytes: Uint8Array) => object
}

/** The global object of a runtime that has modules of its own. */
interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: string) => NodeCrypto | undefined }
}

/** The module; undefined where there is none. Not imported, because this package also runs there. */
export const nodeCrypto: NodeCrypto | undefined = (globalThis as Runtime).process?.getBuiltinModule?.("node:crypto")
