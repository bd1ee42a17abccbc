/**
 * Checks what a share may be: which actions fit its target, and what the rules of its bucket permit.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ShareRules from "../../../buckets/ShareRules.ts"
import { InvalidRequest } from "../../../Errors.ts"
import * as Input from "../../../Input.ts"
import {
  CreateShare,
  defaultMaxBytes,
  defaultMaxFiles,
  type ShareAction,
  type StoredShare,
  UpdateShare
} from "../Share.ts"

const decodeFields = Input.decoder(
  Schema.Struct({ ...CreateShare.fields, expiresAt: Schema.toType(CreateShare.fields.expiresAt) })
)
const decodeChange = Input.decoder(
  Schema.Struct({ ...UpdateShare.fields, expiresAt: Schema.toType(UpdateShare.fields.expiresAt) })
)

const refuse = (pointer: string, detail: string) => Effect.fail(InvalidRequest.at(pointer, detail))

/** Fails for a limit of uploads on a share that permits none, and for one of downloads on an upload share. */
const checkLimits = (
  isUpload: boolean,
  { maxBytes, maxDownloads, maxFiles }: Pick<UpdateShare, "maxBytes" | "maxDownloads" | "maxFiles">
): Effect.Effect<void, InvalidRequest> => {
  if (isUpload && maxDownloads !== undefined && maxDownloads !== null) {
    return refuse("/maxDownloads", "must be absent: a share for uploads permits no downloads")
  }
  if (isUpload) return Effect.void
  const field = maxFiles === undefined ? (maxBytes === undefined ? undefined : "maxBytes") : "maxFiles"
  return field === undefined ? Effect.void : refuse(`/${field}`, "must be absent: only a share for uploads has it")
}

/** Decodes the input of a new share, and replaces what is absent by the defaults. */
export const decodeCreate = Effect.fnUntraced(function* (input: unknown) {
  const decoded = yield* decodeFields(input)
  const { expiresAt, fileId = null, maxBytes, maxDownloads = null, maxFiles, name, password = null } = decoded
  if (fileId !== null && decoded.path !== undefined)
    return yield* refuse("/path", "must be absent where a file is given")
  const path = fileId === null ? (decoded.path ?? "/") : null
  const all: ReadonlyArray<ShareAction> =
    path === null ? ["view", "download", "play"] : ["view", "download", "play", "list"]
  const may = [...new Set(decoded.may ?? all)]
  const isUpload = may.includes("upload")
  if (isUpload && may.length > 1) {
    return yield* refuse("/may", "must have upload alone: an uploader must not see the files of another one")
  }
  if (path === null && (isUpload || may.includes("list"))) {
    return yield* refuse("/may", "must have neither list nor upload for a file; share its folder instead")
  }
  yield* checkLimits(isUpload, decoded)
  return {
    name,
    fileId,
    path,
    may,
    expiresAt,
    password,
    maxDownloads,
    maxFiles: isUpload ? (maxFiles ?? defaultMaxFiles) : null,
    maxBytes: isUpload ? (maxBytes ?? defaultMaxBytes) : null
  }
})

/** Decodes a change of a share. */
export const decodeUpdate = Effect.fnUntraced(function* (input: unknown, share: StoredShare) {
  const change = yield* decodeChange(input)
  yield* checkLimits(share.may.includes("upload"), change)
  return change
})

/**
 * Returns when a share expires: the requested time, or the end of the longest life that the bucket permits when none is requested.
 * Fails with `InvalidRequest` at `/expiresAt`.
 */
export const decideExpiry = (input: {
  readonly requested: DateTime.Utc | null | undefined
  readonly now: DateTime.Utc
  readonly createdAt: DateTime.Utc
  readonly rules: ShareRules.ShareRules
}): Effect.Effect<DateTime.Utc | null, InvalidRequest> => {
  const { createdAt, now, requested, rules } = input
  const last = ShareRules.endOf(rules, { createdAt, expiresAt: null })
  if (requested === undefined) return Effect.succeed(last)
  if (requested !== null && !DateTime.isGreaterThan(requested, now)) {
    return refuse("/expiresAt", "must be in the future")
  }
  return last !== null && (requested === null || DateTime.isGreaterThan(requested, last))
    ? refuse("/expiresAt", `must be at most ${DateTime.formatIso(last)}, the longest life that the bucket permits`)
    : Effect.succeed(requested)
}

/** Fails unless the bucket permits such a share. */
export const checkRules = (rules: ShareRules.ShareRules, hasPassword: boolean): Effect.Effect<void, InvalidRequest> =>
  ShareRules.permits(rules, { hasPassword })
    ? Effect.void
    : rules.allowed
      ? refuse("/password", "is required: the bucket permits no share without a password")
      : refuse("", "the bucket permits no shares; its setting shares.allowed permits them")
