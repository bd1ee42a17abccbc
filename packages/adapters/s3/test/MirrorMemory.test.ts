import { assert } from "@effect/vitest"
import { all, requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import { totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Bucket from "./support/Bucket.ts"

const mebibyte = 1024 * 1024
const program = fileURLToPath(new URL("./programs/mirrorsLarge.ts", import.meta.url))
const bytes = 2048 * mebibyte
const needed = 6 * 1024 * mebibyte

const tooSmall =
  process.platform !== "linux"
    ? "resident memory is told by Linux"
    : totalmem() < needed
      ? "the gateway would keep 2 GiB in less than 6 GiB of memory"
      : undefined

requires(all(CephRgw.missing, tooSmall)).live(
  "a file of 2 GiB is mirrored in a few parts' memory",
  () =>
    Effect.gen(function* () {
      const { bucket, credentials, endpoint } = yield* Bucket.options
      const { accessKeyId } = credentials
      const secretAccessKey = Redacted.value(credentials.secretAccessKey)
      const input = { endpoint, bucketName: bucket, accessKeyId, secretAccessKey, bytes }
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(process.execPath, [program, JSON.stringify(input)])
      )
      const { grownBytes } = JSON.parse(stdout) as { readonly grownBytes: number }
      assert.isBelow(grownBytes, 96 * mebibyte)
      assert.isAbove(grownBytes, -96 * mebibyte)
    }).pipe(Effect.provide(CephRgw.layerOf(4 * 1024 * mebibyte))),
  180_000
)
