import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fs from "node:fs"
import * as DirectorySyncs from "../src/internal/DirectorySyncs.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const start = <A, E>(self: Effect.Effect<A, E>) => Effect.forkChild(self, { startImmediately: true })

describe("DirectorySyncs", () => {
  it.live("sync: uploads were announced before → begins when each has its name or has failed", () =>
    Effect.gen(function* () {
      const [path, other] = [yield* TemporaryDirectory.make, yield* TemporaryDirectory.make]
      const syncs = DirectorySyncs.make()
      const [first, second] = [syncs.announce(path), syncs.announce(path)]
      const waiting = yield* start(syncs.sync(path))
      // An open of the directory would fail from now on: the sync has not begun.
      Fs.renameSync(path, `${path}.away`)
      first()
      first()
      // By the end of a later sync, one that had begun would have failed.
      yield* syncs.sync(other)
      assert.isUndefined(waiting.pollUnsafe())
      Fs.renameSync(`${path}.away`, path)
      second()
      yield* Fiber.join(waiting)
    })
  )

  it.live("sync: request of the last announced upload → the same sync serves it", () =>
    Effect.gen(function* () {
      const path = yield* TemporaryDirectory.make
      const syncs = DirectorySyncs.make()
      const [first, second] = [syncs.announce(path), syncs.announce(path)]
      const one = yield* start(syncs.sync(path, first))
      const other = yield* start(syncs.sync(path, second))
      // A further sync would fail, because it opens the directory.
      Fs.renameSync(path, `${path}.away`)
      yield* Fiber.join(one)
      yield* Fiber.join(other)
      Fs.renameSync(`${path}.away`, path)
    })
  )

  it.live("sync: an upload is announced afterwards → does not wait for it", () =>
    Effect.gen(function* () {
      const path = yield* TemporaryDirectory.make
      const syncs = DirectorySyncs.make()
      const earlier = syncs.announce(path)
      const waiting = yield* start(syncs.sync(path))
      const later = syncs.announce(path)
      const joined = yield* start(syncs.sync(path))
      earlier()
      yield* Fiber.join(waiting)
      yield* Fiber.join(joined)
      later()
      yield* syncs.sync(path)
    })
  )

  it.live("sync: requested while another one runs → a further one, also for who comes meanwhile", () =>
    Effect.gen(function* () {
      const path = yield* TemporaryDirectory.make
      const syncs = DirectorySyncs.make()
      const running = yield* start(syncs.sync(path))
      const announced = syncs.announce(path)
      const next = yield* start(syncs.sync(path))
      yield* Fiber.join(running)
      assert.isUndefined(next.pollUnsafe())
      announced()
      yield* Fiber.join(next)
    })
  )
})
