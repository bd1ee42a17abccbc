/**
 * The scope of an API token: the part of its member's permissions that the token has. Only `Access` evaluates it.
 */
import * as Schema from "effect/Schema"
import { FolderPath } from "./FolderPath.ts"
import * as UnknownFields from "../inputs/UnknownFields.ts"
import * as Ids from "../Ids.ts"
import * as Permission from "../Permission.ts"

/** The most buckets that a scope names. A request compares its bucket with all of them. */
const maxBuckets = 100

const BucketId = Schema.String.check(
  Schema.isMaxLength(Ids.length),
  Schema.makeFilter((text: string) => (Ids.is("bkt", text) ? undefined : "must be the id of a bucket"))
)

const fields = {
  bucketIds: Schema.optional(
    Schema.Array(BucketId).check(Schema.isMinLength(1), Schema.isMaxLength(maxBuckets))
  ).annotate({
    description: `The only buckets in which the token works, at most ${maxBuckets}. All buckets when absent.`
  }),
  pathPrefix: Schema.optional(FolderPath).annotate({
    description:
      "The folder whose files, with those of the folders below it, are the only ones for which the token works. " +
      "All files when absent."
  }),
  permissions: Schema.optional(
    Schema.Array(Schema.Literals(Permission.all)).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(Permission.all.length)
    )
  ).annotate({
    description:
      "The only permissions of the token. One that the role of the member lacks has no effect. All of the role when absent."
  })
}

export const Scope = UnknownFields.refuse(Schema.Struct(fields))
  .check(
    Schema.makeFilter(({ bucketIds, pathPrefix, permissions }) =>
      (bucketIds ?? pathPrefix ?? permissions) === undefined
        ? "must have bucketIds, pathPrefix or permissions"
        : undefined
    )
  )
  .annotate({ identifier: "TokenScope" })
export type Scope = typeof Scope.Type

/** What an operation concerns: a tenant; one of its buckets; or, with `path`, files of a folder of this bucket. */
export interface Place {
  readonly tenantId: string
  readonly bucketId?: string | undefined
  /** Normalised, as in `FolderPath`. */
  readonly path?: string | undefined
}

/** Permissions whose operations concern single files, so that they respect `pathPrefix`. */
const ofFiles: ReadonlySet<Permission.Permission> = new Set(["file:read", "file:write"])

const isWithinFolder = (folder: string | undefined, path: string): boolean =>
  folder === undefined || path.startsWith(folder)

/**
 * Whether a scope includes a permission for a place. An operation on a whole tenant is outside of every scope that has buckets
 * or a folder. An operation on a whole bucket is outside of every scope that has a folder.
 */
export const includes = (scope: Scope, { bucketId, path }: Place, permission: Permission.Permission): boolean => {
  const { bucketIds, pathPrefix, permissions } = scope
  if (permissions !== undefined && !permissions.includes(permission)) return false
  if (bucketIds === undefined && pathPrefix === undefined) return true
  if (bucketId === undefined || (bucketIds !== undefined && !bucketIds.includes(bucketId))) return false
  if (pathPrefix === undefined) return true
  return ofFiles.has(permission) && (path === undefined || isWithinFolder(pathPrefix, path))
}

/**
 * Whether a scope includes a permission for an operation that confines itself to the scope: the list of buckets shows only those
 * of the scope, and a token creates only tokens within its scope. A folder includes no record of a bucket.
 */
export const includesPart = ({ pathPrefix, permissions }: Scope, permission: Permission.Permission): boolean =>
  (permissions === undefined || permissions.includes(permission)) &&
  (pathPrefix === undefined || permission === "token:manage")

const isSubset = <A>(some: ReadonlyArray<A> | undefined, all: ReadonlyArray<A> | undefined): boolean =>
  all === undefined || (some !== undefined && some.every((one) => all.includes(one)))

/** Returns the pointers to the fields in which the scope of an input is wider than another one. */
export const excessOf = (wanted: Scope, widest: Scope): ReadonlyArray<string> => {
  const isWithin = {
    bucketIds: isSubset(wanted.bucketIds, widest.bucketIds),
    pathPrefix: isWithinFolder(widest.pathPrefix, wanted.pathPrefix ?? "/"),
    permissions: isSubset(wanted.permissions, widest.permissions)
  }
  return Object.entries(isWithin).flatMap(([field, holds]) => (holds ? [] : [`/scope/${field}`]))
}
