/**
 * The options by which a host limits what requests to the mounted API may do.
 */
import type { HostLimits } from "@holdfast/core/access/HostLimits"
import * as Permission from "@holdfast/core/Permission"

export interface LimitOptions {
  /**
   * The only permissions of requests to this mount, whatever identifies them: `["file:read", "file:write"]`. The role of a user still
   * has to include a permission. Tokens that are created through the mount have no others, anywhere. Default: all.
   */
  readonly permissions?: ReadonlyArray<Permission.Permission> | undefined
  /**
   * Whether users that `authenticate` returns as accounts may create tenants, of which they become Admins. Default: false. The program
   * itself creates tenants with `holdfast.tenants.create`.
   */
  readonly allowTenantCreation?: boolean | undefined
}

/** Checks the options. Throws a `TypeError` for a permission that does not exist. */
export const toLimits = ({ allowTenantCreation = false, permissions }: LimitOptions): HostLimits => {
  const unknown = permissions?.find((permission) => !Permission.all.includes(permission))
  if (unknown !== undefined) {
    throw new TypeError(`permissions must be a list of ${Permission.all.join(", ")}; got "${String(unknown)}"`)
  }
  return { permissions: permissions === undefined ? undefined : [...permissions], allowTenantCreation }
}
