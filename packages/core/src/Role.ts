/**
 * The five fixed roles and the permissions of each.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "./Errors.ts"
import * as Permission from "./Permission.ts"
import { Reference } from "./Text.ts"

/** The ids of the roles. They are the same in every deployment. */
export const RoleId = Schema.Literals([
  "role_admin",
  "role_bucket_writer",
  "role_bucket_reader",
  "role_file_writer",
  "role_file_reader"
])
export type RoleId = typeof RoleId.Type

export const Role = Schema.Struct({
  id: RoleId,
  name: Schema.String,
  permissions: Schema.Array(Schema.Literals(Permission.all))
}).annotate({ identifier: "Role" })
export type Role = typeof Role.Type

/** The form of a role in a member's record. */
export const RoleRef = Schema.Struct({ id: RoleId, name: Schema.String })
export type RoleRef = typeof RoleRef.Type

/** The permissions of every role: reading the tenant and the list of roles. */
const common = ["tenant:read", "role:read"] as const

export const all: ReadonlyArray<Role> = [
  { id: "role_admin", name: "Admin", permissions: Permission.all },
  { id: "role_bucket_writer", name: "Bucket Writer", permissions: [...common, "bucket:read", "bucket:write"] },
  { id: "role_bucket_reader", name: "Bucket Reader", permissions: [...common, "bucket:read"] },
  { id: "role_file_writer", name: "File Writer", permissions: [...common, "file:read", "file:write"] },
  { id: "role_file_reader", name: "File Reader", permissions: [...common, "file:read"] }
]

const roles = new Map(all.map((role) => [role.id, role]))
const grants = new Map(all.map((role) => [role.id, new Set<Permission.Permission>(role.permissions)]))

export const admin: RoleId = "role_admin"

/** Returns the display name of a role. */
export const nameOf = (id: RoleId): string => roles.get(id)?.name ?? id

/** Whether a role includes a permission. */
export const permits = (id: RoleId, permission: Permission.Permission): boolean =>
  grants.get(id)?.has(permission) === true

/** The caller's reference to a role, by id or by name. */
export const Selector = Schema.Struct({
  id: Schema.optional(Reference),
  name: Schema.optional(Reference)
}).annotate({ description: "A role, by its id or by its name." })
export type Selector = typeof Selector.Type

/** Returns the id of the role that a selector refers to. When it has an id and a name, both must be of the same role. */
export const resolve = (selector: Selector): Effect.Effect<RoleId, InvalidRequest> => {
  if (selector.id === undefined && selector.name === undefined) {
    return Effect.fail(InvalidRequest.at("/role/id", "is required unless a name is given"))
  }
  const found = all.find(
    (role) =>
      (selector.id === undefined || role.id === selector.id) &&
      (selector.name === undefined || role.name === selector.name)
  )
  return found === undefined
    ? Effect.fail(
        InvalidRequest.at(selector.id === undefined ? "/role/name" : "/role/id", `must be one of ${names(selector)}`)
      )
    : Effect.succeed(found.id)
}

const names = (selector: Selector): string =>
  all.map((role) => (selector.id === undefined ? role.name : role.id)).join(", ")
