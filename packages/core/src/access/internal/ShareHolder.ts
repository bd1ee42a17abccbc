/**
 * What the holder of a share may do: what the share permits and its creator may do now.
 */
import * as DateTime from "effect/DateTime"
import * as Arr from "effect/Array"
import * as Role from "../../Role.ts"
import type { Principal, SharePrincipal } from "../AccessRepository.ts"
import type * as Scope from "../Scope.ts"

type Credential = NonNullable<Principal["credential"]>

const earlier = (one: DateTime.Utc | null, other: DateTime.Utc | null): DateTime.Utc | null =>
  one === null ? other : other === null ? one : DateTime.min(one, other)

/** A scope within which nothing is permitted: no bucket has this id. */
const nothing: Scope.Scope = { bucketIds: [""], permissions: [] }

/**
 * Whether a creator may share. A change of its role ends its shares, but a node whose cache has the former role creates one for a second
 * more.
 */
const mayShare = ({ credential, member }: Principal): boolean =>
  member !== null &&
  Role.permits(member.role, "share:write") &&
  credential?.scope?.permissions?.includes("share:write") !== false

/** Returns the part of the share that is within the scope of the token with which it was created. */
const scopeOf = ({ bucketId, creator, path, permissions }: SharePrincipal): Scope.Scope => {
  if (!mayShare(creator)) return nothing
  const token = creator.credential?.scope ?? {}
  const folder = token.pathPrefix ?? "/"
  const isNested = path.startsWith(folder) || folder.startsWith(path)
  if (!isNested || token.bucketIds?.includes(bucketId) === false) return nothing
  return {
    bucketIds: [bucketId],
    pathPrefix: path.length > folder.length ? path : folder,
    permissions: token.permissions === undefined ? permissions : Arr.intersection(permissions, token.permissions)
  }
}

/**
 * Returns the principal of the holder of a share: the creator, with the share as its credential. It has no tenant, so that nothing takes
 * it for a token.
 */
export const toPrincipal = (share: SharePrincipal): Principal => {
  const { credential } = share.creator
  const limits: Pick<Credential, "expiresAt" | "revokedAt"> = credential ?? { expiresAt: null, revokedAt: null }
  return {
    ...share.creator,
    credential: {
      id: share.shareId,
      tenantId: null,
      expiresAt: earlier(share.expiresAt, limits.expiresAt),
      revokedAt: limits.revokedAt,
      scope: scopeOf(share),
      allowedOrigins: null
    }
  }
}
