/**
 * The address of an object, as the client knows it.
 */
import * as Effect from "effect/Effect"
import { PublicUrl } from "../../handlers/support/PublicAddress.ts"
import * as NodeRequest from "../../incoming/NodeRequest.ts"
import type { Call } from "../Call.ts"

/** Makes the function that returns the URL of a path at the host of a call. Behind a proxy, the scheme is that of the public URL. */
export const make = Effect.map(PublicUrl, (publicUrl) => {
  const isSecure = publicUrl.startsWith("https:")
  return ({ headers, request }: Pick<Call, "headers" | "request">, path: string): string => {
    const socket = NodeRequest.find(request)?.message.socket
    const scheme = isSecure || (socket !== undefined && "encrypted" in socket) ? "https" : "http"
    return `${scheme}://${headers["host"] ?? ""}${path}`
  }
})
