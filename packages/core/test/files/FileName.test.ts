import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { InvalidRequest } from "@holdfast/core/Errors"
import { extension } from "@holdfast/core/files/FileName"
import * as NewFile from "@holdfast/core/files/NewFile"

const decodePath = (path: string, name = "a.txt") =>
  Effect.map(NewFile.decode({ name, path }), (decoded) => `${decoded.path}${decoded.name}`)

const expectRefused = (input: unknown, pointer: string) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(NewFile.decode(input))
    assert.instanceOf(error, InvalidRequest)
    assert.include(
      error.errors.map((fault) => fault.pointer),
      pointer,
      JSON.stringify(input)
    )
  })

describe("FileName", () => {
  it.effect.each([
    ["", "/a.txt"],
    ["/", "/a.txt"],
    ["docs", "/docs/a.txt"],
    ["/docs", "/docs/a.txt"],
    ["docs/2024/", "/docs/2024/a.txt"],
    ["/Ärger/", "/Ärger/a.txt"],
    ["/A\u0308rger/", "/Ärger/a.txt"],
    ["/😀/", "/😀/a.txt"],
    ["/...", "/.../a.txt"]
  ] as const)("decode: path %j → normalised to %j", ([path, whole]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* decodePath(path), whole)
    })
  )

  it.effect.each([
    "/a//b/",
    "//",
    "/./",
    "/a/../b/",
    "..",
    "/\0/",
    "/a\nb/",
    "/\u0085/",
    `/${"x".repeat(1024)}/`,
    "/\ud800/"
  ])("decode: path %j → InvalidRequest at /path", (path) => expectRefused({ name: "a", path }, "/path"))

  it.effect.each([
    "",
    ".",
    "..",
    "a/b",
    "a\0",
    "a\r\nb",
    "\u007f",
    "é".repeat(128),
    "x".repeat(256),
    "\udc00",
    7,
    null
  ])("decode: name %j → InvalidRequest at /name", (name) => expectRefused({ name }, "/name"))

  it.effect("decode: name of 255 bytes in any script → accepted", () =>
    Effect.gen(function* () {
      const name = "é".repeat(127) + "x"
      assert.strictEqual((yield* NewFile.decode({ name })).name, name)
    })
  )

  it.effect("decode: several invalid fields → one InvalidRequest with every fault", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        NewFile.decode({
          name: 1,
          path: "/../",
          alias: "No",
          headers: [
            { name: "x-a", value: "ok" },
            { name: "x y", value: "" }
          ]
        })
      )
      assert.deepStrictEqual(error.errors.map((fault) => fault.pointer).toSorted(), [
        "/alias",
        "/headers/1/name",
        "/name",
        "/path"
      ])
    })
  )

  it("extension: file name → extension in lower case, without the dot", () => {
    for (const [name, is] of [
      ["a.TXT", "txt"],
      ["a", ""],
      [".bashrc", ""],
      ["a.tar.gz", "gz"],
      ["a.", ""]
    ] as const) {
      assert.strictEqual(extension(name), is)
    }
  })
})
