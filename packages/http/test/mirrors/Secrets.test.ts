/**
 * Tests that no response, log, trace, metric or file of the service has credentials of mirrors.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Collector from "../support/Collector.ts"
import { expectAbsent } from "../support/Secrecy.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

const document = JSON.stringify({ type: "service_account", private_key: "sEcReT-document-1234567890" })

/** An address on which no program listens, so that every target fails. */
const endpoint = "http://127.0.0.1:1"

const secrets = [
  "sEcReT-of-the-s3-key-12345",
  "c0VjUmVULW9mLXRoZS1henVyZS1rZXk=",
  "sEcReT-document-1234567890",
  "sEcReT-wrong-kind"
]

/** Valid inputs of each type. */
const validInputs = (apiKey: string): ReadonlyArray<object> => [
  { name: "a", type: "S3", region: "r", bucketName: "b", accessKeyId: "id", secretAccessKey: secrets[0], endpoint },
  { name: "b", type: "AZURE_BLOB", accountName: "a", containerName: "c", accountKey: secrets[1], endpoint },
  { name: "c", type: "GCS", projectId: "p", bucketName: "b", credentials: document, endpoint },
  { name: "d", type: "SERVICE", serviceTenantId: "ten_x", serviceBucketId: "bkt_x", apiKey }
]

/** Invalid inputs, with secrets in the wrong places. */
const invalidInputs = (apiKey: string): ReadonlyArray<object> => [
  { type: secrets[0] },
  { name: "a", type: "S3", secretAccessKey: { value: secrets[0] }, accessKeyId: 1 },
  { name: "b", type: "AZURE_BLOB", accountKey: [secrets[1]], endpoint: `http://u:${secrets[3]}@127.0.0.1` },
  { name: "c", type: "GCS", credentials: `${document}\u0000` },
  { name: "d", type: "SERVICE", apiKey: { apiKey }, secretAccessKey: secrets[0] }
]

/** Returns the contents of all files below a directory, except the lock file. */
const readFilesBelow = async (directory: string): Promise<string> => {
  const entries = await Fs.readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== "lock.sqlite")
  const texts = files.map((entry) => Fs.readFile(Path.join(entry.parentPath, entry.name), "latin1"))
  return (await Promise.all(texts)).join("\n")
}

it(
  "credentials in valid and invalid requests → in no response, log, trace, metric or file",
  { timeout: 120_000 },
  async () => {
    const { sent, url } = await Collector.start()
    const source = await MirrorRequests.start({
      env: { HOLDFAST_OTLP_ENDPOINT: url, HOLDFAST_LOG_LEVEL: "trace", HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" }
    })
    const target = await MirrorRequests.createTarget(source.api, "target")
    await MirrorRequests.upload(source, { name: "a" }, "a")

    const answers: Array<string> = []
    /** Keeps the texts of a response. */
    const note = async (answer: Response): Promise<Response> => {
      answers.push(JSON.stringify([...answer.headers]), await answer.clone().text())
      return answer
    }
    const statuses = new Set<number>()
    const post = async (json: unknown) => {
      const answer = await note(await source.api.post(source.mirrors, { json }))
      statuses.add(answer.status)
      return answer
    }
    for (const body of validInputs(target.apiKey)) {
      await post(body)
      const made = (await (await post({ ...body, verify: false })).json()) as { readonly id: string }
      await note(await source.api.get(`${source.mirrors}/${made.id}`))
      await note(await source.api.patch(`${source.mirrors}/${made.id}`, { json: body }))
      await note(
        await source.api.patch(`${source.mirrors}/${made.id}`, { json: { ...body, name: 5, paused: secrets[3] } })
      )
      await MirrorRequests.untilInState(source, made.id, "FAILING")
      await note(await source.api.get(`${source.mirrors}/${made.id}/files`))
    }
    for (const body of invalidInputs(target.apiKey)) await post(body)
    const text = `{"type":"SERVICE","apiKey":"${target.apiKey}`
    await note(await source.api.post(source.mirrors, { body: text, headers: { "content-type": "application/json" } }))
    await note(await source.api.get(source.mirrors))
    const working = await MirrorRequests.createMirror(source, MirrorRequests.mirrorToTenant(target))
    await MirrorRequests.untilCopied(source, working.id)
    const metrics = await (await fetch(`${source.service.url}/metrics`)).text()
    await source.service.stop()

    expect([...statuses].toSorted()).toEqual([201, 400, 422])
    const traces = sent.map(({ body }) => body).join("\n")
    expect(traces).toContain("Mirrors.create")
    expectAbsent([...secrets, target.apiKey], {
      answers: answers.join("\n"),
      stdout: source.service.stdout(),
      stderr: source.service.stderr(),
      traces,
      metrics,
      "the data directory": await readFilesBelow(source.service.data)
    })
  }
)
