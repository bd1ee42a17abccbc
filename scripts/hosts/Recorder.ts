/**
 * Records what a browser and a server send each other: a proxy between them that keeps every byte.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { once } from "node:events"

export interface Recorder {
  /** The address under which the browser reaches the server. */
  readonly url: string
  /** Returns the bytes of each direction of each connection, as text in Latin-1. */
  readonly read: () => ReadonlyArray<string>
  readonly close: () => void
}

/** Starts to record the connections to a server of the loopback interface. */
export const start = async (server: string): Promise<Recorder> => {
  const sockets: Array<Socket> = []
  const directions: Array<Array<Buffer>> = []
  const forward = (from: Socket, to: Socket): void => {
    const chunks: Array<Buffer> = []
    directions.push(chunks)
    from.on("data", (chunk: Buffer) => void chunks.push(chunk))
    from.pipe(to)
    // The close that follows ends the other socket.
    from.on("error", () => {})
    from.once("close", () => to.destroy())
  }
  const proxy = createServer((client) => {
    const upstream = connect(Number(new URL(server).port), "127.0.0.1")
    sockets.push(client, upstream)
    forward(client, upstream)
    forward(upstream, client)
  })
  await once(proxy.listen(0, "127.0.0.1"), "listening")
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    read: () => directions.map((chunks) => Buffer.concat(chunks).toString("latin1")),
    close: () => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}
