/**
 * What a worker knows of the targets of mirrors: which have responded, and which tenants have targets that did not respond in time. The
 * knowledge decides only whose copies run first, so that each process has its own.
 */

/** How long a tenant counts as one with slow targets, in milliseconds: as long as the longest delay between two attempts. */
const slowFor = 300_000

/** The most mirrors and tenants that are remembered, so that memory is bounded. */
const capacity = 10_000

/** Removes the oldest entry when there are too many. */
const prune = (entries: Map<string, unknown> | Set<string>) => {
  const [oldest] = entries.keys()
  if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
}

export const make = () => {
  const trusted = new Set<string>()
  /** When each tenant no longer counts as slow. The oldest is first. */
  const slowUntil = new Map<string, number>()

  return {
    /** Records that a mirror has copied a file. */
    trust: (mirrorId: string): void => {
      trusted.add(mirrorId)
      prune(trusted)
    },

    /** Records that a mirror has failed as a whole. */
    distrust: (mirrorId: string): void => void trusted.delete(mirrorId),

    /** Whether the last copy of a mirror succeeded, as far as this process knows. */
    isTrusted: (mirrorId: string): boolean => trusted.has(mirrorId),

    /** Records that a target of a tenant did not respond in time. `now` is in milliseconds. */
    addSlowTenant: (tenantId: string, now: number): void => {
      slowUntil.delete(tenantId)
      slowUntil.set(tenantId, now + slowFor)
      prune(slowUntil)
    },

    /** Whether a target of a tenant did not respond in time recently. */
    isTenantSlow: (tenantId: string, now: number): boolean => (slowUntil.get(tenantId) ?? 0) > now
  }
}
