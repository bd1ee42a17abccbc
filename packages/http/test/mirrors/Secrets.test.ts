/**
 * Credentials of mirrors go in and never come out, whatever is answered.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Collector from "../support/Collector.ts"
import { expectAbsent } from "../support/Secrecy.ts"
import * as Site from "./Site.ts"

const document = JSON.stringify({ type: "service_account", private_key: "sEcReT-document-1234567890" })

/** Where nothing listens, so that every target fails. */
const endpoint = "http://127.0.0.1:1"

const secrets = [
  "sEcReT-of-the-s3-key-12345",
  "c0VjUmVULW9mLXRoZS1henVyZS1rZXk=",
  "sEcReT-document-1234567890",
  "sEcReT-wrong-kind"
]

const bodies = (apiKey: string): ReadonlyArray<object> => [
  { name: "a", type: "S3", region: "r", bucketName: "b", accessKeyId: "id", secretAccessKey: secrets[0], endpoint },
  { name: "b", type: "AZURE_BLOB", accountName: "a", containerName: "c", accountKey: secrets[1], endpoint },
  { name: "c", type: "GCS", projectId: "p", bucketName: "b", credentials: document, endpoint },
  { name: "d", type: "SERVICE", serviceTenantId: "ten_x", serviceBucketId: "bkt_x", apiKey }
]

/** What no mirror is made of, with secrets in the wrong places. */
const broken = (apiKey: string): ReadonlyArray<object> => [
  { type: secrets[0] },
  { name: "a", type: "S3", secretAccessKey: { value: secrets[0] }, accessKeyId: 1 },
  { name: "b", type: "AZURE_BLOB", accountKey: [secrets[1]], endpoint: `http://u:${secrets[3]}@127.0.0.1` },
  { name: "c", type: "GCS", credentials: `${document}\u0000` },
  { name: "d", type: "SERVICE", apiKey: { apiKey }, secretAccessKey: secrets[0] }
]

const filesBelow = async (directory: string): Promise<string> => {
  const entries = await Fs.readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== "lock.sqlite")
  const texts = files.map((entry) => Fs.readFile(Path.join(entry.parentPath, entry.name), "latin1"))
  return (await Promise.all(texts)).join("\n")
}

it("no secret is answered, logged, traced or stored in the clear", { timeout: 120_000 }, async () => {
  const { sent, url } = await Collector.start()
  const site = await Site.start({
    env: { HOLDFAST_OTLP_ENDPOINT: url, HOLDFAST_LOG_LEVEL: "trace", HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" }
  })
  const target = await Site.makeTarget(site.api, "target")
  await Site.upload(site, { name: "a" }, "a")

  const answers: Array<string> = []
  const note = async (answer: Response): Promise<Response> => {
    answers.push(JSON.stringify([...answer.headers]), await answer.clone().text())
    return answer
  }
  const statuses = new Set<number>()
  const post = async (json: unknown) => {
    const answer = await note(await site.api.post(site.mirrors, { json }))
    statuses.add(answer.status)
    return answer
  }
  for (const body of bodies(target.apiKey)) {
    await post(body)
    const made = (await (await post({ ...body, verify: false })).json()) as { readonly id: string }
    await note(await site.api.get(`${site.mirrors}/${made.id}`))
    await note(await site.api.patch(`${site.mirrors}/${made.id}`, { json: body }))
    await note(await site.api.patch(`${site.mirrors}/${made.id}`, { json: { ...body, name: 5, paused: secrets[3] } }))
    await Site.inState(site, made.id, "FAILING")
    await note(await site.api.get(`${site.mirrors}/${made.id}/files`))
  }
  for (const body of broken(target.apiKey)) await post(body)
  const text = `{"type":"SERVICE","apiKey":"${target.apiKey}`
  await note(await site.api.post(site.mirrors, { body: text, headers: { "content-type": "application/json" } }))
  await note(await site.api.get(site.mirrors))
  const working = await Site.createMirror(site, Site.toTarget(target))
  await Site.settled(site, working.id)
  const metrics = await (await fetch(`${site.service.url}/metrics`)).text()
  await site.service.stop()

  expect([...statuses].toSorted()).toEqual([201, 400, 422])
  const traces = sent.map(({ body }) => body).join("\n")
  expect(traces).toContain("Mirrors.create")
  expectAbsent([...secrets, target.apiKey], {
    answers: answers.join("\n"),
    stdout: site.service.stdout(),
    stderr: site.service.stderr(),
    traces,
    metrics,
    "the data directory": await filesBelow(site.service.data)
  })
})
