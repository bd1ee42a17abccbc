/**
 * Runs the shell commands of the pages against a running service, each block in a shell and a directory of its own. The test
 * replaces what a reader has to replace, such as `ten_…`, `/backups/holdfast` and times in the future.
 */
import * as Requires from "@holdfast/testing/Requires"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import { expect, inject, it, vi } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { makeVideo } from "../streams/support/Videos.ts"
import * as Process from "../support/Process.ts"

const root = Path.join(import.meta.dirname, "../../../..")

interface Block {
  /** The page, and the number of the block in it. */
  readonly name: string
  readonly code: string
}

/** The blocks that are not run here, by page or by block, with the reason. `Snippets.test.ts` parses all of them. */
const notRun: Readonly<Record<string, string>> = {
  "README.md 1": "Packages.test.ts installs the packages from tarballs",
  "README.md 2": "installs the dependencies of this repository, and runs all tests",
  "README.md 3": "Tour.test.ts runs the tour",
  "docs/browsers.md 3": "serves until it is stopped, at a fixed port",
  "docs/deployment.md": "changes the machine: systemd, Docker, Kubernetes",
  "docs/getting-started.md 1": "Packages.test.ts installs the packages from tarballs",
  "docs/getting-started.md 2": "Packages.test.ts installs the package from a tarball and serves",
  "docs/limits.md 1": "serves until it is stopped, at a fixed port",
  "docs/migrating.md 1": "ImportFiles.test.ts runs the program",
  "docs/migrating.md 2": "needs a bucket in a cloud",
  "docs/migrating.md 3": "needs a bucket in a cloud",
  "docs/mirrors.md 2": "needs buckets in clouds; Samples.test.ts runs such requests",
  "docs/operating.md 8": "needs a service that is stopped; StoreIdentity.test.ts runs the command",
  "docs/performance.md": "measures for minutes",
  "docs/runtimes.md": "scripts/hosts runs the bundler",
  "docs/s3.md 2": "needs the AWS CLI",
  "docs/s3.md 3": "S3Credentials.test.ts runs the commands",
  "docs/s3.md 4": "needs an object in a public bucket; S3Roles.test.ts sends such requests",
  "docs/s3.md 5": "needs restic, and a host name",
  "docs/s3.md 6": "needs the AWS CLI and credentials",
  "packages/http/README.md 1": "Packages.test.ts installs the package from a tarball and serves"
}

/** Blocks that only install or test packages: `Packages.test.ts` installs them, and the suite runs the examples. */
const isInstallation = (code: string): boolean =>
  code
    .trim()
    .split("\n")
    .every((line) => /^(?:npm install |pnpm test )/.test(line))

const patterns = ["README.md", "docs/**/*.md", "packages/*/README.md", "packages/adapters/*/README.md"]

const blocks = async (): Promise<ReadonlyArray<Block>> => {
  const found: Array<Block> = []
  for await (const path of Fs.glob(patterns, { cwd: root })) {
    const text = await Fs.readFile(Path.join(root, path), "utf8")
    const codes = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = ""]) => code)
    found.push(...codes.map((code, index) => ({ name: `${path} ${index + 1}`, code })))
  }
  return found
}

const pageOf = ({ name }: Block): string => name.slice(0, name.lastIndexOf(" "))

const isRun = (block: Block): boolean =>
  notRun[block.name] === undefined && notRun[pageOf(block)] === undefined && !isInstallation(block.code)

/**
 * The commands that the blocks call. A restore goes into a data directory of its own, except for one that repairs contents. No window
 * opens: ffprobe reads what ffplay would play.
 */
const prelude = (program: string): string => `
  curl() { command curl -sS -f "$@"; }
  npx() {
    shift
    if [ "$1" = restore ] && [ "\${3:-}" != --only-damaged ]; then export HOLDFAST_DATA_DIR="$PWD/restored-$RANDOM"; fi
    "${process.execPath}" "${program}" "$@"
  }
  ffplay() { ffprobe -v error "$@"; }
`

/** The receiver of webhooks: no name server knows it (RFC 2606), so that nothing leaves this machine. */
const receiver = "https://receiver.invalid"

const run = promisify(execFile)

const { describe } = Requires.requires(
  Requires.firstMissing(
    Requires.command("bash", "--version"),
    Requires.command("curl", "--version"),
    Requires.command("jq", "--version"),
    Requires.command("ffmpeg", "-version")
  )
)

