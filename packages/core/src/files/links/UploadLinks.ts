/**
 * Creates and verifies upload links. As with `Links`, nothing is stored: the link itself states what it permits, and each use checks
 * that its creator still has the permission to write files. Since uses are not stored either, a link may be used several times until
 * it expires. One with a name and `onConflict: "fail"` creates one file at most while that file exists.
 *
 * The key in a link is a signed key (`SignedKeys`) with the prefix `hfu_` and this payload:
 *
 *     byte 0       layout: 1
 *     byte 1       conflict (0 fail, 1 replace, 2 rename) in the high half, kind of parent in the low one (0 system, 1 key, 2 account, 3 share, 4 share
 *                  whose password was set or changed)
 *     bytes 2–5    expiry, in seconds since 1970
 *     bytes 6–13   the largest content, in bytes
 *     then         the parent: nothing, the key's SHA-256, UUID of the account, or UUID of the share and with kind 4 its password version
 *     then         path, name and media types as JSON in UTF-8: `["/photos/", null, ["image/*"]]`, with `redirectTo` as the fourth one if
 *                  the link has it: nodes of former versions know three
 */
import * as Context from "effect/Context"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Access, type AccessError, folderOf } from "../../access/Access.ts"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { BucketRepository } from "../../buckets/BucketRepository.ts"
import { type InvalidRequest, NotFound } from "../../Errors.ts"
import * as Input from "../../Input.ts"
import * as SignedKeys from "../../secrets/SignedKeys.ts"
import { checkBucketId } from "../internal/FileLookup.ts"
import * as UploadPayload from "./internal/UploadPayload.ts"
import { CreateUploadLink, UploadGrant } from "./UploadLink.ts"

export interface UploadLink {
  readonly bucket: BucketRef
  readonly key: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

/** Returns the address of a link, below the base path of the HTTP API. */
export const pathOf = ({ bucket: { bucketId, tenantId }, key }: UploadLink): string =>
  `/tenants/${tenantId}/buckets/${bucketId}/files/upload?apiKey=${Redacted.value(key)}`

export class UploadLinks extends Context.Service<
  UploadLinks,
  {
    /**
     * Creates a link for an actor who may write files, in one statement besides the key check. Fails with `NotFound` for a bucket that
     * does not exist.
     */
    readonly create: (
      actor: Actor,
      bucket: BucketRef,
      input: CreateUploadLink
    ) => Effect.Effect<UploadLink, AccessError | InvalidRequest | NotFound>
  } & Pick<SignedKeys.SignedKeys<UploadGrant>, "verify" | "isKnown">
>()("@holdfast/core/files/links/UploadLinks") {}

const prefix = "hfu_"

/** Whether a text has the prefix of an upload link's key, as opposed to an API key. */
export const isUploadKey = (text: string): boolean => text.startsWith(prefix)

const decode = Input.decoder(CreateUploadLink)

const toGrant: SignedKeys.Kind<UploadGrant>["toGrant"] = (bytes, { bucketId, tenantId }) => {
  const payload = UploadPayload.decode(bytes)
  if (payload === undefined) return undefined
  const { expiresAt, parent, terms } = payload
  return new UploadGrant({
    bucket: { tenantId, bucketId },
    terms,
    parent,
    expiresAt: DateTime.makeUnsafe(expiresAt)
  })
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const { isKnown, sign, verify } = yield* SignedKeys.make({
    prefix,
    purpose: "holdfast upload link",
    minPayload: UploadPayload.headLength,
    maxPayload: UploadPayload.maxLength,
    toGrant
  })

  return UploadLinks.of({
    create: Effect.fnUntraced(function* (actor, { bucketId, tenantId }, input) {
      const bucket = { tenantId, bucketId }
      const identity = yield* access.require(actor, bucket, "file:write")
      const {
        contentTypes = null,
        expiresIn,
        maxBytes,
        name = null,
        onConflict = "fail",
        path = "/",
        redirectTo
      } = yield* decode(input)
      if (folderOf(identity) !== undefined) yield* access.require(actor, { ...bucket, path }, "file:write")
      yield* checkBucketId(bucket)
      yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      const expiresAt = yield* SignedKeys.expiryAfter(expiresIn)
      const terms = {
        path,
        name,
        maxBytes,
        contentTypes,
        onConflict,
        redirectTo: redirectTo === undefined ? null : new URL(redirectTo).href
      }
      const key = yield* sign(bucket, UploadPayload.encode({ expiresAt, parent: actor, terms }))
      return { bucket, key, expiresAt: DateTime.makeUnsafe(expiresAt) }
    }),
    verify,
    isKnown
  })
})

/** Upload links that are signed with the deployment's `SigningSecret`. */
export const layer: Layer.Layer<UploadLinks, never, Access | BucketRepository | SecureRandom> = Layer.effect(
  UploadLinks,
  make
).pipe(Layer.provide(SignedKeys.layerMac))
