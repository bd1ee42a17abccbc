import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import * as PlayerSources from "../../../packages/http/src/players/PlayerSources.ts"
import * as PlayerModule from "../../packages/PlayerModule.ts"

it("player of the published package: own script and styles → at most 20 KB compressed", async () => {
  const { Player = "" } = await PlayerModule.bundle()
  expect(Player).toContain("video")
  const sizes = [Player, PlayerSources.read().style].map((text) => gzipSync(text).length)
  expect(sizes[0]).toBeGreaterThan(5000)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(20_000)
})
