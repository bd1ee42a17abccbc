/**
 * What Node's parser rejects, answered as a problem like every other error.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Connections } from "./Connections.ts"
import * as NodeProblem from "./NodeProblem.ts"

interface Answer {
  readonly status: string
  readonly detail: string
}

const malformed: Answer = { status: "400 Bad Request", detail: "The request is not valid HTTP/1.1." }

const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    detail: "The head of the request is too large."
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: "413 Content Too Large", detail: "The chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", detail: "The head of the request did not come in time." }
}

export const handle = (server: Server, connections: Connections, nameRequest: () => string): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = connections.current(socket)
    const isSilent = error.code === "ECONNRESET" || !socket.writable || response?.headersSent === true
    if (isSilent) return void socket.destroy(error)
    const { detail, status } = answers[error.code ?? ""] ?? malformed
    NodeProblem.sendRaw(socket, status, detail, nameRequest())
  })
}
