import { createServer } from "node:net"
import { once } from "node:events"
import { describe, expect, it, onTestFinished } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

const operatorPaths = ["/metrics", "/health/live", "/health/ready", "/docs", "/openapi.json"]

const operatorUrlOf = (service: Process.Service): string => {
  const [, url = ""] = /for operators on (http:\/\/[^\s"]+)/.exec(service.stdout()) ?? []
  return url
}

describe("HOLDFAST_OPERATOR_PORT", () => {
  it("set → operator's paths on that listener of the loopback interface alone, the API on the other alone", async () => {
    const bucket = await ServiceBucket.start({ env: { HOLDFAST_OPERATOR_PORT: "0", HOLDFAST_HOST: "0.0.0.0" } })
    const { key, service } = bucket
    const operator = operatorUrlOf(service)
    expect(operator).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(operator).not.toBe(service.url)
    for (const path of operatorPaths) {
      const answer = await fetch(operator + path)
      expect([path, answer.status]).toEqual([path, 200])
      await answer.arrayBuffer()
      const url = service.url.replace("0.0.0.0", "127.0.0.1") + path
      await expectProblem(await fetch(url), 404, "not_found")
      await expectProblem(await fetch(url, { method: "POST" }), 404, "not_found")
    }
    await expectProblem(await fetch(`${operator}/api/v1/me`, { headers: { "x-api-key": key } }), 404, "not_found")
    await expectProblem(await fetch(`${operator}/METRICS`), 404, "not_found")
    const wrongMethod = await fetch(`${operator}/metrics`, { method: "POST" })
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    // Requests of both listeners are counted and logged.
    const metrics = await (await fetch(`${operator}/metrics`)).text()
    expect(metrics).toMatch(/^http_requests_total\{[^}]*route="\/health\/ready"/m)
    expect(metrics).toMatch(/^http_requests_total\{[^}]*route="\/api\/v1\/tenants"/m)
    expect(service.stdout()).toContain(`API reference: ${operator}/docs`)
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    expect(service.stdout()).toContain('"path":"/health/ready"')
  })

  it("not set → all paths on one listener", async () => {
    const service = await Process.serve()
    expect(operatorUrlOf(service)).toBe("")
    for (const path of operatorPaths) expect((await fetch(service.url + path)).status).toBe(200)
  })

  it("JSON log → the ready line has both URLs", async () => {
    const service = await Process.serve({ env: { HOLDFAST_OPERATOR_PORT: "0", HOLDFAST_LOG_FORMAT: "json" } })
    const [line = "{}"] = service.stdout().split("\n")
    expect(JSON.parse(line)).toMatchObject({ type: "ready", url: service.url, operatorUrl: operatorUrlOf(service) })
  })

  it("service stops while an upload runs → operator's listener closed, upload completes", async () => {
    const bucket = await ServiceBucket.start({ env: { HOLDFAST_OPERATOR_PORT: "0" } })
    const { api, files, service } = bucket
    const { id } = await json<{ id: string }>(await api.post(files, { json: { name: "a" } }))
    let finish = () => {}
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode("first "))
        finish = () => {
          controller.enqueue(new TextEncoder().encode("last"))
          controller.close()
        }
      }
    })
    const upload = api.post(`${files}/${id}/reupload`, { body, headers: { "content-type": "text/plain" } })
    const metrics = async () => (await fetch(`${operatorUrlOf(service)}/metrics`)).text()
    // The service has begun to read the upload: besides it, only this request for metrics is answered.
    while (!/^http_requests_in_flight [1-9]/m.test(await metrics()));
    const stopped = service.stop()
    let isClosed = false
    while (!isClosed)
      isClosed = await metrics().then(
        () => false,
        () => true
      )
    finish()
    expect((await upload).status).toBe(200)
    expect(await stopped).toEqual({ code: 0, signal: null })
  })

  it("value is not a port → exit with the setting and what it expects", async () => {
    const failed = await Process.run(["serve", "--data-dir", await Process.makeDirectory()], {
      env: { HOLDFAST_OPERATOR_PORT: "http", HOLDFAST_PORT: "0" }
    })
    expect(failed.code).not.toBe(0)
    expect(failed.stderr).toContain("HOLDFAST_OPERATOR_PORT")
    expect(failed.stderr).toContain("a port number from 0 to 65535")
  })

  it("port in use → exit with the address and the option", async () => {
    const blocker = createServer().listen(0, "127.0.0.1")
    onTestFinished(() => void blocker.close())
    await once(blocker, "listening")
    const address = blocker.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const failed = await Process.run(["serve", "--port", "0", "--data-dir", await Process.makeDirectory()], {
      env: { HOLDFAST_OPERATOR_PORT: String(port) }
    })
    expect(failed.code).not.toBe(0)
    expect(failed.stderr).toContain(`127.0.0.1:${port} is in use`)
    expect(failed.stderr).toContain("--operator-port")
  })
})
