/**
 * `pnpm image [name] [--base IMAGE]`: builds the image with docker, podman or buildah, runs it with a read-only root file system and checks it.
 * Prints one line for each check; exits with 1 if one fails. buildah has no command for running a service, so it builds only.
 */
import { strict as assert } from "node:assert"
import { parseArgs } from "node:util"
import * as Container from "./image/Container.ts"
import * as Engine from "./image/Engine.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const { positionals, values } = parseArgs({ allowPositionals: true, options: { base: { type: "string" } } })
const [image = "holdfast"] = positionals

const check = async <A>(name: string, run: () => Promise<A>): Promise<A> => {
  const started = performance.now()
  const result = await run()
  print(`passed  ${name}  (${((performance.now() - started) / 1000).toFixed(1)} s)`)
  return result
}

/** More than the buffers of the connection hold. */
const large = new Uint8Array(64 * 1024 * 1024).fill(7)

const checkContainer = async (container: Container.Container): Promise<void> => {
  await check("the health check of the image succeeds", container.waitUntilHealthy)

  await check("the service runs as process 1, and not as root", async () => {
    const status = await container.execute("cat", "/proc/1/status")
    assert.match(await container.execute("cat", "/proc/1/cmdline"), /^node\0/)
    assert.match(status, /^Uid:\s+[1-9]/m)
    assert.match(status, /^CapEff:\s+0+$/m)
  })

  await check("the root file system is read-only, /data is not", async () => {
    await assert.rejects(container.execute("touch", "/app/file"), /Read-only file system/)
    await container.execute("touch", "/data/file")
  })

  const client = await container.client()
  const tenant = await client.tenants.create({ name: "Acme", subdomain: "acme" })
  const bucket = await client.buckets.create({ tenantId: tenant.id, name: "media" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }

  const file = await check("an upload is viewed", async () => {
    const uploaded = await client.files.upload({ ...ref, name: "hello.txt", content: "Hello" })
    const download = await client.files.read({ ...ref, fileId: uploaded.id })
    assert.equal(await download.text(), "Hello")
    return uploaded
  })

  await check("a video is converted", async () => {
    const picture = ["-f", "lavfi", "-i", "testsrc2=s=128x72:r=12:d=2"]
    await container.execute("ffmpeg", "-v", "error", ...picture, "-pix_fmt", "yuv420p", "/tmp/video.mp4")
    const content = await container.execute("base64", "--wrap=0", "/tmp/video.mp4")
    const video = await client.files.upload({ ...ref, name: "video.mp4", content: Buffer.from(content, "base64") })
    const stream = await client.streams.request({ ...ref, fileId: video.id, format: "hls", wait: 60 })
    assert.equal(stream.state, "READY")
  })

  await check("SIGTERM ends running requests, then the process with status 0", async () => {
    const { id } = await client.files.upload({ ...ref, name: "large", content: large })
    const download = await client.files.read({ ...ref, fileId: id })
    let received = 0
    let stopped: Promise<number> | undefined
    for await (const chunk of download.stream()) {
      stopped ??= container.stop()
      received += chunk.length
    }
    assert.equal(received, large.length)
    assert.equal(await stopped, 0)
  })

  await check("started again, the service has the file", async () => {
    await container.start()
    await container.waitUntilHealthy()
    const again = await container.client()
    const download = await again.files.read({ ...ref, fileId: file.id })
    assert.equal(await download.text(), "Hello")
  })
}

try {
  const engine = Engine.find()
  await check(`${engine.name} builds the image`, () => Engine.build(engine, image, values.base))
  if (engine.canRun) {
    const container = await Container.run(engine, image)
    try {
      await checkContainer(container)
    } finally {
      await container.remove()
    }
  } else {
    print(`not run  ${engine.name} runs no services; docker and podman do`)
  }
} catch (error) {
  process.exitCode = 1
  print(`FAILED  ${error instanceof Error ? error.message : String(error)}`)
}
