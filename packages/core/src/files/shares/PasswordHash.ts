/**
 * Hashes the passwords of shares by scrypt (RFC 7914).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as BuiltinModule from "../../deployment/BuiltinModule.ts"

interface Crypto {
  readonly scrypt: (
    password: string,
    salt: Uint8Array,
    length: number,
    options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
    done: (error: Error | null, key: Uint8Array) => void
  ) => void
  readonly timingSafeEqual: (one: Uint8Array, other: Uint8Array) => boolean
}

/** A parameter set of the OWASP Password Storage Cheat Sheet. A hash takes 32 MiB and some 250 ms on a thread of Node. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 ** 2 }
const keyLength = 32

const decode = (text: string | undefined): Uint8Array => Result.getOrThrow(Base64Url.decode(text ?? ""))

export interface PasswordHash {
  /** Returns the hash of a password. */
  readonly hash: (password: string, salt: Uint8Array) => Effect.Effect<string>
  /** Whether a password has this hash. */
  readonly verify: (password: string, hash: string) => Effect.Effect<boolean>
}

const make = (): PasswordHash => {
  // Node has four threads, which also read and write files: one of them at most hashes passwords. A thread cannot be interrupted, so
  // that the next hash waits for it also when the client has left.
  const one = Semaphore.makeUnsafe(1)
  const derive = (password: string, salt: Uint8Array) =>
    one.withPermits(1)(
      Effect.uninterruptible(
        Effect.callback<Uint8Array>((resume) => {
          const { scrypt } = BuiltinModule.get<Crypto>("node:crypto")
          scrypt(password.normalize("NFC"), salt, keyLength, cost, (error, key) =>
            resume(error === null ? Effect.succeed(key) : Effect.die(error))
          )
        })
      )
    )
  return {
    hash: (password, salt) =>
      Effect.map(derive(password, salt), (key) => `scrypt$${Base64Url.encode(salt)}$${Base64Url.encode(key)}`),
    verify: (password, hash) => {
      const [, salt, key] = hash.split("$")
      return Effect.map(derive(password, decode(salt)), (derived) =>
        BuiltinModule.get<Crypto>("node:crypto").timingSafeEqual(derived, decode(key))
      )
    }
  }
}

/** The hash function of passwords. */
export const PasswordHash = Context.Reference<PasswordHash>("@holdfast/core/files/shares/PasswordHash", {
  defaultValue: make
})
