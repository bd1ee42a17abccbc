/**
 * Pastes every sample of the OpenAPI document into a shell and runs it against a running service.
 */
import * as Requires from "@holdfast/testing/Requires"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import * as OpenApiDocument from "../../../src/contract/OpenApiDocument.ts"
import { json } from "../../support/Problems.ts"
import * as Process from "../../support/Process.ts"
import * as Requests from "../../support/Requests.ts"
import { makeVideo } from "../../streams/support/Videos.ts"

interface Sample {
  readonly operationId: string
  readonly source: string
}

interface Items {
  readonly items: ReadonlyArray<{ readonly id: string }>
}

/** The variables of the shell. */
type Variables = Readonly<Record<string, string>>

const isSampled = (one: object): one is { operationId: string; "x-codeSamples": ReadonlyArray<Sample> } =>
  "operationId" in one && "x-codeSamples" in one

const samples: ReadonlyArray<Sample> = Object.values(OpenApiDocument.make().paths)
  .flatMap((item) => Object.values<object>(item))
  .filter(isSampled)
  .map((one) => ({ operationId: one.operationId, source: one["x-codeSamples"][0]?.source ?? "" }))
  // Only folders with many files have a job that can be read later; its tests make such a folder.
  .filter(({ operationId }) => !["folders.job", "folders.cancel"].includes(operationId))

const run = promisify(execFile)

/** Runs a sample, and returns the status of the answer and the beginning of its body. */
const paste = async (source: string, variables: Variables, cwd: string) => {
  const { stderr, stdout } = await run("sh", ["-ec", `${source} -w '%{stderr}%{http_code}'`], {
    cwd,
    env: { PATH: process.env["PATH"], ...variables }
  })
  return { status: Number(stderr), body: stdout.slice(0, 500) }
}

const { describe } = Requires.requires(
  Requires.firstMissing(Requires.command("ffmpeg", "-version"), Requires.command("curl", "--version"))
)

