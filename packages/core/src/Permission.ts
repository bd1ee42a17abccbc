/**
 * The permissions, and the roles that include each. Every service method on a tenant requires exactly one permission.
 */

/** The ids of the roles. They are the same in every deployment. */
export const roleIds = [
  "role_admin",
  "role_bucket_writer",
  "role_bucket_reader",
  "role_file_writer",
  "role_file_reader"
] as const

type RoleId = (typeof roleIds)[number]

const admin = ["role_admin"] as const

/** The roles that include each permission. The order is that of the permissions in the record of a role. */
const table = {
  "tenant:read": roleIds,
  "tenant:manage": admin,
  "member:manage": admin,
  "token:manage": admin,
  "mirror:manage": admin,
  "event:read": admin,
  "webhook:read": admin,
  "webhook:write": admin,
  "role:read": roleIds,
  "bucket:read": ["role_admin", "role_bucket_writer", "role_bucket_reader"],
  "bucket:write": ["role_admin", "role_bucket_writer"],
  "file:read": ["role_admin", "role_file_writer", "role_file_reader"],
  "file:write": ["role_admin", "role_file_writer"],
  "share:write": ["role_admin", "role_file_writer"]
} as const satisfies { readonly [permission: string]: ReadonlyArray<RoleId> }

export type Permission = keyof typeof table

export const all = Object.keys(table) as ReadonlyArray<Permission>

/** Returns the permissions that a role includes. */
export const ofRole = (role: RoleId): ReadonlyArray<Permission> =>
  all.filter((permission) => (table[permission] as ReadonlyArray<RoleId>).includes(role))
