import * as Holdfast from "@holdfast/core"
import { inMemory } from "@holdfast/testing/InMemory"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inspect, promisify } from "node:util"
import { expect, it } from "vitest"
import { makeDirectory, rejection, setUp } from "./support.ts"

/** Returns the error of `open` for options as a program without types can pass them. */
const openError = async (options: unknown): Promise<Holdfast.InvalidRequest> => {
  const error = await rejection(Holdfast.open(options as Holdfast.OpenOptions))
  if (!(error instanceof Holdfast.InvalidRequest)) throw error
  return error
}

it("open: required option is absent → InvalidRequest that names it in its message", async () => {
  for (const options of [undefined, null, 7, {}]) {
    const { message } = await openError(options)
    expect(message).toMatch(/^The options of open\(\) are not valid\. .*metadata.*blobs/)
  }
  const { errors, message } = await openError({ metadata: inMemory().metadata })
  expect(errors.map(({ pointer }) => pointer)).toEqual(["/blobs"])
  expect(message).toContain("blobs: is required: where contents are stored, such as fs(")
})

it("open: option is unknown → InvalidRequest with the name that was meant", async () => {
  const { errors } = await openError({
    ...inMemory(),
    Blobs: 1,
    mirorCopies: 2,
    setings: {},
    colour: "red",
    settings: { maxUploadByte: 1, quota: { bites: 1 }, keyRate: { requests: 1, windows: 1 } }
  })
  const details = Object.fromEntries(errors.map(({ detail, pointer }) => [pointer, detail]))
  expect(details).toMatchObject({
    "/Blobs": "is not known; did you mean blobs?",
    "/mirorCopies": "is not known; did you mean mirrorCopies?",
    "/setings": "is not known; did you mean settings?",
    "/colour": expect.stringContaining("known are metadata, blobs"),
    "/settings/maxUploadByte": "is not known; did you mean maxUploadBytes?",
    "/settings/quota/bites": "is not known; did you mean bytes?",
    "/settings/keyRate/windows": "is not known; did you mean window?"
  })
})

it("open: value is not valid → InvalidRequest with every fault", async () => {
  const { errors, message } = await openError({
    metadata: {},
    blobs: "files",
    settings: {
      maxUploadBytes: "1 MB",
      blobGrace: "soon",
      uploadExpiry: "25 days",
      quota: { files: -1 },
      tenantRate: { requests: 1 }
    },
    publicUrl: "app.example.com",
    sweepEvery: "often",
    video: {},
    conversions: 0,
    workspace: {},
    signingSecret: new Uint8Array(31),
    secretKey: "secret",
    formerSecretKeys: [new Uint8Array(32), new Uint8Array(1)],
    mirrors: [{}],
    mirrorCopies: 1.5,
    webhooks: {},
    webhookRequests: 0,
    log: "loud"
  })
  const faulty = [
    "metadata",
    "blobs",
    "settings.maxUploadBytes",
    "settings.blobGrace",
    "settings.uploadExpiry",
    "settings.quota.files",
    "settings.tenantRate.window",
    "publicUrl",
    "sweepEvery",
    "video",
    "conversions",
    "workspace",
    "signingSecret",
    "secretKey",
    "formerSecretKeys.1",
    "mirrors.0",
    "mirrorCopies",
    "webhooks",
    "webhookRequests",
    "log"
  ]
  expect(errors.map(({ pointer }) => pointer.slice(1).replaceAll("/", ".")).toSorted()).toEqual(faulty.toSorted())
  expect(message).toMatch(/; and 17 more in errors$/)
})

it("open: durations as texts, undefined options → the defaults and the texts apply", async () => {
  const { bucket, holdfast, root } = await setUp({
    video: undefined,
    settings: { tokenLifetime: "1 hour", maxUploadBytes: undefined, keyRate: { requests: 5, window: "1 minute" } }
  })
  const expiresAt = new Date(Date.now() + 2 * 3_600_000)
  const token = holdfast.tokens.create(root, { tenantId: bucket.tenantId, name: "long", expiresAt } as never)
  expect(await rejection(token)).toBeInstanceOf(Holdfast.InvalidRequest)
  expect(await holdfast.files.upload(root, { ...bucket, name: "a", content: "text" })).toMatchObject({ name: "a" })
})

it("settings.publicBuckets absent, public bucket → InvalidRequest with the setting of the library and that of the service", async () => {
  const { bucket, holdfast, root } = await setUp()
  const error = await rejection(holdfast.buckets.update(root, { ...bucket, visibility: "public" }))
  expect(error).toBeInstanceOf(Holdfast.InvalidRequest)
  expect(error).toMatchObject({
    errors: [
      { pointer: "/visibility", detail: expect.stringMatching(/HOLDFAST_PUBLIC_BUCKETS.*settings\.publicBuckets/) }
    ]
  })
})

it("errors: method and open reject → the stack names the caller, the printed error has message, stack and fields", async () => {
  const { bucket, holdfast, root } = await setUp()
  const get = async function findNothing() {
    return await holdfast.files.get(root, { ...bucket, fileId: "nothing" })
  }
  const upload = async function uploadNothing() {
    return await holdfast.files.upload(root, { ...bucket, name: "", content: "text" })
  }
  const openNothing = async function openNothing() {
    return await Holdfast.open({} as Holdfast.OpenOptions)
  }
  // Both calls fail with the same instance inside of the core.
  const [first, second] = await Promise.all([rejection(get()), rejection(get())])
  expect(first).not.toBe(second)
  expect(first).toBeInstanceOf(Holdfast.NotFound)
  expect(inspect(first)).toMatch(/^NotFound: There is no such file\.\n {4}at .*findNothing[^]*resource: 'file'/)
  expect(inspect(await rejection(upload()))).toMatch(/^InvalidRequest: [^\n]*name: must not be empty\n.*uploadNothing/)
  expect(inspect(await rejection(openNothing()))).toMatch(
    /^InvalidRequest: [^\n]*metadata: is required[^\n]*\n.*openNothing/
  )
})

it("process: Holdfast is not closed → the process ends by itself", { timeout: 60_000 }, async () => {
  const program = fileURLToPath(new URL("../programs/unclosed.ts", import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program, makeDirectory()], { timeout: 50_000 })
  expect(stdout).toMatch(/^fil_/)
})
