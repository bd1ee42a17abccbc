/**
 * The permissions. Every service method on a tenant requires exactly one of them.
 */
export const all = [
  "tenant:read",
  "tenant:manage",
  "member:manage",
  "token:manage",
  "mirror:manage",
  "role:read",
  "bucket:read",
  "bucket:write",
  "file:read",
  "file:write"
] as const

export type Permission = (typeof all)[number]
