/**
 * Contents that are larger than memory should ever be.
 */
import * as Fs from "node:fs"
import * as Http from "node:http"

/** Resident memory of a process now, and at its highest since the mark was set back, in bytes. */
export const memory = (pid: number) => {
  const status = Fs.readFileSync(`/proc/${pid}/status`, "utf8")
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: of("VmRSS"), peak: of("VmHWM") }
}

/** Sets the mark of the highest memory back to what it is now (proc_pid_clear_refs(5)). */
export const forgetPeak = (pid: number) => Fs.writeFileSync(`/proc/${pid}/clear_refs`, "5")

/** Sends so many zeros as the body of a POST. */
export const send = (
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
    const next = () => {
      while (sent < bytes) {
        sent += chunk.length
        if (!request.write(chunk)) return void request.once("drain", next)
      }
      request.end()
    }
    next()
  })
