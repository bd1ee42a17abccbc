/**
 * Answers requests that Node's HTTP parser rejects (event `clientError`) with a problem, as every other error.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Connections } from "./Connections.ts"
import * as NodeProblem from "./NodeProblem.ts"

interface Rejection {
  /** The status with its reason phrase. */
  readonly statusLine: string
  readonly detail: string
}

const malformed: Rejection = { statusLine: "400 Bad Request", detail: "The request is not valid HTTP/1.1." }

/** By Node's error code. */
const rejections: Readonly<Record<string, Rejection>> = {
  HPE_HEADER_OVERFLOW: {
    statusLine: "431 Request Header Fields Too Large",
    detail: "The header section of the request is too large."
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { statusLine: "413 Content Too Large", detail: "The chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: {
    statusLine: "408 Request Timeout",
    detail: "The header section of the request did not arrive in time."
  }
}

/** Handles the server's `clientError` events. A socket that cannot take an answer is only closed. */
export const handle = (server: Server, connections: Connections, newRequestId: () => string): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = connections.responseOn(socket)
    const isUnanswerable = error.code === "ECONNRESET" || !socket.writable || response?.headersSent === true
    if (isUnanswerable) return void socket.destroy(error)
    const { detail, statusLine } = rejections[error.code ?? ""] ?? malformed
    NodeProblem.sendRaw(socket, statusLine, { code: "invalid_request", detail, requestId: newRequestId() })
  })
}
