/**
 * Tests that objects have the names of files, also with unusual characters.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Generate from "../../../data/Generate.ts"
import * as Objects from "../Objects.ts"
import type { Settings, Tester } from "./Settings.ts"

/** Names with a special meaning in a URL, a signature, a listing or a file system. All are in NFC. */
const names: ReadonlyArray<string> = [
  "plain.txt",
  "with space.txt",
  " led and followed by spaces ",
  "two  spaces",
  "plus+plus",
  "percent%",
  "percent%20encoded%2Fslash",
  "question?mark=1&more=2",
  "#hash",
  "quote\"and'apostrophe`",
  "<angle>&amp;",
  "semi;colon,comma:colon=equals@at!bang*star(round)[square]{curly}|pipe^caret~tilde$dollar",
  "back\\slash",
  ".hidden",
  "...",
  "..two/.one/file",
  "-dash",
  "a/b/c/d/e/f/g.txt",
  "a/b.txt",
  "a.txt",
  "folder.with.dots/file",
  "UPPER/lower",
  "upper/lower",
  "smörgåsbord/Ελληνικά/日本語.txt",
  "עברית/العربية",
  "👩‍👩‍👧/🎉.png",
  "𝕌nicode",
  "\u00e9",
  "no\u00a0break\u3000wide",
  "\u200bzero\u200d",
  "\ufffd\ufffe",
  "__proto__",
  "constructor",
  "null",
  "CON"
]

/** Names and folders of the maximum length. */
const longest = [
  "n".repeat(255),
  `${"é".repeat(127)}x`,
  "🎉".repeat(63),
  ["a", "b", "c"].map((letter) => letter.repeat(255)).join("/"),
  `${"%".repeat(255)}/${"+".repeat(255)}/ ${"?".repeat(253)} `
]

const assertListed = (fresh: Effect.Success<typeof Objects.fresh>, expected: ReadonlyArray<string>) =>
  Effect.map(Objects.listSorted(fresh.target), (objects) =>
    assert.deepStrictEqual(objects.map(({ name }) => name).toSorted(), expected.toSorted())
  )

export const register = (it: Tester, { isInvalidName, timeout }: Settings): void => {
  it.effect.each([
    ["strange names", names],
    ["names of 255 bytes", longest]
  ] as const)(
    "%s → each object has its own name, bytes and description",
    ([, all]) =>
      Effect.gen(function* () {
        const names = all.filter((name) => !isInvalidName(name))
        const fresh = yield* Objects.fresh
        const content = (index: number) => Generate.bytes(index, 50 + index)
        yield* Effect.forEach(names, (name, index) => Objects.write(fresh, name, content(index)), { concurrency: 4 })
        yield* assertListed(fresh, names)
        yield* Effect.forEach(names, (name, index) => Objects.assertObject(fresh, name, content(index)), {
          concurrency: 4
        })
        const described = { ...Objects.minimalDescription, contentType: "text/plain" }
        yield* Effect.forEach(
          names,
          (name, index) => fresh.target.describe(Objects.object(name, content(index), described)),
          { concurrency: 4 }
        )
        const [kept = "", ...removed] = names
        yield* Effect.forEach(removed, fresh.target.remove, { concurrency: 4 })
        yield* assertListed(fresh, [kept])
        yield* Objects.assertObject(fresh, kept, content(0), described)
      }),
    timeout
  )

  it.effect.each(names.filter(isInvalidName))(
    "write: name %j, which the target does not allow → Invalid; stat and remove: no object",
    (name) =>
      Effect.gen(function* () {
        const { target } = yield* Objects.fresh
        const object = Objects.object(name, Generate.bytes(1, 10))
        const error = yield* Effect.flip(target.write(object, Generate.stream(1, 10)))
        assert.deepStrictEqual([error.reason, error.operation, error.isOfObject], ["Invalid", "write", true])
        assert.isTrue(Option.isNone(yield* target.stat(name)))
        yield* target.remove(name)
        assert.deepStrictEqual(yield* Objects.listSorted(target), [])
      }),
    timeout
  )

  it.effect(
    "write: name too long → Invalid; another name → written",
    () =>
      Effect.gen(function* () {
        const fresh = yield* Objects.fresh
        const bytes = Generate.bytes(1, 10)
        const name = Array.from({ length: 6 }, () => "n".repeat(255)).join("/")
        const error = yield* Effect.flip(Objects.write(fresh, name, bytes))
        assert.deepStrictEqual([error.reason, error.operation, error.isOfObject], ["Invalid", "write", true])
        yield* assertListed(fresh, [])
        yield* Objects.write(fresh, "another", bytes)
      }),
    timeout
  )
}