describe("pages", () => {
  it("shell blocks, pasted with the reader's ids → every command succeeds", { timeout: 120_000 }, async () => {
    const service = await Process.serve({ env: { ...Process.converting, HOLDFAST_PUBLIC_BUCKETS: "on" } })
    await service.untilPrinted(/reference: \S+\n/)
    const key = service.key()
    const client = createClient({ url: service.url, apiKey: key })
    const env = { HOLDFAST_DATA_DIR: service.data }
    const { id: tenantId } = await client.tenants.create({ name: "Acme", subdomain: "acme" })
    const memberId = (await client.members.list({ tenantId })).items[0]?.id ?? ""
    const directory = await Process.makeDirectory()
    const backups = Path.join(directory, "backups")
    await Process.run(["backup", backups], { env })
    const [snapshot = ""] = (await Fs.readdir(backups, { recursive: true })).flatMap(
      (path) => /\d{8}T\d{9}Z/.exec(path) ?? []
    )

    const noWebhook = { webhookId: "", deliveryId: "" }
    const makeWebhook = async () => {
      const { id: webhookId } = await client.webhooks.create({ tenantId, name: "w", url: `${receiver}/` })
      await client.webhooks.test({ tenantId, webhookId })
      const { items } = await client.webhooks.deliveries({ tenantId, webhookId })
      return { webhookId, deliveryId: items[0]?.id ?? "" }
    }

    const video = await makeVideo("160x120", 1, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
    const subtitles = "1\n00:00:00,000 --> 00:00:01,000\nHallo\n"

    /** Makes the video that the blocks about streams show, with its stream, and returns the id of captions. */
    const makeHolidays = async (bucket: { readonly tenantId: string; readonly bucketId: string }) => {
      const file = await client.files.upload({ ...bucket, name: "holidays.mp4", alias: "holidays", content: video })
      const ref = { ...bucket, fileId: file.id }
      await client.streams.request({ ...ref, format: "hls", wait: 60 })
      // The poster follows the stream.
      await vi.waitFor(async () => (await client.streams.poster(ref)).bytes(), { timeout: 60_000, interval: 200 })
      const { id } = await client.streams.attachCaptions({ ...ref, language: "en", text: subtitles })
      return id
    }

    const prepare = async (block: Block, index: number) => {
      const { id: bucketId } = await client.buckets.create({ tenantId, name: `bucket-${index}` })
      const bucket = { tenantId, bucketId }
      const { id: fileId } = await client.files.upload({ ...bucket, name: "a.txt", alias: `a-${index}`, content: "x" })
      await client.files.upload({ ...bucket, name: "logo.png", alias: "logo", content: "x" })
      const { token } = await client.shares.create({ ...bucket, name: "s", may: ["download"], path: "/" })
      const { deliveryId, webhookId } = block.code.includes("/webhooks/") ? await makeWebhook() : noWebhook
      const { items: events } = await client.events.list({ tenantId, limit: 1 })
      const account = block.code.includes("key_…")
        ? (await Process.run(["keys", "create", "--email", `a${index}@example.com`], { env })).stderr
        : ""
      const captionsId = /@holidays|\$file\//.test(block.code) ? await makeHolidays(bucket) : undefined
      const cwd = Path.join(directory, String(index))
      await Fs.mkdir(cwd)
      await Fs.writeFile(Path.join(cwd, "report.pdf"), "a report")
      await Fs.writeFile(Path.join(cwd, "holidays.de.srt"), subtitles)
      if (block.code.includes("/backups/holdfast")) await Fs.cp(backups, Path.join(cwd, "backups"), { recursive: true })
      const names: Readonly<Record<string, string>> = {
        "ten_…": tenantId,
        "bkt_…": bucketId,
        "fil_…": fileId,
        "mem_…": memberId,
        "evt_…": events[0]?.id ?? "",
        "hfs_…": token,
        "hf_…": key,
        "AKIA…": "AKIAEXAMPLE",
        "key_…": /key_[0-9a-f-]{36}/.exec(account)?.[0] ?? "",
        "/backups/holdfast": Path.join(cwd, "backups"),
        "20261122T152603000Z": snapshot,
        "./data": service.data,
        "http://127.0.0.1:8080": service.url,
        "https://example.com": receiver,
        // The target is not reached.
        '/mirrors"': '/mirrors?verify=false"'
      }
      const code = Object.entries(names)
        .reduce((text, [name, value]) => text.replaceAll(name, value), block.code)
        .replaceAll(/(?<="expiresAt": )"[^"]+"/g, JSON.stringify(new Date(Date.now() + 86_400_000)))
      const variables = {
        HOLDFAST_URL: service.url,
        HOLDFAST_API_KEY: key,
        HOLDFAST_KEY: key,
        HOLDFAST_TENANT: tenantId,
        HOLDFAST_BUCKET: bucketId,
        HOLDFAST_DATA_DIR: service.data,
        TENANT: tenantId,
        BUCKET: bucketId,
        FILE: fileId,
        key,
        url: service.url,
        tenant: tenantId,
        bucket: bucketId,
        webhook: webhookId,
        file: `${service.url}/api/v1/tenants/${tenantId}/buckets/${bucketId}/files/@holidays`,
        id: captionsId ?? webhookId,
        delivery: deliveryId,
        last: events[0]?.id ?? ""
      }
      return { code, cwd, variables }
    }

    const bundle = inject("serviceBundle")
    const program = Path.join(bundle, "main.js")
    const failures: Array<string> = []
    const tryOut = async (block: Block, index: number): Promise<void> => {
      const { code, cwd, variables } = await prepare(block, index)
      const script = `${prelude(program)}\n${code}`
      await run("bash", ["--norc", "-eu", "-c", script, "bash", tenantId], {
        cwd,
        env: { PATH: process.env["PATH"], XDG_CACHE_HOME: bundle, ...variables }
      }).catch((error: unknown) => failures.push(`${block.name}: ${String(error).slice(-600)}`))
    }
    const queue = (await blocks()).filter(isRun).map((block, index) => () => tryOut(block, index))
    expect(queue.length).toBeGreaterThan(35)
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next()
    }
    await Promise.all([worker(), worker(), worker()])
    expect(failures.join("\n")).toBe("")
  })

  it("list of blocks that are not run → every entry is a page or a block", async () => {
    const all = await blocks()
    const known = new Set(all.flatMap((block) => [block.name, pageOf(block)]))
    expect(Object.keys(notRun).filter((name) => !known.has(name))).toEqual([])
  })
})
