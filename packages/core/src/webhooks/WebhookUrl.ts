/**
 * Checks the URL of a webhook, as a user enters it. Whether a name leads to a public address is decided with each connection.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../Errors.ts"
import { Settings } from "../Settings.ts"

/** Returns false for the host of a URL that is no public address: an IP address, or a name that never leads to one. */
export type IsPublicHost = (host: string) => boolean

/** How the deployment recognizes hosts that are not public. By default only connections are checked. */
export const PublicHosts = Context.Reference<IsPublicHost>("@holdfast/core/webhooks/PublicHosts", {
  defaultValue: () => () => true
})

const faultOf = (text: string, allowPrivate: boolean, isPublic: IsPublicHost): string | undefined => {
  if (!URL.canParse(text)) return "must be a URL"
  const { hash, hostname, password, protocol, username } = new URL(text)
  if (protocol !== "https:" && !(allowPrivate && protocol === "http:")) return "must begin with https://"
  if (username !== "" || password !== "") return "must not contain a user name or a password"
  // The parts of a parsed URL do not show an empty fragment.
  if (hash !== "" || text.includes("#")) return "must not contain a fragment"
  if (!allowPrivate && !isPublic(hostname)) return "must have a host on the public Internet"
  return undefined
}

/** Returns the URL in its canonical form. Fails with `InvalidRequest` at `/url`. */
export const parse = Effect.fnUntraced(function* (text: string) {
  const { webhooksAllowPrivate } = yield* Settings
  const fault = faultOf(text, webhooksAllowPrivate, yield* PublicHosts)
  return fault === undefined ? new URL(text).href : yield* InvalidRequest.at("/url", fault)
})
