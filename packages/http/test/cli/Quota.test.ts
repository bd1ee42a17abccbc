import { expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

it("quota: set and get while a service runs → limits and use; faults → exit code and the option's name", async () => {
  const service = await Process.serve()
  const dataDir = ["--data-dir", service.data]
  const key = (await Process.run(["keys", "create", "--email", "ci@example.com", ...dataDir])).stdout.trim()
  const api = Requests.make(`${service.url}/api/v1`, key)
  const created = await api.post("/tenants", { json: { name: "Acme", subdomain: "acme" } })
  const { id } = (await created.json()) as { readonly id: string }

  const limits = ["--bytes", "5GiB", "--files", "none", "--buckets", "3"]
  const set = await Process.run(["quota", "set", id, ...limits, ...dataDir])
  expect(set.stderr).toBe("")
  expect(set.stdout).toMatch(/RESOURCE +USED +LIMIT +SET FOR\n/)
  expect(set.stdout).toMatch(/bytes +0 +5368709120 +tenant\n/)
  expect(set.stdout).toMatch(/members +1 +10000 +settings\n/)
  expect(await (await api.get(`/tenants/${id}/usage`)).json()).toMatchObject({
    limits: { bytes: 5 * 1024 ** 3, files: null, buckets: 3, mirrors: 1000 }
  })

  const reset = await Process.run(["quota", "set", id, "--bytes", "default", "--json", ...dataDir])
  expect(JSON.parse(reset.stdout)).toMatchObject({
    limits: { bytes: null, buckets: 3 },
    own: { files: null, buckets: 3 },
    usage: { members: 1 }
  })
  const got = await Process.run(["quota", "get", id, ...dataDir])
  expect(got.stdout).toMatch(/buckets +0 +3 +tenant\n/)

  const wrong = await Process.run(["quota", "set", id, "--tokens-per-member", "many", ...dataDir])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--tokens-per-member must be a whole number")])
  const missing = await Process.run(["quota", "get", "ten_x", ...dataDir])
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("no such tenant")])
})
