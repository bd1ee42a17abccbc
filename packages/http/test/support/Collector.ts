/**
 * A collector of traces and metrics by OTLP, that keeps what it is sent.
 */
import { createServer } from "node:http"
import { onTestFinished } from "vitest"

export interface Sent {
  readonly path: string
  readonly body: string
}

export const start = async (): Promise<{ readonly url: string; readonly sent: ReadonlyArray<Sent> }> => {
  const sent: Array<Sent> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      sent.push({ path: request.url ?? "", body })
      response.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return { url: `http://127.0.0.1:${address.port}`, sent }
}
