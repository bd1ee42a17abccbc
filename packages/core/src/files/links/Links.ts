/**
 * Creates and verifies links. Nothing is stored: the link itself states what it permits, and each use checks that its creator
 * still has the permission to read the file. Revoking the key of the creator, or removing the member, ends all its links.
 *
 * The key in a link is a signed key (`SignedKeys`) with the prefix `hfl_` and this payload:
 *
 *     byte 0       layout: 1
 *     byte 1       action (0 view, 1 download) in the high half, kind of parent in the low one (0 system, 1 key, 2 account, 3 share, 4 share
 *                  whose password was set or changed)
 *     bytes 2–5    expiry, in seconds since 1970
 *     bytes 6–21   UUID of the file
 *     bytes 22–25  version of the file, 0 for any
 *     then         the parent: nothing, the key's SHA-256, UUID of the account, or UUID of the share and with kind 4 its password version
 *     then         the file name for `Content-Disposition` in UTF-8; nothing for the name of the file
 */
import * as Context from "effect/Context"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Access, type AccessError } from "../../access/Access.ts"
import type { Actor } from "../../Actor.ts"
import type { InvalidRequest, NotFound } from "../../Errors.ts"
import { getFile } from "../internal/FileLookup.ts"
import type { FileRef } from "../FileRef.ts"
import { FileRepository } from "../FileRepository.ts"
import * as Input from "../../Input.ts"
import * as SignedKeys from "../../secrets/SignedKeys.ts"
import * as LinkPayload from "./internal/LinkPayload.ts"
import { CreateLink, type LinkAction, LinkGrant } from "./Link.ts"

/** A link. Printing it does not show its key. */
export class Link {
  /** With the id of the file, also where the alias was given. */
  readonly file: FileRef
  readonly action: LinkAction
  readonly expiresAt: DateTime.Utc
  readonly #key: string

  constructor({ action, expiresAt, file }: Pick<Link, "action" | "expiresAt" | "file">, key: string) {
    this.file = file
    this.action = action
    this.expiresAt = expiresAt
    this.#key = key
  }

  get key(): Redacted.Redacted {
    return Redacted.make(this.#key, { label: "SignedKey" })
  }

  /** The address below the base path of the HTTP API, with the key. */
  get path(): string {
    const { bucketId, fileId, tenantId } = this.file
    return `/tenants/${tenantId}/buckets/${bucketId}/files/${fileId}/${this.action}?apiKey=${this.#key}`
  }
}

export class Links extends Context.Service<
  Links,
  {
    /**
     * Creates a link for an actor who may read the file, in one statement besides the key check. Fails with `NotFound` for a file
     * that does not exist.
     */
    readonly create: (
      actor: Actor,
      file: FileRef,
      input: CreateLink
    ) => Effect.Effect<Link, AccessError | InvalidRequest | NotFound>
  } & Pick<SignedKeys.SignedKeys<LinkGrant>, "verify" | "isKnown">
>()("@holdfast/core/files/links/Links") {}

const prefix = "hfl_"

/** Whether a text has the prefix of a link's key, as opposed to an API key. */
export const isLinkKey = (text: string): boolean => text.startsWith(prefix)

const decode = Input.decoder(CreateLink)

const toGrant: SignedKeys.Kind<LinkGrant>["toGrant"] = (bytes, { bucketId, tenantId }) => {
  const payload = LinkPayload.decode(bytes)
  if (payload === undefined) return undefined
  const { action, expiresAt, fileId, name, parent, version } = payload
  return new LinkGrant({
    file: { tenantId, bucketId, fileId },
    action,
    version,
    name,
    parent,
    expiresAt: DateTime.makeUnsafe(expiresAt)
  })
}

const make = Effect.gen(function* () {
  const access = yield* Access
  const files = yield* FileRepository
  const { isKnown, signText, verify } = yield* SignedKeys.make({
    prefix,
    purpose: "holdfast link",
    minPayload: LinkPayload.headLength,
    maxPayload: LinkPayload.maxLength,
    toGrant
  })

  const sign = (parent: Actor, { bucketId, fileId, tenantId }: FileRef, input: CreateLink) =>
    Effect.flatMap(SignedKeys.expiryAfter(input.expiresIn), (expiresAt) => {
      const { may: action = "view", name = null, version = null } = input
      const file = { tenantId, bucketId, fileId }
      const payload = LinkPayload.encode({ action, expiresAt, fileId, name, parent, version })
      return Effect.map(
        signText(file, payload),
        (key) => new Link({ file, action, expiresAt: DateTime.makeUnsafe(expiresAt) }, key)
      )
    })

  return Links.of({
    // Without a generator, which takes more time than the signature.
    create: (actor, ref, input) =>
      Effect.flatMap(access.require(actor, ref, "file:read"), (identity) =>
        Effect.flatMap(decode(input), (decoded) =>
          Effect.flatMap(getFile(files, ref, identity), ({ id }) => sign(actor, { ...ref, fileId: id }, decoded))
        )
      ),
    verify,
    isKnown
  })
})

/** Links that are signed with the deployment's `SigningSecret`. */
export const layer: Layer.Layer<Links, never, Access | FileRepository | SecureRandom> = Layer.effect(Links, make).pipe(
  Layer.provide(SignedKeys.layerMac)
)
