/**
 * The key that encrypts secrets at rest: configured, or created once and kept in the data directory.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as AesSecretBox from "@holdfast/core/secrets/AesSecretBox"
import type { SecretBox } from "@holdfast/core/secrets/SecretBox"
import * as SigningSecret from "@holdfast/core/secrets/SigningSecret"
import * as DirectoryOwner from "@holdfast/fs/DirectoryOwner"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Config } from "../config/Config.ts"

/** The key file cannot be read or created, or does not contain a key. */
export class SecretKeyError extends Data.TaggedError("SecretKeyError")<{
  readonly file: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.cause === undefined
      ? `${this.file} does not contain a key of 32 bytes in base64url. Restore it, or set HOLDFAST_SECRET_KEY.`
      : `${this.file} cannot be used: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** The name of the key file in the data directory. */
export const fileName = "secret.key"

/** Bytes. */
const keyLength = 32

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code

/**
 * Creates the key file and makes it durable: a synced draft gets its final name by a hard link, and the directory is
 * synced. If another process creates the file first, that process's key is used.
 */
const create = (file: string): void => {
  const draft = `${file}.${process.pid}`
  // A process that died may have had the same id, as in a container.
  Fs.rmSync(draft, { force: true })
  const descriptor = Fs.openSync(draft, "wx", 0o600)
  try {
    DirectoryOwner.make(Path.dirname(file)).give(descriptor)
    Fs.writeSync(descriptor, `${randomBytes(keyLength).toString("base64url")}\n`)
    Fs.fsyncSync(descriptor)
  } finally {
    Fs.closeSync(descriptor)
  }
  try {
    Fs.linkSync(draft, file)
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
  } finally {
    Fs.unlinkSync(draft)
  }
  const directory = Fs.openSync(Path.dirname(file), "r")
  try {
    Fs.fsyncSync(directory)
  } finally {
    Fs.closeSync(directory)
  }
}

const readOrCreate = (file: string): string => {
  if (!Fs.existsSync(file)) {
    Fs.mkdirSync(Path.dirname(file), { recursive: true, mode: 0o700 })
    create(file)
  }
  return Fs.readFileSync(file, "utf8").trim()
}

/** Returns the key in a data directory, which is created if absent. */
const loadFrom = (directory: string): Effect.Effect<Redacted.Redacted<Uint8Array>, SecretKeyError> => {
  const file = Path.join(directory, fileName)
  return Effect.try({ try: () => readOrCreate(file), catch: (cause) => new SecretKeyError({ file, cause }) }).pipe(
    Effect.flatMap((text) => {
      const bytes = Buffer.from(text, "base64url")
      return bytes.length === keyLength
        ? Effect.succeed(Redacted.make(new Uint8Array(bytes), { label: "SecretKey" }))
        : Effect.fail(new SecretKeyError({ file }))
    })
  )
}

/** The secret box with the current and the former keys of the settings. */
export const layerSecretBox = ({
  dataDir,
  formerSecretKeys: former,
  secretKey
}: Pick<Config, "dataDir" | "formerSecretKeys" | "secretKey">): Layer.Layer<
  SecretBox,
  SecretKeyError | AesSecretBox.SecretKeyInvalid,
  SecureRandom | Digest
> =>
  Layer.unwrap(
    Effect.map(secretKey === undefined ? loadFrom(dataDir) : Effect.succeed(secretKey), (current) =>
      AesSecretBox.layer({ current, former })
    )
  ).pipe(Layer.provide(NodeCrypto.layerAead))

/**
 * The secret that signs playback keys and links. It is derived from the secret key, so that nodes with the same secret key accept
 * each other's. Changing the secret key invalidates all of them; a player gets a new playback key when it is loaded again.
 */
export const layerSigningSecret = ({
  dataDir,
  secretKey
}: Pick<Config, "dataDir" | "secretKey">): Layer.Layer<never, SecretKeyError> =>
  Layer.effect(
    SigningSecret.SigningSecret,
    Effect.flatMap(secretKey === undefined ? loadFrom(dataDir) : Effect.succeed(secretKey), SigningSecret.derive)
  ).pipe(Layer.provide(NodeCrypto.layerMac))
