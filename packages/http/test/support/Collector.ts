/**
 * An OTLP collector that records the requests that it gets.
 */
import { createServer, type IncomingHttpHeaders } from "node:http"
import { onTestFinished } from "vitest"

export interface RecordedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts a collector; it is closed when the test ends. */
export const start = async (): Promise<{ readonly url: string; readonly sent: ReadonlyArray<RecordedRequest> }> => {
  const sent: Array<RecordedRequest> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      sent.push({ path: request.url ?? "", headers: request.headers, body })
      response.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.")
  return { url: `http://127.0.0.1:${address.port}`, sent }
}
