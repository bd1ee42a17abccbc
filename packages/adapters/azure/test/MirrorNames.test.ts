import { assert, describe, it } from "@effect/vitest"
import * as MirrorNames from "../src/internal/mirrors/MirrorNames.ts"

const isValid = (name: string): boolean => MirrorNames.findFault(name) === undefined

describe("MirrorNames", () => {
  it.each([
    "a",
    "a/b.txt",
    ".hidden/.config",
    "..a/b",
    " a ",
    "per%20cent",
    "a//b",
    "smörgåsbord 🎉",
    "é".repeat(1024),
    Array.from({ length: 254 }, () => "a").join("/")
  ])("%j → valid", (name) => {
    assert.isTrue(isValid(name))
  })

  it.each([
    "",
    "a.",
    ".",
    "..",
    "a./b",
    "../b",
    "a/./b",
    "a/",
    "back\\slash",
    "a\u0000b",
    "tab\t",
    "\u007f",
    "\u0081",
    "\ufffe",
    "a\uffff",
    "\ud800",
    "é".repeat(1025),
    Array.from({ length: 255 }, () => "a").join("/")
  ])("%j → a fault, as a sentence", (name) => {
    assert.match(MirrorNames.findFault(name) ?? "", /^[A-Z].*\.$/)
  })
})
