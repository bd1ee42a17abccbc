import { assert, describe, it } from "@effect/vitest"
import * as Requires from "../src/Requires.ts"

describe("Requires", () => {
  it("command: works, is missing or fails → undefined, or the reason", () => {
    assert.isUndefined(Requires.command("true"))
    assert.strictEqual(Requires.command("no-such-command"), "no-such-command is not installed")
    assert.match(Requires.command("sh", "-c", "echo oh no >&2; exit 3") ?? "", /^sh does not work here: oh no$/)
  })

  it("firstMissing: several reasons → the first one", () => {
    assert.isUndefined(Requires.firstMissing(undefined, undefined))
    assert.strictEqual(Requires.firstMissing(undefined, "one", "two"), "one")
  })
})
