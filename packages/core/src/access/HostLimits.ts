/**
 * What requests may do at most because of the program that mounts the API. The limits hold whatever identifies a request: a session of
 * the host, an API key or a link.
 */
import * as Context from "effect/Context"
import { Forbidden } from "../Errors.ts"
import type { Permission } from "../Permission.ts"

export interface HostLimits {
  /** The only permissions of a request; all of its actor when undefined. */
  readonly permissions: ReadonlyArray<Permission> | undefined
  /** Whether the actors that the host has identified may create tenants. Account keys always may. */
  readonly allowTenantCreation: boolean
}

/** The limits of the current request; undefined where no host has set any. */
export const HostLimits = Context.Reference<HostLimits | undefined>("@holdfast/core/access/HostLimits", {
  defaultValue: () => undefined
})

export const noPermission = (permission: Permission): Forbidden =>
  new Forbidden(
    `The host of this API gives its users no permission ${permission}. Its option permissions lists those that it gives.`,
    permission
  )

export const noTenantCreation = new Forbidden(
  "The host of this API does not permit its users to create tenants. Its option allowTenantCreation permits it."
)
