/**
 * Uploads of contents that are too large to keep in memory.
 */
import * as Http from "node:http"

/** Sends `bytes` zeros as the body of a POST. Returns the status and the body of the response. */
export const sendZeros = (
  url: string,
  key: string,
  bytes: number
): Promise<{ readonly status: number; readonly body: string }> =>
  new Promise((resolve, reject) => {
    const request = Http.request(url, {
      method: "POST",
      headers: { "x-api-key": key, "content-length": bytes, "content-type": "application/octet-stream" }
    })
    request.on("error", reject)
    request.on("response", (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text: string) => (body += text))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }))
    })
    const chunk = Buffer.alloc(1024 * 1024)
    let sent = 0
    const sendMore = () => {
      while (sent < bytes) {
        sent += chunk.length
        if (!request.write(chunk)) return void request.once("drain", sendMore)
      }
      request.end()
    }
    sendMore()
  })
