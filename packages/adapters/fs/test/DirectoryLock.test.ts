import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as DirectoryLock from "../src/DirectoryLock.ts"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as Program from "./support/Program.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const assertHeld = (directory: string) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.scoped(FsBlobStore.make({ directory })))
    assert.strictEqual(error._tag, "DirectoryLockError")
    if (error._tag !== "DirectoryLockError") return
    assert.strictEqual(error.reason, "Held")
    assert.include(error.message, "Another process holds the data directory")
    assert.include(error.message, directory)
  })

describe("DirectoryLock", () => {
  it.live("acquire: second process → Held, until the first one closes the store", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* FsBlobStore.make({ directory })
          const second = yield* Program.start("hold.ts", [directory])
          const { code, stdout } = yield* second.ended
          assert.strictEqual(code, 1)
          assert.include(stdout, "Another process holds the data directory")
          assert.notInclude(stdout, "open\n")
        })
      )
      const third = yield* Program.start("hold.ts", [directory])
      yield* third.line("open")
      yield* assertHeld(directory)
    })
  )

  it.live("acquire: second time in one process → Held, and the first lock stays", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      yield* FsBlobStore.make({ directory })
      yield* assertHeld(directory)
      yield* assertHeld(directory)
      const other = yield* Program.start("hold.ts", [directory])
      assert.strictEqual((yield* other.ended).code, 1)
    })
  )

  it.live("acquire: holder killed while its child process runs → acquired", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const holder = yield* Program.start("hold.ts", [directory, "grandchild"])
      const grandchild = Number((yield* holder.line("grandchild")).split(" ")[1])
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(grandchild, "SIGKILL")))
      yield* holder.line("open")
      yield* assertHeld(directory)
      yield* holder.kill("SIGKILL")
      // The kernel releases locks while it ends the process, before it notifies the parent.
      yield* holder.exited
      assert.isTrue(process.kill(grandchild, 0))
      yield* Effect.scoped(FsBlobStore.make({ directory }))
    })
  )

  it.live("acquire and release → one empty file with mode 0600", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* DirectoryLock.acquire(directory)
          assert.deepStrictEqual(Fs.readdirSync(directory), [DirectoryLock.fileName])
        })
      )
      assert.deepStrictEqual(Fs.readdirSync(directory), [DirectoryLock.fileName])
      const { mode, size } = Fs.statSync(`${directory}/${DirectoryLock.fileName}`)
      assert.deepStrictEqual([mode & 0o777, size], [0o600, 0])
    })
  )

  it.live("acquire: missing directory → created with its parents, mode 0700", () =>
    Effect.gen(function* () {
      const directory = `${yield* TemporaryDirectory.make}/one/two`
      yield* DirectoryLock.acquire(directory)
      assert.strictEqual(Fs.statSync(directory).mode & 0o777, 0o700)
    })
  )

  it.live("acquire: path of a file → Failed, with the cause", () =>
    Effect.gen(function* () {
      const path = `${yield* TemporaryDirectory.make}/file`
      Fs.writeFileSync(path, "")
      const error = yield* Effect.flip(Effect.scoped(DirectoryLock.acquire(path)))
      assert.strictEqual(error.reason, "Failed")
      assert.include(error.message, "cannot be locked")
      assert.isDefined(error.cause)
    })
  )
})
