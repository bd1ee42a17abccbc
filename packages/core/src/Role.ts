/**
 * The five fixed roles and the permissions of each.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "./Errors.ts"
import * as Permission from "./Permission.ts"
import { Reference } from "./Text.ts"

/** The id of a role. */
export const RoleId = Schema.Literals(Permission.roleIds)
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

const names = {
  role_admin: "Admin",
  role_bucket_writer: "Bucket Writer",
  role_bucket_reader: "Bucket Reader",
  role_file_writer: "File Writer",
  role_file_reader: "File Reader"
} as const satisfies Readonly<Record<RoleId, string>>

/** The name of a role. */
export type RoleName = (typeof names)[RoleId]

export const all: ReadonlyArray<Role> = Permission.roleIds.map((id) => ({
  id,
  name: names[id],
  permissions: Permission.ofRole(id)
}))

const grants = new Map(all.map((role) => [role.id, new Set<Permission.Permission>(role.permissions)]))

export const admin: RoleId = "role_admin"

/** Returns the display name of a role; the id itself for one that only a newer version knows. */
export const nameOf = (id: RoleId): string => (Object.hasOwn(names, id) ? names[id] : id)

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
        InvalidRequest.at(selector.id === undefined ? "/role/name" : "/role/id", `must be one of ${accepted(selector)}`)
      )
    : Effect.succeed(found.id)
}

const accepted = (selector: Selector): string =>
  all.map((role) => (selector.id === undefined ? role.name : role.id)).join(", ")
