/**
 * Mirrors of a bucket: `holdfast.mirrors` and `client.mirrors`.
 */
import * as Redacted from "effect/Redacted"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type * as Mirror from "../../mirrors/Mirror.ts"
import type * as MirrorInput from "../../mirrors/MirrorInput.ts"
import type { MirrorRef } from "../../mirrors/MirrorRepository.ts"
import { type FilesRequest, Mirrors } from "../../mirrors/Mirrors.ts"
import { secretFields } from "../../mirrors/targets/types/TargetTypes.ts"
import type * as Page from "../../Page.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import type { WithTimes } from "../internal/Times.ts"

export type MirrorRecord<Time = Date> = WithTimes<Mirror.Mirror, Time>
export interface MirrorFileRecord<Time = Date> extends WithTimes<Mirror.MirrorFile, Time> {}

/** The fields of one mirror type. Secrets are plain strings; they are stored encrypted, and no record has them. */
export type CreateMirrorInput = BucketRef & typeof MirrorInput.CreateMirror.Encoded
export type UpdateMirrorInput = MirrorRef & typeof MirrorInput.UpdateMirror.Encoded
export interface ListMirrorsInput extends BucketRef, Page.Request {}
export interface ListMirrorFilesInput extends MirrorRef, FilesRequest {}

export interface MirrorOperations<Time> {
  /**
   * Creates a mirror, which copies every file of the bucket to a target. Unless `verify` is false, first checks that the
   * target can be written to, and rejects with `mirror_target_unreachable` when it cannot. Rejects with `mirror_loop`, and
   * with `mirror_type_unavailable` where the deployment has no targets of this type or no secret key.
   */
  create(input: CreateMirrorInput): MirrorRecord<Time>

  /** Lists the mirrors of a bucket. */
  list(input: ListMirrorsInput): Page.Page<MirrorRecord<Time>>

  /** Returns a mirror. Its `stats` count the files that are still to be copied. */
  get(input: MirrorRef): MirrorRecord<Time>

  /**
   * Renames a mirror, pauses or resumes it, or changes its credentials. Failed copies are retried at once. Rejects with
   * `mirror_target_unreachable` and `mirror_type_unavailable` as `create` does.
   */
  update(input: UpdateMirrorInput): MirrorRecord<Time>

  /** Removes a mirror. The copies stay at the target. */
  remove(input: MirrorRef): void

  /**
   * Requests a reconciliation: the worker compares the target with the bucket, and copies what is missing or different
   * there. Resolves before the reconciliation runs.
   */
  sync(input: MirrorRef): MirrorRecord<Time>

  /** Lists the files of a mirror with the state of each copy. */
  files(input: ListMirrorFilesInput): Page.Page<MirrorFileRecord<Time>>
}

export interface MirrorsApi extends Methods<MirrorOperations<Date>, [actor: ActorHandle]> {}

const secretNames: ReadonlySet<string> = new Set(secretFields)

/** Returns the input with its secrets redacted, valid or not. The service decodes them; its faults do not show them. */
const redactSecrets = (input: object): object =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]: [string, unknown]) => [
      name,
      secretNames.has(name) && value !== undefined ? Redacted.make(value) : value
    ])
  )

const mirror = { ...Fields.bucket, mirrorId: "id" } as const

/** The fields of targets that can be changed. */
const credentials = {
  accessKeyId: true,
  secretAccessKey: true,
  accountKey: true,
  credentials: true,
  apiKey: true
} as const

/** The fields of targets of all types. */
const target = {
  ...credentials,
  endpoint: true,
  region: true,
  bucketName: true,
  forcePathStyle: true,
  accountName: true,
  containerName: true,
  projectId: true,
  serviceTenantId: true,
  serviceBucketId: true
} as const

export const make = (invoke: Invoke): MirrorsApi =>
  bind<MirrorOperations<Date>>(
    invoke,
    {
      create: (actor, input) =>
        Mirrors.use((service) => service.create(actor, input, redactSecrets(input) as MirrorInput.CreateMirror)),
      list: (actor, input) => Mirrors.use((service) => service.list(actor, input, input)),
      get: (actor, input) => Mirrors.use((service) => service.get(actor, input)),
      update: (actor, input) =>
        Mirrors.use((service) => service.update(actor, input, redactSecrets(input) as MirrorInput.UpdateMirror)),
      remove: (actor, input) => Mirrors.use((service) => service.remove(actor, input)),
      sync: (actor, input) => Mirrors.use((service) => service.sync(actor, input)),
      files: (actor, input) => Mirrors.use((service) => service.files(actor, input, input))
    },
    {
      create: { ...Fields.bucket, ...target, name: true, type: true, verify: true },
      list: { ...Fields.bucket, ...Fields.page },
      get: mirror,
      update: { ...mirror, ...credentials, name: true, paused: true, verify: true },
      remove: mirror,
      sync: mirror,
      files: { ...mirror, ...Fields.page, state: true }
    },
    { list: true, files: true }
  )
