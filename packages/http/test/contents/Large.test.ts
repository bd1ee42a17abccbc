/**
 * A content of 5 GiB: memory does not grow with it.
 */
import * as Fs from "node:fs"
import * as Http from "node:http"
import { assert, describe, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

const size = 5 * 1024 ** 3
const mebibyte = 1024 * 1024

/** Resident memory of a process now, and at its highest since the mark was set back, in bytes. */
const memory = (pid: number) => {
  const status = Fs.readFileSync(`/proc/${pid}/status`, "utf8")
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: of("VmRSS"), peak: of("VmHWM") }
}

/** Sets the mark of the highest memory back to what it is now (proc_pid_clear_refs(5)). */
const forgetPeak = (pid: number) => Fs.writeFileSync(`/proc/${pid}/clear_refs`, "5")

const send = (url: string, key: string, bytes: number): Promise<{ readonly status: number; readonly body: string }> =>
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
    const chunk = Buffer.alloc(mebibyte)
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

describe("5 GiB of zeros", () => {
  it("come in and go out within 64 MiB of memory", { timeout: 900_000 }, async () => {
    const service = await Process.serve()
    const [key] = await service.printed(/hf_[\w-]{49}/)
    const { pid = 0 } = service.child
    const requests = Requests.make(`${service.url}/api/v1`, key)
    const created = async (path: string, json: object) =>
      ((await (await requests.post(path, { json })).json()) as { readonly id: string }).id
    const tenant = await created("/tenants", { name: "Large", subdomain: "large" })
    const bucket = await created(`/tenants/${tenant}/buckets`, { name: "b" })
    const files = `/tenants/${tenant}/buckets/${bucket}/files`
    const file = `${files}/${await created(files, { name: "zeros" })}`
    forgetPeak(pid)
    const before = memory(pid).now
    const { body, status } = await send(`${service.url}/api/v1${file}/reupload`, key, size)
    assert.strictEqual(status, 200, body)
    assert.isAtMost(memory(pid).peak - before, 64 * mebibyte)

    forgetPeak(pid)
    const beforeReading = memory(pid).now
    const response = await requests.get(`${file}/download`)
    let read = 0
    for await (const chunk of response.body ?? []) read += chunk.length
    assert.strictEqual(read, size)
    assert.isAtMost(memory(pid).peak - beforeReading, 64 * mebibyte)
    assert.strictEqual((await service.stop()).code, 0)
  })
})
