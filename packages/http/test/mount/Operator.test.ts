import { Closed } from "@holdfast/core"
import express from "express"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import { toNodeListener, toOperatorHandler, toOperatorListener } from "../../src/index.ts"
import { expectProblem } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const healthy = { status: "ok", checks: { metadata: "ok", blobs: "ok" } }

const upload = ({ holdfast, ref, root }: MountedHoldfast.OpenHoldfast) =>
  holdfast.files.upload(root, { ...ref, name: "a.txt", content: "Hello" })

it("operator's listener → health and metrics, and nothing of the API", async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const url = await MountedHoldfast.serve(toOperatorListener(opened.holdfast))
  await upload(opened)
  expect(await (await fetch(`${url}/health/live`)).json()).toEqual({ status: "ok" })
  const ready = await fetch(`${url}/health/ready`)
  expect([ready.status, ready.headers.get("cache-control")]).toEqual([200, "no-store"])
  expect(await ready.json()).toEqual(healthy)

  const answer = await fetch(`${url}/metrics`)
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  const metrics = await answer.text()
  expect(metrics).toMatch(/^holdfast_uploads_staged_total 1$/m)
  expect(metrics).toMatch(/^holdfast_uploads_staged_bytes_total 5$/m)
  expect(metrics).toMatch(/^holdfast_uploads_committed_total 1$/m)
  expect(metrics).toMatch(/^holdfast_mirrors_pending_files 0$/m)
  expect(metrics).toMatch(/^process_resident_memory_bytes [1-9]/m)

  await expectProblem(await fetch(`${url}/api/v1/me`, { headers: { "x-api-key": opened.key } }), 404, "not_found")
  const post = await fetch(`${url}/metrics`, { method: "POST" })
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])
})

it("mount of the API → no health and no metrics", async () => {
  const { holdfast } = await MountedHoldfast.openHoldfast()
  const url = await MountedHoldfast.serve(toNodeListener(holdfast))
  for (const path of ["/metrics", "/health/live", "/health/ready"]) {
    await expectProblem(await fetch(url + path), 404, "not_found")
  }
})

it("operator's listener in Express, web handler with a prefix → the paths are below it", async () => {
  const { holdfast } = await MountedHoldfast.openHoldfast()
  const app = express().use("/internal", toOperatorListener(holdfast))
  const url = await MountedHoldfast.urlOf(app.listen(0, "127.0.0.1"))
  const handler = toOperatorHandler(holdfast, { prefix: "/internal/" })
  const get = (path: string) => handler(new Request(`https://app.example.com${path}`))
  for (const answer of [await fetch(`${url}/internal/health/ready`), await get("/internal/health/ready")]) {
    expect([answer.status, await answer.json()]).toEqual([200, healthy])
  }
  for (const answer of [await fetch(`${url}/internal/metrics`), await get("/internal/metrics")]) {
    expect(await answer.text()).toMatch(/^process_cpu_seconds_total /m)
  }
  await expectProblem(await get("/health/ready"), 404, "not_found")
  expect(() => toOperatorHandler(holdfast, { prefix: "internal" })).toThrow(TypeError)
})

it("blob store unusable → health() and readiness name it, its failures are counted; usable again → ready", async () => {
  const { directory, holdfast } = await MountedHoldfast.openHoldfast()
  const url = await MountedHoldfast.serve(toOperatorListener(holdfast))
  const { status, checks } = await holdfast.health() // checks: { metadata: "ok", blobs: "ok" }
  expect({ status, checks }).toEqual(healthy)
  const folder = Path.join(directory, "files", "tmp")
  await Fs.rename(folder, `${folder}.gone`)
  await expect
    .poll(() => holdfast.health())
    .toEqual({
      status: "unavailable",
      checks: { metadata: "ok", blobs: "unavailable" }
    })
  const answer = await fetch(`${url}/health/ready`)
  expect(await answer.clone().json()).toMatchObject({ checks: { blobs: "unavailable" }, detail: "Not ready: blobs." })
  await expectProblem(answer, 503, "unavailable")
  expect((await fetch(`${url}/health/live`)).status).toBe(200)
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^holdfast_blob_errors_total\{[^}]*\} [1-9]/m)
  await Fs.rename(`${folder}.gone`, folder)
  await expect.poll(() => holdfast.health(), { timeout: 5000 }).toEqual(healthy)
})

it("two Holdfasts in one process → each has metrics of its own", async () => {
  const [one, other] = [await MountedHoldfast.openHoldfast(), await MountedHoldfast.openHoldfast()]
  await upload(one)
  const read = async ({ holdfast }: MountedHoldfast.OpenHoldfast) =>
    (await toOperatorHandler(holdfast)(new Request("http://localhost/metrics"))).text()
  expect(await read(one)).toContain("holdfast_uploads_staged_total 1")
  expect(await read(other)).not.toContain("holdfast_uploads_staged_total")
})

it("Holdfast closed → health() rejects with Closed, the listener and the handler answer 503", async () => {
  const { holdfast } = await MountedHoldfast.openHoldfast()
  const url = await MountedHoldfast.serve(toOperatorListener(holdfast))
  const handler = toOperatorHandler(holdfast)
  await holdfast.close()
  await expect(holdfast.health()).rejects.toBeInstanceOf(Closed)
  for (const path of ["/health/live", "/health/ready", "/metrics"]) {
    await expectProblem(await fetch(url + path), 503, "unavailable")
    await expectProblem(await handler(new Request(url + path)), 503, "unavailable")
  }
})
