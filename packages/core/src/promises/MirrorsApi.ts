/**
 * `holdfast.mirrors`.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type * as Mirror from "../mirrors/Mirror.ts"
import type * as MirrorInput from "../mirrors/MirrorInput.ts"
import { type FilesRequest, type MirrorRef, Mirrors } from "../mirrors/Mirrors.ts"
import { secretField } from "../mirrors/StoredMirror.ts"
import type * as Page from "../Page.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call } from "./Call.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"

export type MirrorRecord = Plain.Plain<Mirror.Mirror>
export type MirrorFileRecord = Plain.Plain<Mirror.MirrorFile>

/** What a caller gives, secrets as plain texts. They are sealed at rest, and never come back. */
export type CreateMirrorInput = BucketRef & typeof MirrorInput.CreateMirror.Encoded
export type UpdateMirrorInput = MirrorRef & typeof MirrorInput.UpdateMirror.Encoded

const secretNames: ReadonlySet<string> = new Set(Object.values(secretField))

/** The same with its secrets wrapped, right or not: the service decodes it, and tells what is wrong without them. */
const withSecrets = (input: object): object =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]: [string, unknown]) => [
      name,
      secretNames.has(name) && value !== undefined ? Redacted.make(value) : value
    ])
  )

export class MirrorsApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /**
   * Mirrors a bucket elsewhere. Unless `verify` is false the target must answer first: rejects with
   * `MirrorTargetUnreachable` when it does not, and with `MirrorTypeUnavailable` where `open` was given no such targets,
   * or no `secretKey`.
   */
  create(actor: ActorHandle, input: CreateMirrorInput, options?: CallOptions): Promise<MirrorRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Mirrors.use((mirrors) => mirrors.create(as, input, withSecrets(input) as MirrorInput.CreateMirror)),
        Plain.fromCore
      )
    )
  }

  list(
    actor: ActorHandle,
    input: BucketRef & Page.Request,
    options?: CallOptions
  ): Promise<Plain.Plain<Page.Page<Mirror.Mirror>>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Mirrors.use((mirrors) => mirrors.list(as, input, input)),
        Plain.fromCore
      )
    )
  }

  /** A mirror, and how far behind it is. */
  get(actor: ActorHandle, input: MirrorRef, options?: CallOptions): Promise<MirrorRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Mirrors.use((mirrors) => mirrors.get(as, input)),
        Plain.fromCore
      )
    )
  }

  /** Renames a mirror, pauses or resumes it, or gives it other credentials; what failed is then tried again at once. */
  update(actor: ActorHandle, input: UpdateMirrorInput, options?: CallOptions): Promise<MirrorRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Mirrors.use((mirrors) => mirrors.update(as, input, withSecrets(input) as MirrorInput.UpdateMirror)),
        Plain.fromCore
      )
    )
  }

  /** Removes a mirror; what it has copied stays at the target. */
  remove(actor: ActorHandle, input: MirrorRef, options?: CallOptions): Promise<void> {
    return this.#call(actor, input, options, (as) => Mirrors.use((mirrors) => mirrors.remove(as, input)))
  }

  /** Has the target compared with the bucket, and what is missing or different there copied anew. */
  sync(actor: ActorHandle, input: MirrorRef, options?: CallOptions): Promise<MirrorRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Mirrors.use((mirrors) => mirrors.sync(as, input)),
        Plain.fromCore
      )
    )
  }

  /** What became of each file. */
  files(
    actor: ActorHandle,
    input: MirrorRef & FilesRequest,
    options?: CallOptions
  ): Promise<Plain.Plain<Page.Page<Mirror.MirrorFile>>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Mirrors.use((mirrors) => mirrors.files(as, input, input)),
        Plain.fromCore
      )
    )
  }
}
