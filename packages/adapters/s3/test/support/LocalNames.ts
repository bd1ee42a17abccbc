/**
 * Names below localhost, for buckets that stand in the host's name.
 */
import { vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import Dns from "node:dns"

/** Lets them lead to this machine, which not every resolver does; the names that were asked for. */
export const localNames = Effect.gen(function* () {
  const asked: Array<string> = []
  const lookup = Dns.lookup.bind(Dns)
  const spy = vi.spyOn(Dns, "lookup").mockImplementation(((name: string, ...rest: [Dns.LookupAllOptions, Answered]) => {
    asked.push(name)
    return lookup(name.endsWith(".localhost") ? "127.0.0.1" : name, ...rest)
  }) as typeof Dns.lookup)
  yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
  return asked
})

type Answered = (error: NodeJS.ErrnoException | null, addresses: Array<Dns.LookupAddress>) => void
