/**
 * Tests of the service with Azure Blob Storage and Google Cloud Storage: contents are stored there, mirrored there and backed up.
 */
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { expect, it, onTestFinished } from "vitest"
import * as Deployments from "../backup/Deployments.ts"
import * as Process from "../support/Process.ts"
import * as SharedKey from "../support/SharedKey.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

interface StoredObject {
  readonly text: string
  readonly contentType: string | null
}

interface Cloud {
  /** Settings that store contents in the cloud. */
  readonly env: Readonly<Record<string, string>>
  /** The input of a mirror to the cloud. */
  readonly mirror: object
  /** Reads an object at the mirror's target. */
  readonly read: (name: string) => Promise<StoredObject | undefined>
}

/** Backs a running deployment up, and restores it into a directory. */
const checkBackup = async (deployment: Deployments.Deployment, source: MirrorRequests.Started, text: string) => {
  const backup = await Process.makeDirectory()
  const made = await Deployments.runJson(deployment, "backup", backup)
  expect(made).toMatchObject({ copied: 1, lost: 0 })
  const target = await Deployments.make(undefined)
  expect(await Deployments.runJson(target, "restore", backup)).toMatchObject({ copied: 1, findings: 0 })
  const api = await Deployments.open(target, source.key)
  const contents = new Map([["b.txt", Deployments.sha256(Buffer.from(text))]])
  expect(await Deployments.readAll(api, source.files)).toEqual(contents)
}

/** Uploads, renames, backs up and removes a file on a service in a cloud, with a mirror to the same cloud. */
const checkCloud = async ({ env, mirror, read }: Cloud) => {
  const source = await MirrorRequests.start({ env: { ...env, HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
  expect(await (await fetch(`${source.service.url}/health/ready`)).json()).toMatchObject({ checks: { blobs: "ok" } })
  const { id } = await MirrorRequests.createMirror(source, mirror)
  const text = "0123456789".repeat(200_000)
  const file = await MirrorRequests.upload(source, { name: "a.txt", path: "/ä/", metadata: { n: 1 } }, text)
  const own = `${source.files}/${file.id}`
  const range = await source.api.get(`${own}/view`, { headers: { range: "bytes=1999995-" } })
  expect([range.status, await range.text()]).toEqual([206, "56789"])
  await MirrorRequests.untilCopied(source, id)
  expect(await read("ä/a.txt")).toEqual({ text, contentType: "text/plain; charset=utf-8" })

  await source.api.patch(own, { json: { name: "b.txt", path: "/" } })
  await MirrorRequests.untilCopied(source, id)
  expect((await read("b.txt"))?.text.length).toBe(text.length)
  expect(await read("ä/a.txt")).toBeUndefined()
  const fsck = await Process.run(["fsck", "--data-dir", source.service.data], { env })
  expect([fsck.code, fsck.stdout]).toEqual([0, expect.stringContaining("1 records, 1 contents: 0 findings")])

  await checkBackup({ data: source.service.data, env }, source, text)
  expect((await source.api.delete(own)).status).toBe(204)
  await MirrorRequests.untilCopied(source, id)
  expect(await read("b.txt")).toBeUndefined()
  expect((await source.service.stop()).code).toBe(0)
}

requires(Azurite.missing).describe("Azure Blob Storage", () => {
  it(
    "contents and a mirror in the cloud: file uploaded, renamed, removed → stored and copied",
    { timeout: 120_000 },
    async () => {
      const runtime = ManagedRuntime.make(Azurite.layer)
      onTestFinished(() => runtime.dispose())
      const { accountKey, accountName, endpoint } = await runtime.runPromise(Azurite.Azurite)
      const account = { accountName, endpoint, accountKey: Redacted.value(accountKey) }
      for (const container of ["contents", "copies"]) {
        expect((await SharedKey.send(account, "PUT", container, { restype: "container" })).status).toBe(201)
      }
      await checkCloud({
        env: {
          HOLDFAST_BLOBS: "azure",
          HOLDFAST_AZURE_CONTAINER: "contents",
          HOLDFAST_AZURE_ACCOUNT_NAME: accountName,
          HOLDFAST_AZURE_ACCOUNT_KEY: account.accountKey,
          HOLDFAST_AZURE_ENDPOINT: endpoint
        },
        mirror: { name: "copies", type: "AZURE_BLOB", containerName: "copies", ...account },
        read: async (name) => {
          const answer = await SharedKey.send(
            account,
            "GET",
            `copies/${name.split("/").map(encodeURIComponent).join("/")}`
          )
          if (answer.status === 404) return undefined
          return { text: await answer.text(), contentType: answer.headers.get("content-type") }
        }
      })
    }
  )
})

it(
  "Google Cloud Storage: contents and a mirror in the cloud: file uploaded, renamed, removed → stored and copied",
  { timeout: 120_000 },
  async () => {
    const runtime = ManagedRuntime.make(FakeGcs.layer)
    onTestFinished(() => runtime.dispose())
    const gcs = await runtime.runPromise(FakeGcs.FakeGcs)
    await runtime.runPromise(Effect.andThen(gcs.createBucket("contents"), gcs.createBucket("copies")))
    const credentials = Redacted.value(gcs.credentials)
    await checkCloud({
      env: {
        HOLDFAST_BLOBS: "gcs",
        HOLDFAST_GCS_BUCKET: "contents",
        HOLDFAST_GCS_CREDENTIALS: credentials,
        HOLDFAST_GCS_ENDPOINT: gcs.endpoint
      },
      mirror: {
        name: "copies",
        type: "GCS",
        projectId: "testing",
        bucketName: "copies",
        credentials,
        endpoint: gcs.endpoint
      },
      read: async (name) => {
        const found = await runtime.runPromise(gcs.findObject("copies", name))
        return found && { text: found.bytes.toString(), contentType: String(found.resource["contentType"]) }
      }
    })
  }
)
