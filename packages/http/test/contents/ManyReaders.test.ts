/**
 * Many concurrent readers of different contents, some of which disconnect midway: no reader gets a byte of another content.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

/** Sizes around those at which the service sends in another way. Every byte of a content is the content's number. */
const sizes = [4096, 5000, 65_536, 65_537, 262_144, 300_000, 1_000_000]

const rounds = 12

describe("concurrent readers", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start()
  })
  afterAll(() => server.close())

  it(
    "42 contents, a quarter of the readers disconnect → every reader gets its own bytes",
    { timeout: 60_000 },
    async () => {
      const bucket = await server.makeBucket()
      const files = await Promise.all(
        Array.from({ length: 42 }, async (_, index) => {
          const size = sizes[index % sizes.length] ?? 0
          const { path } = await server.makeFile(bucket, new Uint8Array(size).fill(index + 1))
          return { path, size, fill: index + 1 }
        })
      )
      const readWhole = async ({ fill, path, size }: (typeof files)[number]) => {
        const body = Buffer.from(await (await server.get(`${path}/view`)).arrayBuffer())
        assert.isTrue(body.equals(Buffer.alloc(size, fill)), `content ${fill} of ${size} bytes`)
      }
      const stopMidway = async ({ fill, path }: (typeof files)[number]) => {
        const reader = (await server.get(`${path}/view`)).body?.getReader()
        const first = await reader?.read()
        assert.isTrue(Buffer.from(first?.value ?? []).every((byte) => byte === fill))
        await reader?.cancel()
      }
      for (let round = 0; round < rounds; round++) {
        await Promise.all(files.map((file, index) => ((index + round) % 4 === 0 ? stopMidway(file) : readWhole(file))))
      }
    }
  )
})
