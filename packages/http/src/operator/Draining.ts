/**
 * Whether the service is about to stop. While it drains it answers as before, but it is not ready, and each answer closes its
 * connection, so that balancers and clients go to other nodes before the listener closes.
 */
import * as Context from "effect/Context"

export interface Draining {
  readonly isActive: () => boolean
}

/** The state that readiness reports; a service without a server of its own never drains. */
export const Draining = Context.Reference<Draining>("@holdfast/http/operator/Draining", {
  defaultValue: () => ({ isActive: () => false })
})

/** Returns the state of one server, and the function that begins to drain. */
export const make = (): Draining & { readonly begin: () => void } => {
  let active = false
  return {
    isActive: () => active,
    begin: () => {
      active = true
    }
  }
}
