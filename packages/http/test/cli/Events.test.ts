import { expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

const events = (data: string, ...args: ReadonlyArray<string>) => Process.run(["events", "--data-dir", data, ...args])

const later = new Date(Date.now() + 3_600_000).toISOString()

const actionsOf = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").flatMap((line): ReadonlyArray<string> => (line === "" ? [] : [JSON.parse(line).action]))

it("events: of the deployment, of a tenant, filtered, exported, of a removed tenant, service running → printed", async () => {
  const { api, key, service } = await ServiceBucket.start()
  const { data } = service
  const created = await api.post("/tenants", { json: { name: "Acme \u202E", subdomain: "acme" } })
  const { id } = (await created.json()) as { readonly id: string }
  for (const name of ["one", "two", "three"]) await api.post(`/tenants/${id}/buckets`, { json: { name } })

  const ofDeployment = await events(data)
  expect(ofDeployment).toMatchObject({ code: 0, stderr: "" })
  expect(ofDeployment.stdout).toMatch(/^TIME +ACTION +ACTOR +TARGET +ADDRESS\n/)
  expect(ofDeployment.stdout).toMatch(/ account_key\.created +SYSTEM +key_[0-9a-f-]{36} .* -\n/)
  expect(ofDeployment.stdout).not.toContain(key)

  const ofTenant = await events(data, "--tenant", id, "--limit", "2", "--json")
  expect(actionsOf(ofTenant.stdout)).toEqual(["bucket.created", "bucket.created"])
  const table = await events(data, "--tenant", id, "--action", "tenant.")
  expect(table.stdout).toMatch(/ tenant\.created +key_[0-9a-f-]{36} +ten_[0-9a-f-]{36} Acme \uFFFD +127\.0\.0\.1\n/)

  const exported = await events(data, "--tenant", id, "--export", "--to", later)
  const all = ["tenant.created", "member.created", "bucket.created", "bucket.created", "bucket.created"]
  expect(actionsOf(exported.stdout)).toEqual(all)
  const [first = ""] = exported.stdout.split("\n")
  const rest = await events(data, "--tenant", id, "--export", "--to", later, "--after", JSON.parse(first).id)
  expect(actionsOf(rest.stdout)).toEqual(all.slice(1))
  expect((await events(data, "--tenant", id, "--export")).stdout).toBe("")

  expect((await api.delete(`/tenants/${id}?force=true`)).status).toBe(204)
  const removed = await events(data, "--tenant", id, "--limit", "1", "--json", "--action", "tenant.deleted")
  expect(actionsOf(removed.stdout)).toEqual(["tenant.deleted"])
})

it("events: invalid options → exit code 2 with the option and the remedy", async () => {
  const data = await Process.makeDirectory()
  await Process.run(["migrate", "--data-dir", data])
  for (const [args, message] of [
    [["--tenant", "acme"], "--tenant must be the id of a tenant"],
    [["--from", "yesterday"], "--from: "],
    [["--export", "--limit", "1"], "leave --limit out"],
    [["--after", "evt_x"], "add --export"],
    [["--export", "--after", "x"], "--after: must be the id of an event"]
  ] as const) {
    const { code, stderr } = await events(data, ...args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  }
})
