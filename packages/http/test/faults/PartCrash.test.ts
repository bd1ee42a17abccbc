/**
 * Kills a process repeatedly while it uploads files in parts.
 */
import { open } from "@holdfast/core"
import * as Actor from "@holdfast/core/Actor"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import { Fsck } from "@holdfast/core/storage/Fsck"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import * as Process from "../support/Process.ts"

const rounds = 3
const program = fileURLToPath(new URL("../programs/upload-parts.ts", import.meta.url))

/** What was acknowledged last of an upload. */
interface Acknowledged extends UploadRef {
  readonly parts: number
  readonly fileId?: string
}

/** Runs the program, and kills it after some acknowledgements. Returns what was acknowledged of each upload. */
const runAndKill = async (directory: string, acknowledgements: number) => {
  const uploads = new Map<string, Acknowledged>()
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })
  const ended = once(lines, "close")
  let count = 0
  lines.on("line", (line) => {
    const acknowledged = JSON.parse(line) as Acknowledged
    uploads.set(acknowledged.uploadId, acknowledged)
    if (++count === acknowledgements) child.kill("SIGKILL")
  })
  await ended
  expect(count).toBeGreaterThanOrEqual(acknowledgements)
  return [...uploads.values()]
}

it(
  "SIGKILL while files are uploaded in parts → acknowledged parts and files are kept, uploads continue, no finding",
  { timeout: 120_000 },
  async () => {
    const directory = await Process.makeDirectory()
    for (let round = 0; round < rounds; round++) {
      const uploads = await runAndKill(directory, 11 + Math.floor(Math.random() * 20))
      const holdfast = await open({
        metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
        blobs: fs({ directory: Path.join(directory, "files") })
      })
      const run = Effect.runPromiseWith(PromiseApiContext.of(holdfast).services)
      for (const { fileId, parts, ...ref } of uploads) {
        const file = await run(Effect.flatMap(ResumableUploads, ({ complete }) => complete(Actor.system, ref)))
        const { bucketId, tenantId } = ref
        const download = await holdfast.files.read(holdfast.system(), { tenantId, bucketId, fileId: file.id })
        const bytes = await download.bytes()
        if (fileId !== undefined) expect(file.id).toBe(fileId)
        // The part, or the file, whose request ran may be there as well.
        expect([parts, parts + 1].map((count) => count * 5_000)).toContain(bytes.length)
        expect(bytes.every((byte, index) => byte === Math.floor(index / 5_000) + 1)).toBe(true)
      }
      expect((await run(Effect.flatMap(Fsck, ({ check }) => check()))).findings).toBe(0)
      await holdfast.close()
    }
  }
)
