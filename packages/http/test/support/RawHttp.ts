/**
 * Bytes to a server and back, for requests that no client would send.
 */
import { connect } from "node:net"

/** Everything that the server sends until it closes the connection, or until it matches. */
export const exchange = (url: string, request: string, until?: RegExp): Promise<string> =>
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
