/**
 * What an actor may do. Every service method asks for exactly one of these.
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
