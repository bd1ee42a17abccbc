import { assert, describe, it } from "@effect/vitest"
import * as Requires from "../src/Requires.ts"

describe("Requires", () => {
  it("finds what a command needs", () => {
    assert.isUndefined(Requires.command("true"))
    assert.strictEqual(Requires.command("no-such-command"), "no-such-command is not installed")
    assert.match(Requires.command("sh", "-c", "echo oh no >&2; exit 3") ?? "", /^sh does not work here: oh no$/)
  })

  it("names the first thing that is missing", () => {
    assert.isUndefined(Requires.firstMissing(undefined, undefined))
    assert.strictEqual(Requires.firstMissing(undefined, "one", "two"), "one")
  })
})
