/**
 * Sends bytes to a server, for requests that no HTTP client would send.
 */
import { connect } from "node:net"

/** Returns what the server sends until it closes the connection or the answer matches `until`. */
export const sendRaw = (url: string, request: string, until?: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let answer = ""
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => {
      answer += text
      if (until?.test(answer) === true) socket.destroy()
    })
    socket.on("error", reject)
    socket.on("close", () => resolve(answer))
    socket.write(request)
  })