describe("samples of the OpenAPI document", () => {
  it("each pasted into a shell, with its variables set → success", { timeout: 480_000 }, async () => {
    const service = await Process.serve({ env: Process.converting })
    await service.untilPrinted(/reference: \S+\n/)
    const rootKey = service.key()
    const directory = await Process.makeDirectory()
    await Fs.writeFile(Path.join(directory, "cat.jpg"), "a picture")
    const API = `${service.url}/api/v1`
    const api = Requests.make(API, rootKey)
    let count = 0
    const post = async (path: string, body: object): Promise<string> => {
      const answer = await api.post(path, { json: body })
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
      return (await json<{ id: string }>(answer)).id
    }
    const makeTenant = () => post("/tenants", { name: "T", subdomain: `tenant-${++count}` })
    const makeBucket = (tenant: string) => post(`/tenants/${tenant}/buckets`, { name: `b${++count}` })
    const upload = async (files: string, content: Uint8Array<ArrayBuffer>) => {
      const id = await post(files, { name: "old.jpg", headers: [{ name: "cache-control", value: "no-cache" }] })
      await api.post(`${files}/${id}/reupload`, {
        body: content,
        headers: { "content-type": "application/octet-stream" }
      })
      return id
    }

    const TENANT = await makeTenant()
    const tenant = `/tenants/${TENANT}`
    const created = await Process.run(["keys", "create", "--email", "member@example.com"], {
      env: { HOLDFAST_DATA_DIR: service.data }
    })
    const makeMember = () =>
      post(`${tenant}/members`, { user: { email: `m${++count}@example.com` }, role: { name: "File Reader" } })

    // H.264 is copied into one rendition; of other codecs, several renditions are encoded.
    const streamed = async (...codec: ReadonlyArray<string>): Promise<Variables> => {
      const BUCKET = await makeBucket(TENANT)
      const files = `${tenant}/buckets/${BUCKET}/files`
      const FILE = await upload(files, await makeVideo("640x480", 1, ...codec))
      for (const format of ["hls", "dash"])
        await api.post(`${files}/${FILE}/streams/${format}`, { headers: { prefer: "wait=60" } })
      return { BUCKET, FILE }
    }
    const video = await streamed("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")

    /** Makes what the operation is about anew, so that the samples do not depend on each other. */
    const prepare = async ({ operationId }: Sample): Promise<Variables> => {
      const [group = ""] = operationId.split(".")
      if (operationId === "playback.hlsRenditionFile")
        return {
          ...(await streamed("-c:v", "mpeg4")),
          RENDITION: "360p",
          NAME: "index0.ts"
        }
      if (operationId === "playback.dashFile") return { ...video, NAME: "init-0.m4s" }
      if (group === "captions") {
        const captions = { language: "en", text: "WEBVTT\n\n00:01.000 --> 00:02.000\nHello" }
        const { BUCKET = "", FILE = "" } = video
        return {
          ...video,
          CAPTIONS: await post(`${tenant}/buckets/${BUCKET}/files/${FILE}/streams/captions`, captions)
        }
      }
      if (operationId === "posters.reset") {
        const { BUCKET = "", FILE = "" } = video
        await api.post(`${tenant}/buckets/${BUCKET}/files/${FILE}/streams/poster`, { json: { time: 0 } })
      }
      if (group === "streams" || group === "playback" || group === "posters") return { ...video, NAME: "index0.ts" }
      if (operationId === "tenants.remove") return { TENANT: await makeTenant() }
      if (group === "members" || group === "tokens") {
        const MEMBER = await makeMember()
        const token = { name: "t", member: { id: MEMBER } }
        const TOKEN = group === "tokens" ? await post(`${tenant}/tokens`, token) : ""
        if (operationId.endsWith("S3Credentials")) await api.post(`${tenant}/tokens/${TOKEN}/s3-credentials`)
        return { MEMBER, TOKEN }
      }
      if (group === "memberships") {
        const TENANT = await makeTenant()
        await post(`/tenants/${TENANT}/members`, {
          user: { email: "member@example.com" },
          role: { name: "File Reader" }
        })
        return { TENANT, KEY: created.stdout.trim() }
      }
      if (group === "webhooks") {
        const WEBHOOK = await post(`${tenant}/webhooks`, { name: "w", url: "https://app.example.com/hooks" })
        await api.post(`${tenant}/webhooks/${WEBHOOK}/test`)
        const { items } = await json<Items>(await api.get(`${tenant}/webhooks/${WEBHOOK}/deliveries`))
        const DELIVERY = items[0]?.id ?? ""
        return { WEBHOOK, DELIVERY }
      }
      const BUCKET = await makeBucket(TENANT)
      const bucket = `${tenant}/buckets/${BUCKET}`
      if (operationId === "buckets.remove") return { BUCKET }
      const FILE = await upload(`${bucket}/files`, new Uint8Array(3))
      if (group === "shares" || group === "folders") {
        for (const path of ["/2026/summer/", "/old/"]) await post(`${bucket}/files`, { name: "a.jpg", path })
        return { BUCKET, SHARE: group === "shares" ? await post(`${bucket}/shares`, { name: "s", path: "/old/" }) : "" }
      }
      if (group === "uploads") {
        const answer = await api.post(`${bucket}/files/uploads?name=${operationId}`, {
          headers: { "tus-resumable": "1.0.0", "upload-defer-length": "1" }
        })
        return { BUCKET, UPLOAD: answer.headers.get("location")?.split("/").at(-1) ?? "" }
      }
      if (group !== "mirrors") return { BUCKET, FILE, NAME: "cache-control" }
      const target = { name: "m", type: "CLOUD_A", region: "eu-central-1", bucketName: "b" }
      const secrets = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "secret" }
      return { BUCKET, MIRROR: await post(`${bucket}/mirrors?verify=false`, { ...target, ...secrets }) }
    }

    const failures: Array<string> = []
    const removesStreams = ({ operationId }: Sample) => operationId.startsWith("streams.remove")
    const tryOut = async (sample: Sample): Promise<void> => {
      const variables = { API, KEY: rootKey, TENANT, ...(await prepare(sample)) }
      // The example names a bucket of Amazon S3, which the tests cannot reach.
      const source =
        sample.operationId === "mirrors.create"
          ? sample.source.replace("/mirrors", "/mirrors?verify=false")
          : sample.source
      const { body, status } = await paste(source, variables, directory)
      if (status < 200 || status > 299) failures.push(`${sample.operationId}: ${status} ${body}`)
    }
    await Promise.all(samples.filter((one) => !removesStreams(one)).map(tryOut))
    await Promise.all(samples.filter(removesStreams).map(tryOut))
    expect(failures).toEqual([])
    expect(samples.length).toBeGreaterThan(70)
  })
})
