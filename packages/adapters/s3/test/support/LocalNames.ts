/**
 * Names below `localhost`, for buckets in host names.
 */
import { vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import Dns from "node:dns"

/**
 * Resolves such names to this machine until the scope closes, which not every resolver does. Returns the names that
 * were looked up.
 */
export const resolveLocalNames = Effect.gen(function* () {
  const lookups: Array<string> = []
  const lookup = Dns.lookup.bind(Dns)
  const spy = vi.spyOn(Dns, "lookup").mockImplementation(((
    name: string,
    ...rest: [Dns.LookupAllOptions, LookupCallback]
  ) => {
    lookups.push(name)
    return lookup(name.endsWith(".localhost") ? "127.0.0.1" : name, ...rest)
  }) as typeof Dns.lookup)
  yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
  return lookups
})

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: Array<Dns.LookupAddress>) => void
