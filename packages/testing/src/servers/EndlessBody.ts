/**
 * Responses whose body never ends, from a service that wants the client's memory.
 */
import type { Respond } from "./ScriptedServer.ts"

export interface EndlessBody {
  readonly respond: Respond
  /** Returns how many bytes the clients have taken. */
  readonly sentBytes: () => number
}

const chunk = Buffer.alloc(64 * 1024, "a")

/** Responds with a status, and as many bytes after the text `begin` as the client takes. */
export const make = (status: number, contentType: string, begin: string): EndlessBody => {
  let sent = 0
  return {
    respond: (_request, response) => {
      const send = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.byteLength
      }
      response.on("drain", send)
      response.writeHead(status, { "content-type": contentType }).write(begin)
      send()
    },
    sentBytes: () => sent
  }
}
