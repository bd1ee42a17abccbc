/**
 * Two nodes of a service with PostgreSQL and a shared object store, which are replaced while clients send requests.
 */
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { expect, onTestFinished } from "vitest"
import * as Database from "../../support/Database.ts"
import { json } from "../../support/Problems.ts"
import * as Process from "../../support/Process.ts"
import * as Requests from "../../support/Requests.ts"
import * as Proxies from "./Proxies.ts"

export interface Node {
  readonly url: string
  readonly operatorPort: number
  /** Stops the process in order, starts another one, and waits until it is ready. */
  readonly replace: () => Promise<void>
}

export interface Nodes {
  readonly nodes: ReadonlyArray<Node>
  readonly rootKey: string
}

/** Starts two nodes with this drain delay. */
export const start = async (drainDelay: string): Promise<Nodes> => {
  const database = await Database.start()
  onTestFinished(() => database.close())
  const runtime = ManagedRuntime.make(FakeGcs.layer)
  onTestFinished(() => runtime.dispose())
  const gcs = await runtime.runPromise(FakeGcs.FakeGcs)
  await runtime.runPromise(gcs.createBucket("contents"))
  const generated = await Process.run(["keys", "generate"])
  const rootKey = generated.stdout.trim()
  const env = {
    DATABASE_URL: await database.create(),
    HOLDFAST_BLOBS: "gcs",
    HOLDFAST_GCS_BUCKET: "contents",
    HOLDFAST_GCS_CREDENTIALS: Redacted.value(gcs.credentials),
    HOLDFAST_GCS_ENDPOINT: gcs.endpoint,
    HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"),
    HOLDFAST_ROOT_KEY: rootKey,
    HOLDFAST_CONVERSIONS: "0",
    // The clients use the new tenant at once, through both nodes.
    HOLDFAST_ACCESS_CACHE: "0",
    HOLDFAST_DRAIN_DELAY: drainDelay
  }
  const startNode = async (): Promise<Node> => {
    const [port, operatorPort] = [await Proxies.freePort(), await Proxies.freePort()]
    const run = async () => {
      const args = ["serve", "--port", String(port), "--operator-port", String(operatorPort)]
      const running = Process.start(args, { env, cwd: await Process.makeDirectory() })
      await running.untilPrinted(/listens on/)
      await expect
        .poll(async () => (await fetch(`http://127.0.0.1:${operatorPort}/health/ready`)).status, { timeout: 20_000 })
        .toBe(200)
      return running
    }
    let running = await run()
    const replace = async () => {
      running.child.kill("SIGTERM")
      expect(await running.exited).toEqual({ code: 0, signal: null })
      running = await run()
    }
    return { url: `http://127.0.0.1:${port}`, operatorPort, replace }
  }
  return { nodes: [await startNode(), await startNode()], rootKey }
}

const clients = 8

export interface Result {
  readonly requests: number
  /** What went wrong, for each failed request. */
  readonly failures: ReadonlyArray<string>
}

/**
 * Replaces each node `rounds` times, while clients upload, change, read, list and delete files through a proxy. They send
 * `requests` requests at least.
 */
export const run = async (
  { nodes, rootKey }: Nodes,
  proxyUrl: string,
  { requests, rounds }: { readonly requests: number; readonly rounds: number }
): Promise<Result> => {
  const api = Requests.make(`${proxyUrl}/api/v1`, rootKey)
  const make = async (path: string, input: Readonly<Record<string, string>>): Promise<string> => {
    const response = await api.post(path, { json: input })
    expect(response.status, await response.clone().text()).toBe(201)
    return (await json<{ readonly id: string }>(response)).id
  }
  const tenantId = await make("/tenants", { name: "Tenant", subdomain: "tenant" })
  const bucketId = await make(`/tenants/${tenantId}/buckets`, { name: "bucket" })
  const files = `/tenants/${tenantId}/buckets/${bucketId}/files`
  const failures: Array<string> = []
  let sent = 0
  let isReplacing = true
  const isDone = () => !isReplacing && sent >= requests

  /** Sends a request. Returns its text, or undefined when it failed. */
  const send = async (
    name: string,
    expected: number,
    request: () => Promise<Response>
  ): Promise<string | undefined> => {
    sent++
    try {
      const response = await request()
      const text = await response.text()
      if (response.status === expected) return text
      failures.push(`${name}: ${response.status} ${text.slice(0, 200)}`)
    } catch (error) {
      failures.push(`${name}: ${String(error)}`)
    }
    return undefined
  }

  const client = async (index: number): Promise<void> => {
    for (let turn = 0; !isDone(); turn++) {
      const content = `content ${index} ${turn} `.repeat(500)
      const form = new FormData()
      form.set("body", JSON.stringify({ name: `file-${index}-${turn}` }))
      form.set("file", new Blob([content]))
      const made = await send("upload", 201, () => api.post(`${files}/upload`, { body: form }))
      if (made === undefined) continue
      const path = `${files}/${(JSON.parse(made) as { readonly id: string }).id}`
      await send("change", 200, () => api.patch(path, { json: { metadata: { turn } } }))
      const viewed = await send("view", 200, () => api.get(`${path}/view`))
      if (viewed !== undefined && viewed !== content) failures.push("view: other content")
      await send("reupload", 200, () => api.post(`${path}/reupload`, { body: content }))
      await send("list", 200, () => api.get(`${files}?limit=5`))
      await send("delete", 204, () => api.delete(path))
    }
  }

  const working = Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  for (let round = 0; round < rounds; round++) {
    for (const node of nodes) await node.replace()
  }
  isReplacing = false
  await working
  return { requests: sent, failures }
}
